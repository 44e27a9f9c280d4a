#pragma once

#include "hardware/base/numeric_format.h"
#include "model/layout/shard.h"
#include "model/ops/operator_list.h"
#include "model/ops/step_shape.h"

#include <array>

namespace fathom::model {

/// What the engine adds to the mathematics: small kernels and passes over activations. Counted
/// here, described in configs/engines/.
struct KernelCounts {
  double attention_small = 0, latent_small = 0, indexer_small = 0, dense_small = 0, moe_small = 0,
         quantise = 0, step_small = 0;
  double attention_passes = 0, dense_passes = 0, ffn_width_passes = 0, moe_passes = 0,
         moe_width_passes = 0;
  double split_kv_kernels = 1;
  bool all_gather_logits = true;
};

/// The arithmetic of each weight format on the accelerator at hand.
using ArithmeticTable = std::array<hardware::Arithmetic, hardware::kFormatCount>;

/// Everything that one layout's operators depend on beside the step's shape.
struct OpsContext {
  const Shard* shard = nullptr;
  KernelCounts kernels;
  ArithmeticTable arithmetic{};
};

/// One layer of a kind. FLOP, bytes and messages of the fullest rank. One multiply-add = 2 FLOP.
/// Equations: docs/physics.md section 3.
OperatorList layer_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape);

/// Once per step on the first stage: embedding and its all-reduce.
OperatorList embedding_ops(const OpsContext& context, const StepShape& shape);

/// Once per step on the last stage: final norm, lm_head on sampled positions, logits gather,
/// sampling.
OperatorList head_ops(const OpsContext& context, const StepShape& shape);

/// Between two stages.
OperatorList stage_ops(const OpsContext& context, const StepShape& shape);

/// Beside a draft layer: the projection of 2h -> h.
OperatorList draft_ops(const OpsContext& context, const StepShape& shape);

/// Expected number of distinct experts that `tokens` tokens touch, E(1 - (1 - K/E)^T).
/// Assumes: experts drawn evenly and independently.
double distinct_experts(double experts, double top_k, double tokens);

/// Expected maximum over `ranks` of a load with the given mean and standard deviation, over the
/// mean: 1 + z(ranks) * sigma / mean with Blom's normal score. 1 for one rank or no load.
double fullest_over_mean(double mean, double sigma, double ranks);

/// How bytes of an expert exchange are counted. Report figures name their convention.
enum class ExchangeConvention : std::uint8_t {
  WithSelfSends,  ///< K copies of each token, own rank included
  OffRank,        ///< K copies, those for the own rank left out
  Deduplicated,   ///< one copy for each distinct remote rank
};

/// Bytes per rank and token of dispatch plus combine over `ranks`, tokens spread evenly over them;
/// `dispatch_bytes` and `combine_bytes` per element. Source: docs/physics.md section 5.
double exchange_bytes_per_token(double hidden, double experts, double top_k, double ranks,
                                double dispatch_bytes, double combine_bytes,
                                ExchangeConvention convention);

/// Bytes per rank and token of one ring all-reduce: 2(n-1)/n * h * b.
double all_reduce_bytes_per_token(double hidden, double ranks, double element_bytes);

}  // namespace fathom::model
