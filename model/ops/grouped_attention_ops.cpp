#include "model/ops/family_ops.h"

#include <algorithm>

namespace fathom::model {

using hardware::Bytes;
using hardware::Collective;
using hardware::Flop;
using hardware::KernelClass;
using hardware::Work;

void context_parallel_ops(const OpsContext& context, double tokens, double query_width,
                          double output_width, OperatorList& list) {
  const Count dcp = context.shard->layout.dcp;
  if (dcp <= 1) {
    return;
  }
  const double parts = number(dcp);
  list.add(OperatorKind::ContextGather,
           message(Collective::AllGather, dcp, tokens * parts * query_width * kActivationBytes));
  list.add(OperatorKind::ContextReduce, message(Collective::ReduceScatter, dcp,
                                                tokens * parts * output_width * kActivationBytes));
}

namespace {

/// Scores and values: 2*Hq*(d + dv) FLOP for each attended pair; in prefill the causal half only.
Work attention_core(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                    double heads) {
  const auto& a = std::get<GroupedAttention>(layer.kind.attention);
  const double dcp = number(context.shard->layout.dcp);
  const double pairs =
      shape.sequences * attended_pairs(shape.new_tokens, shape.context, number(a.window));
  const double held = shape.context + shape.new_tokens;
  const double read = a.window > 0 ? std::min(held, number(a.window) + shape.new_tokens - 1) : held;
  Work work;
  work.kernel_class = KernelClass::Attention;
  work.format = context.shard->kv_format;
  work.kernels = shape.phase == Phase::Decode ? context.kernels.split_kv_kernels : 1;
  // With dcp each rank attends all heads of its group over its part of the context.
  work.flop = Flop(2 * heads * number(a.head + a.value_head) * pairs);
  work.cache_bytes = layer.kv_cache_row * (shape.sequences * (read / dcp + shape.new_tokens));
  work.activation_bytes =
      Bytes(shape.tokens() * heads * number(a.head + a.value_head) * kActivationBytes);
  work.causal = shape.phase == Phase::Prefill;
  return work;
}

}  // namespace

void grouped_attention_ops(const OpsContext& context, const LayerShard& layer,
                           const StepShape& shape, OperatorList& list) {
  const auto& a = std::get<GroupedAttention>(layer.kind.attention);
  const Shard& shard = *context.shard;
  const double tokens = shape.tokens();
  const double hidden = number(shard.hidden);
  const double heads = number(a.heads) / number(shard.layout.attention_tp);

  Work qkv = gemm(context, layer.at(Role::Query), tokens);
  fuse(qkv, layer.at(Role::Key), tokens);
  fuse(qkv, layer.at(Role::Value), tokens);
  list.add(OperatorKind::QkvProjection, qkv);

  const double quantised = quantises(context, layer.at(Role::Query).format) ? 2 : 0;
  list.add(OperatorKind::AttentionSmall,
           small(context.kernels.attention_small + quantised * context.kernels.quantise,
                 tokens * hidden * (context.kernels.attention_passes + quantised)));
  context_parallel_ops(context, tokens, heads * number(a.head), heads * number(a.value_head), list);
  list.add(OperatorKind::AttentionCore, attention_core(context, layer, shape, heads));
  list.add(OperatorKind::OutputProjection, gemm(context, layer.at(Role::Output), tokens));
  if (shard.layout.attention_tp > 1) {
    list.add(OperatorKind::AttentionReduce,
             message(Collective::AllReduce, shard.layout.attention_tp,
                     tokens * hidden * kActivationBytes));
  }
}

}  // namespace fathom::model
