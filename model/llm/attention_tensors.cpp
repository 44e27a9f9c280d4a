#include "model/llm/tensor_list.h"

namespace fathom::model {
namespace {

/// Projections of the index scan, its key norm (weight and bias) and, for single tokens, the
/// weights of its heads.
void add_indexer(const Indexer& x, Count query_width, TensorList& out) {
  if (x.shared) {
    return;
  }
  out.add(Role::IndexQuery, x.heads * x.head, query_width);
  out.add(Role::IndexKey, x.head, out.hidden());
  out.add(Role::IndexKeyNorm, 2, x.head);
  if (x.block == 1) {
    out.add(Role::IndexWeights, x.heads, out.hidden());
  }
}

void add_queries(const GroupedAttention& a, TensorList& out) {
  const Count width = a.heads * a.head * (a.gate == GroupedAttention::Gate::Element ? 2 : 1);
  if (a.query_rank > 0) {
    out.add(Role::QueryDown, a.query_rank, out.hidden());
    out.add(Role::QueryUp, width, a.query_rank);
    out.add(Role::LatentNorms, 1, a.query_rank);
  } else {
    out.add(Role::Query, width, out.hidden());
  }
}

void add_keys(const GroupedAttention& a, TensorList& out) {
  if (a.shared_kv) {
    return;
  }
  out.add(Role::Key, a.kv_heads * a.head, out.hidden());
  if (!a.value_is_key) {
    out.add(Role::Value, a.kv_heads * a.value_head, out.hidden());
  }
}

void add_qk_norms(const GroupedAttention& a, TensorList& out) {
  const Count key_heads = a.shared_kv ? 0 : 1;
  if (a.qk_norm == GroupedAttention::QkNorm::Head) {
    out.add(Role::QkNorms, 1 + key_heads, a.head);
  } else if (a.qk_norm == GroupedAttention::QkNorm::Full) {
    out.add(Role::QkNorms, a.heads + key_heads * a.kv_heads, a.head);
  }
}

}  // namespace

void add_tensors(const GroupedAttention& a, TensorList& out) {
  add_queries(a, out);
  add_keys(a, out);
  if (a.qkv_bias) {
    const Count keys = a.shared_kv ? 0 : a.kv_heads;
    const Count values = a.value_is_key ? 0 : keys;
    out.add(Role::QkvBias, (a.heads + keys) * a.head + values * a.value_head, 1);
  }
  out.add(Role::Output, out.hidden(), a.heads * a.value_head);
  if (a.output_bias) {
    out.add(Role::OutputBias, out.hidden(), 1);
  }
  add_qk_norms(a, out);
  if (a.gate == GroupedAttention::Gate::Head) {
    out.add(Role::AttentionGate, a.heads, out.hidden());
  }
  if (a.sinks) {
    out.add(Role::Sinks, a.heads, 1);
  }
  if (a.indexer) {
    add_indexer(*a.indexer, out.hidden(), out);
  }
}

void add_tensors(const LatentAttention& a, TensorList& out) {
  const Count query_width = a.query_rank > 0 ? a.query_rank : out.hidden();
  if (a.query_rank > 0) {
    out.add(Role::QueryDown, a.query_rank, out.hidden());
  }
  out.add(Role::QueryUp, a.heads * (a.nope_head + a.rope_head), query_width);
  out.add(Role::LatentDown, a.latent_rank + a.rope_head, out.hidden());
  out.add(Role::LatentUp, a.heads * (a.nope_head + a.value_head), a.latent_rank);
  out.add(Role::Output, out.hidden(), a.heads * a.value_head);
  out.add(Role::LatentNorms, 1, a.query_rank + a.latent_rank);
  if (a.gate) {
    out.add(Role::AttentionGate, a.heads * a.value_head, out.hidden());
  }
  if (a.indexer) {
    add_indexer(*a.indexer, query_width, out);
  }
}

namespace {

/// Queries from the low-rank query, no key projection: keys come from a compressor of their own
/// that overlaps two windows, so twice the width and two position tables.
void add_compressed_indexer(const Indexer& x, const CompressedAttention& a, TensorList& out) {
  const Count width = 2 * x.head;
  out.add(Role::IndexQuery, x.heads * x.head, a.query_rank);
  out.add(Role::IndexWeights, x.heads, out.hidden());
  out.add(Role::IndexKey, width, out.hidden());
  out.add(Role::IndexGate, width, out.hidden());
  out.add(Role::IndexBias, a.ratio, width);
  out.add(Role::IndexKeyNorm, 1, x.head);
}

/// Layers that pick among their entries compress over two windows that overlap.
void add_compressor(const CompressedAttention& a, TensorList& out) {
  if (a.ratio == 0) {
    return;
  }
  const Count width = a.indexer ? 2 * a.head : a.head;
  out.add(Role::CompressorKv, width, out.hidden());
  out.add(Role::CompressorGate, width, out.hidden());
  out.add(Role::CompressorBias, a.ratio, width);
  out.add(Role::CompressorNorm, 1, a.head);
}

}  // namespace

void add_tensors(const CompressedAttention& a, TensorList& out) {
  out.add(Role::QueryDown, a.query_rank, out.hidden());
  out.add(Role::QueryUp, a.heads * a.head, a.query_rank);
  out.add(Role::LatentDown, a.head, out.hidden());
  out.add(Role::LatentNorms, 1, a.query_rank + a.head);
  out.add(Role::Sinks, a.heads, 1);
  out.add(Role::OutputDown, a.output_groups * a.output_rank, a.heads * a.head / a.output_groups);
  out.add(Role::Output, out.hidden(), a.output_groups * a.output_rank);
  add_compressor(a, out);
  if (a.indexer) {
    add_compressed_indexer(*a.indexer, a, out);
  }
}

}  // namespace fathom::model
