#pragma once

#include "model/layout/shard.h"
#include "model/ops/build_ops.h"

namespace fathom::test {

inline model::Formats all_formats(model::Format format) {
  model::Formats formats{};
  formats.fill(format);
  return formats;
}

/// Hidden 8, 4 query heads and 2 KV heads of 4, gated FFN of 16, vocabulary 32, 3 layers, BF16.
inline model::ModelSpec small_dense_model() {
  model::ModelSpec spec;
  spec.id = "small-dense";
  spec.hidden = 8;
  spec.vocabulary = 32;
  spec.max_context = 1000;
  spec.formats = all_formats(model::Format::Bf16);
  model::LayerKind layer;
  layer.count = 3;
  layer.attention = model::GroupedAttention{.heads = 4, .kv_heads = 2, .head = 4, .value_head = 4};
  layer.mlp = model::DenseMlp{.width = 16, .gated = true};
  layer.formats = spec.formats;
  spec.layers = {layer};
  return spec;
}

/// The same with 4 experts of width 6 in place of the FFN, 2 of them for each token.
inline model::ModelSpec small_moe_model() {
  model::ModelSpec spec = small_dense_model();
  spec.id = "small-moe";
  spec.layers.front().mlp = model::MoeMlp{.experts = 4, .top_k = 2, .width = 6};
  return spec;
}

/// Latent attention: 4 heads of 2 + 2 with values of 4, ranks 8 and 4; an index scan of 2 heads of
/// 4 that keeps 10 tokens; gated FFN of 16; 2 layers.
inline model::ModelSpec small_latent_model() {
  model::ModelSpec spec = small_dense_model();
  spec.id = "small-latent";
  spec.layers.front().count = 2;
  spec.layers.front().attention =
      model::LatentAttention{.heads = 4,
                             .query_rank = 8,
                             .latent_rank = 4,
                             .nope_head = 2,
                             .rope_head = 2,
                             .value_head = 4,
                             .indexer = model::Indexer{.heads = 2, .head = 4, .top_k = 10}};
  return spec;
}

/// The small dense model with another mixer.
inline model::ModelSpec small_model_of(const model::Attention& attention) {
  model::ModelSpec spec = small_dense_model();
  spec.id = "small-mixer";
  spec.layers.front().attention = attention;
  return spec;
}

// One mixer of each kind beside grouped and latent attention: 4 heads of 4, as far as it has heads.
inline constexpr model::CompressedAttention kSmallCompressed{
    .heads = 4,
    .query_rank = 8,
    .head = 4,
    .rope_head = 2,
    .window = 8,
    .ratio = 4,
    .output_groups = 2,
    .output_rank = 4,
    .indexer = model::Indexer{.heads = 2, .head = 4, .top_k = 4}};
inline constexpr model::Mamba1 kSmallMamba1{.inner = 16, .state = 4, .conv = 4, .dt_rank = 2};
inline constexpr model::Mamba2 kSmallMamba2{
    .heads = 4, .head = 4, .groups = 2, .state = 4, .conv = 4};
inline constexpr model::DeltaNet kSmallDelta{
    .key_heads = 2, .value_heads = 4, .key_head = 4, .value_head = 4, .conv = 4};
inline constexpr model::KeyedDelta kSmallKeyed{.heads = 4, .head = 4, .conv = 4, .decay_rank = 2};
inline constexpr model::LightningAttention kSmallLightning{.heads = 4, .head = 4};

inline std::vector<model::Attention> small_mixers() {
  return {kSmallCompressed, kSmallMamba1,    kSmallMamba2,        kSmallDelta,
          kSmallKeyed,      kSmallLightning, model::NoAttention{}};
}

/// A layout of attention tp x dp and experts tp x ep.
inline model::Layout layout_of(model::Count tp, model::Count dp, model::Count ep) {
  model::Layout layout;
  layout.attention_tp = tp;
  layout.attention_dp = dp;
  layout.expert_ep = ep;
  layout.expert_tp = tp * dp / ep;
  return layout;
}

/// No small kernels; every format computes in BF16, so that nothing is quantised on the way.
inline model::OpsContext plain_context(const model::Shard& shard) {
  model::OpsContext context;
  context.shard = &shard;
  context.arithmetic.fill(hardware::Arithmetic::Bf16);
  return context;
}

/// The work of the first operator of a kind; a default one where the list has none.
inline hardware::Work work_of(const model::OperatorList& list, model::OperatorKind kind) {
  for (const model::Operator& op : list) {
    if (op.kind == kind) {
      return op.work;
    }
  }
  return {};
}

inline int count_of(const model::OperatorList& list, model::OperatorKind kind) {
  int count = 0;
  for (const model::Operator& op : list) {
    count += op.kind == kind ? 1 : 0;
  }
  return count;
}

}  // namespace fathom::test
