#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fathom::model {

/// Where an engine uses collective kernels of its own in place of the library's ring.
enum class CustomCollectives : std::uint8_t { Library, Nvlink, PeerToPeer };

/// How a serving engine behaves, as data (configs/engines/). Counts may be fractions: averages.
struct EngineSpec {
  /// Small kernels per layer beside the GEMMs, the attention core and collectives.
  struct Kernels {
    double attention = 0;  ///< norms, rope, q/k norms, KV write, layout
    double latent = 0;     ///< more with latent attention
    double indexer = 0;    ///< more with an indexer, beside its GEMMs, scan and top-k
    double dense_ffn = 0;  ///< activation, add, norm
    double moe = 0;        ///< routing, sort, scatter, activation, combine
    double quantise = 0;   ///< for each quantised GEMM input
    double step = 0;       ///< once per step: final norm, sampling
  };
  /// Reads plus writes of 16-bit activations that those small kernels make.
  struct Passes {
    double attention = 0;  ///< in tokens x hidden
    double dense_ffn = 0;  ///< in tokens x hidden
    double ffn_width = 0;  ///< in tokens x FFN width
    double moe = 0;        ///< in token-expert pairs x hidden
    double moe_width = 0;  ///< in token-expert pairs x expert width
  };
  std::string id;
  Kernels kernels;
  Passes passes;
  double split_kv_kernels = 1;  ///< kernels of one decode attention: 2 with a combine
  bool all_gather_logits = true;
  bool prefill_graphs = false;  ///< prefill replays captured graphs; else each kernel is launched
  hardware::Seconds host_per_kernel;    ///< to launch one kernel without graphs
  hardware::Seconds host_per_step;      ///< scheduler, sampling, copies
  hardware::Seconds host_per_sequence;  ///< the same, for each running sequence
  double host_overlap = 0;              ///< share of the two last that runs beside the device
  CustomCollectives custom_collectives = CustomCollectives::PeerToPeer;
  double memory_fraction = 0.9;
  hardware::Bytes context_bytes;  ///< context, non-torch, communicators
  hardware::Bytes graphs_bytes;   ///< captured graphs
  hardware::Count max_batched_tokens = 8192;
  hardware::Count kv_block_tokens = 16;
  std::optional<hardware::Format> kv_format;  ///< empty: what the checkpoint asks for
};

}  // namespace fathom::model
