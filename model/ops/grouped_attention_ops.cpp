#include "model/ops/family_ops.h"

#include <algorithm>
#include <cmath>

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

void attention_reduce(const OpsContext& context, const LayerShard& layer, double tokens,
                      OperatorList& list) {
  const Count tp = context.shard->layout.attention_tp;
  if (tp > 1 && !layer.kind.parallel) {
    list.add(OperatorKind::AttentionReduce,
             message(Collective::AllReduce, tp,
                     tokens * number(context.shard->hidden) * kActivationBytes));
  }
}

namespace {

/// Query-key pairs of all sequences and the cache rows that are read for one.
struct Attended {
  double pairs = 0;
  double rows = 0;
};

Attended attend(const GroupedAttention& a, const StepShape& shape) {
  const double q = shape.new_tokens;
  const double held = shape.context + q;
  if (a.chunk > 0) {
    const double chunk = number(a.chunk);
    // From the start of the first new token's chunk to the end.
    const double rows = held - std::floor(shape.context / chunk) * chunk;
    return {shape.sequences * chunked_pairs(q, shape.context, chunk), rows};
  }
  const double limit = a.indexer ? number(a.indexer->top_k) : number(a.window);
  const double rows = a.indexer      ? std::min(held, q * limit)
                      : a.window > 0 ? std::min(held, limit + q - 1)
                                     : held;
  return {shape.sequences * attended_pairs(q, shape.context, limit), rows};
}

/// Scores and values: 2*Hq*(d + dv) FLOP for each attended pair; in prefill the causal half only.
Work attention_core(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                    double heads) {
  const auto& a = std::get<GroupedAttention>(layer.kind.attention);
  const double dcp = number(context.shard->layout.dcp);
  const auto [pairs, read] = attend(a, shape);
  // A layer that shares the cache of an earlier one reads that cache and writes none.
  const double element = hardware::numeric_format(context.shard->kv_format).payload_bits / 8.0;
  const Bytes row = a.shared_kv ? Bytes(number(layer.kv_heads * (a.head + a.value_head)) * element)
                                : layer.kv_cache_row;
  const double written = a.shared_kv ? 0 : shape.new_tokens;
  Work work;
  work.kernel_class = KernelClass::Attention;
  work.format = context.shard->kv_format;
  work.kernels = shape.phase == Phase::Decode ? context.kernels.split_kv_kernels : 1;
  // With dcp each rank attends all heads of its group over its part of the context.
  work.flop = Flop(2 * heads * number(a.head + a.value_head) * pairs);
  work.cache_bytes = row * (shape.sequences * (read / dcp + written));
  work.activation_bytes =
      Bytes(shape.tokens() * heads * number(a.head + a.value_head) * kActivationBytes);
  work.causal = shape.phase == Phase::Prefill;
  return work;
}

/// Query (or its low rank), keys, values and gate in one kernel; then the query from its rank.
void projections(const OpsContext& context, const LayerShard& layer, double tokens,
                 OperatorList& list) {
  const bool low_rank = layer.at(Role::QueryDown).count > 0;
  Work qkv = gemm(context, layer.at(low_rank ? Role::QueryDown : Role::Query), tokens);
  for (const Role role : {Role::Key, Role::Value, Role::AttentionGate}) {
    if (layer.at(role).count > 0) {
      fuse(qkv, layer.at(role), tokens);
    }
  }
  list.add(OperatorKind::QkvProjection, qkv);
  if (low_rank) {
    list.add(OperatorKind::QueryUp, gemm(context, layer.at(Role::QueryUp), tokens));
  }
}

}  // namespace

void grouped_attention_ops(const OpsContext& context, const LayerShard& layer,
                           const StepShape& shape, OperatorList& list) {
  const auto& a = std::get<GroupedAttention>(layer.kind.attention);
  const Shard& shard = *context.shard;
  const double tokens = shape.tokens();
  const double hidden = number(shard.hidden);
  const double heads = number(a.heads) / number(shard.layout.attention_tp);

  projections(context, layer, tokens, list);
  const bool scans = a.indexer && !a.indexer->shared;
  if (scans) {
    index_scan_ops(context, layer, *a.indexer, shape, list);
  }
  const Role query = a.query_rank > 0 ? Role::QueryUp : Role::Query;
  const double quantised = quantises(context, layer.at(query).format) ? 2 : 0;
  list.add(OperatorKind::AttentionSmall,
           small(context.kernels.attention_small + (scans ? context.kernels.indexer_small : 0) +
                     quantised * context.kernels.quantise,
                 tokens * hidden * (context.kernels.attention_passes + quantised)));
  context_parallel_ops(context, tokens, heads * number(a.head), heads * number(a.value_head), list);
  list.add(OperatorKind::AttentionCore, attention_core(context, layer, shape, heads));
  list.add(OperatorKind::OutputProjection, gemm(context, layer.at(Role::Output), tokens));
  attention_reduce(context, layer, tokens, list);
}

}  // namespace fathom::model
