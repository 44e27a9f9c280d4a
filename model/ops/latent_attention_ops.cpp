#include "model/ops/family_ops.h"

#include <algorithm>

namespace fathom::model {

using hardware::Bytes;
using hardware::Collective;
using hardware::Flop;
using hardware::KernelClass;
using hardware::Work;

namespace {

/// What the new tokens of all sequences attend to, on one rank.
struct Attended {
  double pairs = 0;        ///< query-key pairs
  double read_tokens = 0;  ///< cache rows read
  bool absorbed = true;
  bool causal = false;
};

Attended attend(const LatentAttention& a, const StepShape& shape) {
  Attended out;
  const double held = shape.context + shape.new_tokens;
  const double top_k = a.indexer ? number(a.indexer->top_k) : 0;
  const bool sparse = a.indexer && held > top_k;
  out.pairs = shape.sequences * attended_pairs(shape.new_tokens, shape.context, top_k);
  out.read_tokens = shape.sequences * (sparse ? std::min(held, shape.new_tokens * top_k) : held);
  // Decode is absorbed. Prefill runs expanded, but a sparse one beyond top_k runs absorbed.
  out.absorbed = shape.phase == Phase::Decode || sparse;
  out.causal = shape.phase == Phase::Prefill;
  return out;
}

/// Query down, latent down (one kernel), then query up.
void projections(const OpsContext& context, const LayerShard& layer, double tokens,
                 OperatorList& list) {
  const auto& a = std::get<LatentAttention>(layer.kind.attention);
  Work down = gemm(context, layer.at(Role::LatentDown), tokens);
  if (a.query_rank > 0) {
    fuse(down, layer.at(Role::QueryDown), tokens);
  }
  if (a.gate) {
    fuse(down, layer.at(Role::AttentionGate), tokens);
  }
  list.add(OperatorKind::LatentDown, down);
  list.add(OperatorKind::QueryUp, gemm(context, layer.at(Role::QueryUp), tokens));
}

/// Absorbed: 2*H*((rkv + dr) + rkv) FLOP a pair and the latent read once for all heads.
/// Expanded: 2*H*(dn + dr + dv) FLOP a pair on keys and values made by `LatentExpand`.
Work attention_core(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                    const Attended& attended, double heads) {
  const auto& a = std::get<LatentAttention>(layer.kind.attention);
  const double dcp = number(context.shard->layout.dcp);
  const double width = attended.absorbed ? 2 * number(a.latent_rank) + number(a.rope_head)
                                         : number(a.nope_head + a.rope_head + a.value_head);
  Work work;
  work.kernel_class = KernelClass::Attention;
  work.format = context.shard->kv_format;
  work.kernels = shape.phase == Phase::Decode ? context.kernels.split_kv_kernels : 1;
  work.flop = Flop(2 * heads * width * attended.pairs);
  work.cache_bytes = layer.kv_cache_row * (attended.read_tokens / dcp + shape.tokens());
  work.activation_bytes = Bytes(shape.tokens() * heads * width * kActivationBytes);
  work.causal = attended.causal;
  return work;
}

/// Query into the latent and out of it: reads kv_b once (docs/physics.md section 3).
Work absorb(const OpsContext& context, const LayerShard& layer, double tokens, double heads) {
  const auto& a = std::get<LatentAttention>(layer.kind.attention);
  Work work = gemm(context, layer.at(Role::LatentUp), tokens);
  work.activation_bytes = Bytes(tokens * heads * kActivationBytes *
                                (number(a.nope_head + a.value_head) + 2 * number(a.latent_rank)));
  work.kernels = 2;
  return work;
}

}  // namespace

void latent_attention_ops(const OpsContext& context, const LayerShard& layer,
                          const StepShape& shape, OperatorList& list) {
  const auto& a = std::get<LatentAttention>(layer.kind.attention);
  const Shard& shard = *context.shard;
  const double tokens = shape.tokens();
  const double hidden = number(shard.hidden);
  const double heads = number(a.heads) / number(shard.layout.attention_tp);
  const Attended attended = attend(a, shape);

  projections(context, layer, tokens, list);
  if (a.indexer && !a.indexer->shared) {
    index_scan_ops(context, layer, *a.indexer, shape, list);
  }
  const double quantised = quantises(context, layer.at(Role::QueryUp).format) ? 3 : 0;
  list.add(OperatorKind::AttentionSmall,
           small(context.kernels.attention_small + context.kernels.latent_small +
                     (a.indexer && !a.indexer->shared ? context.kernels.indexer_small : 0) +
                     quantised * context.kernels.quantise,
                 tokens * hidden * (context.kernels.attention_passes + quantised)));
  if (attended.absorbed) {
    list.add(OperatorKind::Absorb, absorb(context, layer, tokens, heads));
    context_parallel_ops(context, tokens, heads * number(a.latent_rank + a.rope_head),
                         heads * number(a.latent_rank), list);
  } else {
    // A cached prefix is expanded again.
    list.add(OperatorKind::LatentExpand,
             gemm(context, layer.at(Role::LatentUp),
                  shape.sequences * (shape.context + shape.new_tokens)));
  }
  list.add(OperatorKind::AttentionCore, attention_core(context, layer, shape, attended, heads));
  list.add(OperatorKind::OutputProjection, gemm(context, layer.at(Role::Output), tokens));
  attention_reduce(context, layer, tokens, list);
}

}  // namespace fathom::model
