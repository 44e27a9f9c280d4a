#include "model/llm/hf_draft.h"

#include <algorithm>

namespace fathom::model {

namespace {

constexpr auto kHeadNorm = GroupedAttention::QkNorm::Head;

}  // namespace

void build_gpt_oss(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  need_head_size(c);
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.need_flag({"attention_bias"});
  a.output_bias = a.qkv_bias;
  a.sinks = true;
  MoeMlp f = read_moe(c, {"num_local_experts", "num_experts"},
                      {"num_experts_per_tok", "experts_per_token"}, {"intermediate_size"});
  f.bias = true;
  f.router_linear_bias = true;
  const Count layers = layer_count_of(c);
  const Count window = c.need({"sliding_window"});
  const auto types =
      c.need_choices({"layer_types"}, layers, {"full_attention", "sliding_attention"});
  for (Count i = 0; i < layers; ++i) {
    LayerKind layer;
    a.window = types.at(static_cast<std::size_t>(i)) == "sliding_attention" ? window : 0;
    layer.attention = a;
    layer.mlp = f;
    d.layers.push_back(layer);
  }
}

namespace {

/// A field that is one number, or a list with one for each layer.
std::vector<Count> per_layer(HfConfig& c, FieldNames names, Count layers) {
  const hardware::SpecNode* node = c.find(names);
  if (node != nullptr && node->kind == hardware::SpecNode::Kind::List) {
    return c.need_numbers(names, layers);
  }
  std::vector<Count> out;
  out.assign(static_cast<std::size_t>(layers), c.need(names));
  return out;
}

}  // namespace

void build_hunyuan(HfConfig& c, HfDraft& d) {
  read_outer(c, d, std::nullopt);
  c.refuse_flag("use_mla", "the projections of a latent attention");
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.flag({"attention_bias"}, false);
  a.output_bias = a.qkv_bias;
  a.qk_norm = c.need_flag({"use_qk_norm"}) ? kHeadNorm : GroupedAttention::QkNorm::None;
  const Count layers = layer_count_of(c);
  const auto top_k = per_layer(c, {"moe_topk"}, layers);
  const auto shared = per_layer(c, {"num_shared_expert"}, layers);
  const auto width = per_layer(c, {"moe_intermediate_size"}, layers);
  const Count experts = c.need({"num_experts"});
  if (c.may({"moe_layer_num_skipped"}, 0) > 0) {
    c.wrong(*c.find({"moe_layer_num_skipped"}), "layers without experts are not handled here");
  }
  // Cross-layer attention: groups of layers share the cache of their first.
  const Count share =
      c.flag({"use_cla"}, false) ? std::max<Count>(1, c.need({"cla_share_factor"})) : 1;
  for (Count i = 0; i < layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    LayerKind layer;
    a.shared_kv = i % share != 0;
    layer.attention = a;
    layer.mlp = MoeMlp{.experts = experts,
                       .top_k = std::min(top_k.at(at), experts),
                       .width = std::max<Count>(1, width.at(at)),
                       .shared_width = shared.at(at) * width.at(at)};
    d.layers.push_back(layer);
  }
  d.names.shared = "mlp.shared_mlp";
}

void build_llama4(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  need_head_size(c);
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.flag({"attention_bias"}, false);
  a.output_bias = a.qkv_bias;
  MoeMlp f = read_moe(c, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
  f.shared_width = f.width;
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size_mlp"})};
  const Count layers = layer_count_of(c);
  const Count step = c.need({"interleave_moe_layer_step"});
  const Count chunk = c.need({"attention_chunk_size"});
  const auto types =
      c.has({"layer_types"})
          ? c.need_choices({"layer_types"}, layers, {"full_attention", "chunked_attention"})
          : std::vector<std::string>();
  const auto rope = c.numbers({"no_rope_layers"});
  constexpr Count kGlobalEvery = 4;  // where the file lists nothing: layers without RoPE are global
  for (Count i = 0; i < layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    bool global = (i + 1) % kGlobalEvery == 0;
    if (at < types.size()) {
      global = types.at(at) == "full_attention";
    } else if (rope && at < rope->size()) {
      global = rope->at(at) == 0;
    }
    LayerKind layer;
    a.chunk = global ? 0 : chunk;
    layer.attention = a;
    layer.mlp = (i + 1) % step == 0 ? Mlp(f) : dense;
    d.layers.push_back(layer);
  }
  d.names.experts = "feed_forward.experts";
  d.names.shared = "feed_forward.shared_expert";
  d.names.mlp = "feed_forward";
}

void build_step35(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention full = read_heads(c);
  full.qk_norm = kHeadNorm;
  full.gate = c.need_flag({"use_head_wise_attn_gate"}) ? GroupedAttention::Gate::Head
                                                       : GroupedAttention::Gate::None;
  GroupedAttention sliding = full;
  HfConfig other = c.inside({"attention_other_setting"});
  sliding.heads = other.need({"num_attention_heads"});
  sliding.kv_heads = other.need({"num_attention_groups"});
  sliding.head = other.need({"head_dim"});
  sliding.value_head = sliding.head;
  sliding.window = c.need({"sliding_window"});
  MoeMlp f = read_moe(c, {"moe_num_experts"}, {"moe_top_k"}, {"moe_intermediate_size"});
  f.shared_width = c.need({"share_expert_dim"});
  f.router_bias = true;
  const auto moe = c.numbers({"moe_layers_enum"});
  if (!moe) {
    c.missing({"moe_layers_enum"});
    return;
  }
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size"})};
  const Count layers = layer_count_of(c);
  const auto types =
      c.need_choices({"layer_types"}, layers, {"full_attention", "sliding_attention"});
  for (Count i = 0; i < layers; ++i) {
    LayerKind layer;
    const bool is_full = types.at(static_cast<std::size_t>(i)) == "full_attention";
    layer.attention = is_full ? full : sliding;
    layer.mlp = std::find(moe->begin(), moe->end(), i) != moe->end() ? Mlp(f) : dense;
    d.layers.push_back(layer);
  }
  const Count mtp = c.may({"num_nextn_predict_layers"}, 0);
  if (mtp > 0) {
    d.mtp = LayerKind{};
    d.mtp->attention = sliding;
    d.mtp->mlp = dense;
    d.mtp->count = mtp;
  }
  d.fixed.emplace_back(Role::Router, Format::Fp32);
  d.names.experts = "moe";
  d.names.shared = "share_expert";
}

void build_mimo_v2(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention full = read_heads(c);
  full.value_head = c.need({"v_head_dim"});
  full.qkv_bias = c.flag({"attention_bias"}, false);
  full.sinks = c.need_flag({"add_full_attention_sink_bias"});
  GroupedAttention sliding = full;
  sliding.heads = c.need({"swa_num_attention_heads"});
  sliding.kv_heads = c.need({"swa_num_key_value_heads"});
  sliding.head = c.need({"swa_head_dim"});
  sliding.value_head = c.need({"swa_v_head_dim"});
  sliding.window = c.need({"sliding_window", "sliding_window_size"});
  sliding.sinks = c.need_flag({"add_swa_attention_sink_bias"});
  MoeMlp f = read_moe(c, {"n_routed_experts"}, {"num_experts_per_tok"}, {"moe_intermediate_size"});
  f.shared_width = c.may({"n_shared_experts"}, 0) * f.width;
  f.router_bias = c.text({"topk_method"}) == "noaux_tc";
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size"})};
  const Count layers = layer_count_of(c);
  const auto pattern = c.need_marks({"hybrid_layer_pattern"}, layers);
  const auto moe = c.need_marks({"moe_layer_freq"}, layers);
  for (Count i = 0; i < layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    LayerKind layer;
    layer.attention = pattern.at(at) == 1 ? sliding : full;
    layer.mlp = moe.at(at) == 1 ? Mlp(f) : dense;
    d.layers.push_back(layer);
  }
}

void build_minimax_m2(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  a.qk_norm = c.need_flag({"use_qk_norm"}) ? GroupedAttention::QkNorm::Full
                                           : GroupedAttention::QkNorm::None;
  LayerKind layer;
  layer.attention = a;
  MoeMlp f = read_moe(c, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
  f.shared_width = c.may({"shared_intermediate_size"}, 0);
  f.router_bias = c.need_flag({"use_routing_bias"});
  layer.mlp = f;
  repeat(d, layer_count_of(c), layer);
  if (c.may({"num_mtp_modules"}, 0) > 0) {
    d.notes.emplace_back("the file lists MTP modules, the public checkpoint holds none");
  }
  d.names.experts = "block_sparse_moe.experts";
}

void build_minimax_m3(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  a.qk_norm = c.need_flag({"use_qk_norm"}) ? kHeadNorm : GroupedAttention::QkNorm::None;
  c.refuse_flag("attention_output_gate", "a gate to the output of the attention");
  HfConfig sparse = c.inside({"sparse_attention_config"});
  Indexer x;
  x.heads = sparse.need({"sparse_num_index_heads"});
  x.head = sparse.need({"sparse_index_dim"});
  x.block = sparse.need({"sparse_block_size"});
  x.top_k = sparse.need({"sparse_topk_blocks"}) * x.block;
  const Count layers = layer_count_of(c);
  const auto is_sparse = sparse.need_marks({"sparse_attention_freq"}, layers);
  const auto moe = c.need_marks({"moe_layer_freq"}, layers);
  MoeMlp f = read_moe(c, {"num_local_experts"}, {"num_experts_per_tok"},
                      {"moe_intermediate_size", "intermediate_size"});
  f.shared_width = c.may({"n_shared_experts"}, 0) * c.may({"shared_intermediate_size"}, f.width);
  f.router_bias = c.need_flag({"use_routing_bias"});
  const Mlp dense = DenseMlp{.width = c.need({"dense_intermediate_size"})};
  for (Count i = 0; i < layers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    LayerKind layer;
    a.indexer = is_sparse.at(at) == 1 ? std::optional<Indexer>(x) : std::nullopt;
    layer.attention = a;
    layer.mlp = moe.at(at) == 1 ? Mlp(f) : dense;
    d.layers.push_back(layer);
  }
  if (c.may({"num_mtp_modules"}, 0) > 0) {
    d.notes.emplace_back("MTP modules are listed and left out: no public checkpoint shows them");
  }
  d.names.experts = "block_sparse_moe.experts";
  d.names.shared = "block_sparse_moe.shared_experts";
}

}  // namespace fathom::model
