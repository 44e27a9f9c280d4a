#include "model/ops/family_ops.h"

#include <algorithm>

namespace fathom::model {

using hardware::Bytes;
using hardware::Flop;
using hardware::KernelClass;
using hardware::Work;

namespace {

/// What the new tokens of one sequence see: raw entries of the window and compressed entries.
struct Seen {
  double pairs = 0;         ///< query-entry pairs of the core
  double index_pairs = 0;   ///< query-entry pairs of the index scan
  double read_entries = 0;  ///< entries read by the core
  double written = 0;       ///< entries written
};

Seen see(const CompressedAttention& a, const StepShape& shape) {
  Seen out;
  const double q = shape.new_tokens;
  const double held = shape.context + q;
  const double window = number(a.window);
  out.pairs = attended_pairs(q, shape.context, window);
  out.read_entries = std::min(held, window + q - 1);
  out.written = q;
  if (a.ratio > 0) {
    const double ratio = number(a.ratio);
    const double top_k = a.indexer ? number(a.indexer->top_k) : 0;
    // Positions in units of entries: each token sees (its position) / ratio of them.
    const double all = attended_pairs(q, shape.context, 0) / ratio;
    out.pairs += attended_pairs(q, shape.context, top_k * ratio) / ratio;
    out.written += q / ratio;
    const double entries = held / ratio;
    out.read_entries += a.indexer ? std::min(entries, q * top_k) : entries;
    if (a.indexer) {
      out.index_pairs = all;
    }
  }
  return out;
}

void projections(const OpsContext& context, const LayerShard& layer, double tokens,
                 OperatorList& list) {
  Work down = gemm(context, layer.at(Role::LatentDown), tokens);
  fuse(down, layer.at(Role::QueryDown), tokens);
  list.add(OperatorKind::LatentDown, down);
  list.add(OperatorKind::QueryUp, gemm(context, layer.at(Role::QueryUp), tokens));
  if (layer.at(Role::CompressorKv).count > 0) {
    Work compress = gemm(context, layer.at(Role::CompressorKv), tokens);
    fuse(compress, layer.at(Role::CompressorGate), tokens);
    compress.kernels = 2;  // projection, gated sum
    list.add(OperatorKind::Compress, compress);
  }
}

void index_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
               const Indexer& x, const Seen& seen, OperatorList& list) {
  const double tokens = shape.tokens();
  Work project = gemm(context, layer.at(Role::IndexQuery), tokens);
  for (const Role role : {Role::IndexKey, Role::IndexGate, Role::IndexWeights}) {
    fuse(project, layer.at(role), tokens);
  }
  project.kernels = 3;
  list.add(OperatorKind::IndexProjection, project);
  const double dcp = number(context.shard->layout.dcp);
  const double held = shape.sequences * (shape.context + shape.new_tokens) / dcp;
  const double pairs = shape.sequences * seen.index_pairs / dcp;
  scan_and_pick(context, x, {pairs, layer.cache.index * held, shape.phase}, list);
}

/// The first output projection multiplies each group of heads by its own matrix: its input is
/// heads x head, of which a GEMM counts one group.
Work grouped_output(const OpsContext& context, const LayerShard& layer, double tokens,
                    double heads) {
  const auto& a = std::get<CompressedAttention>(layer.kind.attention);
  const LocalTensor& down = layer.at(Role::OutputDown);
  Work work = gemm(context, down, tokens);
  work.activation_bytes +=
      Bytes(tokens * (heads * number(a.head) - number(down.columns)) * kActivationBytes);
  return work;
}

/// Keys are values: 4 * heads * head FLOP for each pair, entries read once for all heads.
Work core(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
          const Seen& seen, double heads) {
  const auto& a = std::get<CompressedAttention>(layer.kind.attention);
  const double dcp = number(context.shard->layout.dcp);
  Work work;
  work.kernel_class = KernelClass::Attention;
  work.format = context.shard->kv_format;
  work.kernels = shape.phase == Phase::Decode ? context.kernels.split_kv_kernels : 1;
  work.flop = Flop(4 * heads * number(a.head) * shape.sequences * seen.pairs);
  work.cache_bytes = layer.cache.row * (shape.sequences * (seen.read_entries / dcp + seen.written));
  work.activation_bytes = Bytes(2 * shape.tokens() * heads * number(a.head) * kActivationBytes);
  work.causal = shape.phase == Phase::Prefill;
  return work;
}

}  // namespace

void compressed_attention_ops(const OpsContext& context, const LayerShard& layer,
                              const StepShape& shape, OperatorList& list) {
  const auto& a = std::get<CompressedAttention>(layer.kind.attention);
  const Shard& shard = *context.shard;
  const double tokens = shape.tokens();
  const double heads = number(a.heads) / number(shard.layout.attention_tp);
  const Seen seen = see(a, shape);
  projections(context, layer, tokens, list);
  if (a.indexer) {
    index_ops(context, layer, shape, *a.indexer, seen, list);
  }
  const double quantised = quantises(context, layer.at(Role::QueryUp).format) ? 3 : 0;
  list.add(OperatorKind::AttentionSmall,
           small(context.kernels.attention_small + context.kernels.latent_small +
                     (a.indexer ? context.kernels.indexer_small : 0) +
                     quantised * context.kernels.quantise,
                 tokens * number(shard.hidden) * (context.kernels.attention_passes + quantised)));
  context_parallel_ops(context, tokens, heads * number(a.head), heads * number(a.head), list);
  list.add(OperatorKind::AttentionCore, core(context, layer, shape, seen, heads));
  list.add(OperatorKind::OutputProjection, grouped_output(context, layer, tokens, heads));
  list.add(OperatorKind::OutputProjection, gemm(context, layer.at(Role::Output), tokens));
  attention_reduce(context, layer, tokens, list);
}

}  // namespace fathom::model
