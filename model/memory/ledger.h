#pragma once

#include "hardware/machine/accelerator.h"
#include "model/engine/engine.h"
#include "model/layout/shard.h"

#include <cstddef>
#include <vector>

namespace fathom::model {

/// What changes a ledger beside model, layout and machine.
struct LedgerRequest {
  double memory_fraction = 0;    ///< 0 = the engine's
  Count max_batched_tokens = 0;  ///< 0 = the engine's
  Count max_sequences = 256;     ///< whose logits exist at once
  double sequence_tokens = 0;    ///< length of one sequence; 0 = the model's longest
  double sequences = 1;          ///< that one engine must hold at once to fit
  bool with_mtp = false;
  bool cuda_graphs = true;
};

/// What one rank holds, under the generic law: usable x fraction - weights - activation peak -
/// context - graphs = KV cache. Amounts in bytes, signed where they may be short.
/// Source: docs/physics.md section 2; each engine's own law comes later.
struct Ledger {
  std::size_t stage = 0;  ///< of the tightest rank
  Bytes usable;           ///< driver total less the reserve
  Bytes budget;           ///< usable x fraction
  Bytes weights;
  Bytes activation;
  Bytes context;
  Bytes graphs;
  Bytes state_per_sequence;    ///< recurrent state and rings, on this rank
  Bytes kv_bytes_per_token;    ///< on this rank, while no window is full
  Bytes one_sequence;          ///< cache of one sequence of the asked length, state included
  bool bounded = false;        ///< windows, rings or state: tokens = concurrency x length
  Bytes kv;                    ///< what is left for the cache; negative = the deficit
  Count kv_tokens_engine = 0;  ///< what one engine (DP rank) holds
  Count kv_tokens = 0;         ///< of the deployment
  double max_concurrency = 0;  ///< sequences of `sequence_tokens`, whole deployment
  double min_fraction = 0;     ///< smallest that holds one sequence; above 1 = none does
  Bytes missing;               ///< to hold weights, activations and one sequence; 0 when it fits
  bool fits = false;

  [[nodiscard]] Bytes other() const { return context + graphs; }
};

/// The ledger of the tightest stage.
Ledger make_ledger(const ModelSpec& model, const Shard& shard,
                   const hardware::AcceleratorSpec& accelerator, const EngineSpec& engine,
                   const LedgerRequest& request);

/// Activations of a chunk of `tokens`: residual stream, attention inputs and outputs, the widest
/// FFN intermediate, and FP32 logits of `sequences`. A default law, not an engine's.
Bytes activation_peak(const Shard& shard, double tokens, double sequences);

}  // namespace fathom::model
