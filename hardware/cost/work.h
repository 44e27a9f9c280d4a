#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"
#include "hardware/cost/coefficients.h"

#include <cstdint>

namespace fathom::hardware {

/// Messages between ranks.
enum class Collective : std::uint8_t { None, AllReduce, AllGather, ReduceScatter, Exchange, Send };

/// What one operator asks of one rank: amounts, no seconds. Trivially copyable.
struct Work {
  Flop flop;               ///< of the fullest rank's mean; padded rows not included
  Bytes weight_bytes;      ///< read once
  Bytes cache_bytes;       ///< KV and state, read and written
  Bytes activation_bytes;  ///< read and written; stays in L2 where it fits
  double rows = 0;  ///< m: tokens that one GEMM sees (for the padding of small m); 0 = no padding
  double imbalance = 1;        ///< fullest rank over mean rank, for flop
  double imbalance_bytes = 1;  ///< the same for weight_bytes
  double kernels = 0;          ///< launched
  KernelClass kernel_class = KernelClass::Elementwise;
  Format format = Format::Bf16;  ///< of the weights (or of KV)
  Arithmetic arithmetic = Arithmetic::Bf16;
  bool causal = false;  ///< prefill attention: the causal efficiency applies
  // messages
  Collective collective = Collective::None;
  int ranks = 1;
  Bytes message;         ///< S: full tensor on a rank (all-reduce, gathers) or the sent amount
  Bytes message_direct;  ///< Exchange: what an all-to-all would send off-rank, per rank
};

/// The seconds of one operator, each resource alone and their sum on the critical path.
struct Cost {
  double compute = 0;  ///< share of tensor compute in the kernel time
  double memory = 0;
  double launch = 0;  ///< fixed time per kernel
  double link_bandwidth = 0;
  double link_latency = 0;
  double imbalance = 0;     ///< of the fullest rank over the mean
  double wire_bytes = 0;    ///< sent per rank
  double memory_bytes = 0;  ///< that reach the memory; what stays in L2 is left out

  [[nodiscard]] double total() const {
    return compute + memory + launch + link_bandwidth + link_latency + imbalance;
  }
};

}  // namespace fathom::hardware
