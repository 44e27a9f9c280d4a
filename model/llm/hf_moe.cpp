#include "model/llm/hf_draft.h"

#include <algorithm>

namespace fathom::model {
namespace {

constexpr auto kHeadNorm = GroupedAttention::QkNorm::Head;

/// `is_moe(i)` decides between the experts and a dense FFN, layer by layer.
template <class IsMoe>
void add_layers(HfDraft& d, Count layers, const LayerKind& layer, const Mlp& dense, const Mlp& moe,
                IsMoe is_moe) {
  for (Count i = 0; i < layers; ++i) {
    LayerKind one = layer;
    one.mlp = is_moe(i) ? moe : dense;
    d.layers.push_back(one);
  }
}

}  // namespace

void build_mixtral(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  LayerKind layer;
  GroupedAttention a = read_heads(c);
  a.window = read_window(c);
  layer.attention = a;
  layer.mlp = read_moe(c, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
  d.names.experts = "block_sparse_moe.experts";
  repeat(d, layer_count_of(c), layer);
}

void build_dbrx(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  HfConfig attention = c.inside({"attn_config"});
  HfConfig ffn = c.inside({"ffn_config"});
  GroupedAttention a;
  a.heads = c.need({"n_heads"});
  a.kv_heads = attention.need({"kv_n_heads"});
  a.head = std::max<Count>(1, d.hidden / a.heads);
  a.value_head = a.head;
  LayerKind layer;
  layer.attention = a;
  layer.mlp = read_moe(ffn, {"moe_num_experts"}, {"moe_top_k"}, {"ffn_hidden_size"});
  d.names.experts = "ffn.experts";
  repeat(d, layer_count_of(c), layer);
}

void build_grok(HfConfig& c, HfDraft& d) {
  read_outer(c, d, std::nullopt);
  LayerKind layer;
  layer.attention = read_heads(c);
  layer.norms = 4;
  // Grok-2 has a dense FFN of `intermediate_size` beside experts of their own width.
  const bool residual = c.flag({"residual_moe"}, false);
  MoeMlp f = residual ? read_moe(c, {"num_local_experts", "num_experts"}, {"num_experts_per_tok"},
                                 {"moe_intermediate_size"})
                      : read_moe(c, {"num_local_experts", "num_experts"}, {"num_experts_per_tok"},
                                 {"intermediate_size"});
  f.shared_width = residual ? c.need({"intermediate_size"}) : 0;
  layer.mlp = f;
  d.names.experts = "block_sparse_moe.experts";
  repeat(d, layer_count_of(c), layer);
}

void build_qwen_moe(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  const bool third = c.type().starts_with("qwen3");
  c.refuse_flag("use_sliding_window", "windows to some layers");
  a.qk_norm = third ? kHeadNorm : GroupedAttention::QkNorm::None;
  a.qkv_bias = third ? c.flag({"attention_bias"}, false) : c.flag({"qkv_bias"}, true);
  a.output_bias = third && a.qkv_bias;
  LayerKind layer;
  layer.attention = a;
  MoeMlp f = read_moe(c, {"num_experts"}, {"num_experts_per_tok"}, {"moe_intermediate_size"});
  f.shared_width = third ? c.may({"shared_expert_intermediate_size"}, 0)
                         : c.need({"shared_expert_intermediate_size"});
  f.shared_gate = f.shared_width > 0;
  const Count layers = layer_count_of(c);
  const auto moe = qwen_moe_layers(c, layers);
  // The dense width is needed only where a dense layer exists: most files carry an unused one.
  const bool any_dense = std::find(moe.begin(), moe.end(), false) != moe.end();
  const Mlp dense =
      any_dense ? Mlp(DenseMlp{.width = c.need({"intermediate_size"})}) : Mlp(NoMlp{});
  if (!any_dense && c.has({"intermediate_size"})) {
    d.notes.emplace_back("intermediate_size is not used: no layer is dense");
  }
  d.names.shared = "mlp.shared_expert";
  add_layers(d, layers, layer, dense, f,
             [&moe](Count i) { return moe.at(static_cast<std::size_t>(i)); });
}

void build_phimoe(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.need_flag({"attention_bias"});
  a.output_bias = a.qkv_bias;
  d.lm_head_bias = c.need_flag({"lm_head_bias"});
  LayerKind layer;
  layer.attention = a;
  layer.norm_bias = true;
  layer.mlp = read_moe(c, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
  d.names.experts = "block_sparse_moe.experts";
  repeat(d, layer_count_of(c), layer);
}

void build_ernie(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  LayerKind layer;
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.flag({"use_bias"}, false);
  a.output_bias = a.qkv_bias;
  layer.attention = a;
  MoeMlp f = read_moe(c, {"moe_num_experts"}, {"moe_k"}, {"moe_intermediate_size"});
  f.shared_width = c.may({"moe_num_shared_experts"}, 0) * f.width;
  f.router_bias = c.flag({"moe_use_aux_free"}, true);
  const Count layers = layer_count_of(c);
  const Count start = c.may({"moe_layer_start_index"}, 0);
  // The library's -1 stands for the last layer.
  const bool to_the_end = c.text({"moe_layer_end_index"}) == "-1";
  const Count end = to_the_end ? layers - 1 : c.may({"moe_layer_end_index"}, layers - 1);
  const Count interval = std::max<Count>(1, c.may({"moe_layer_interval"}, 1));
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size"})};
  add_layers(d, layers, layer, dense, f,
             [&](Count i) { return i >= start && i <= end && (i + 1) % interval == 0; });
  d.fixed.emplace_back(Role::Router, Format::Fp32);
}

void build_glm4_moe(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  need_head_size(c);
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.need_flag({"attention_bias"});
  a.qk_norm = c.need_flag({"use_qk_norm"}) ? kHeadNorm : GroupedAttention::QkNorm::None;
  LayerKind layer;
  layer.attention = a;
  MoeMlp f = read_moe(c, {"n_routed_experts"}, {"num_experts_per_tok"}, {"moe_intermediate_size"});
  f.shared_width = c.need({"n_shared_experts"}) * f.width;
  f.router_bias = true;
  const Count first = need_dense_start(c);
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size"})};
  add_layers(d, layer_count_of(c), layer, dense, f, [first](Count i) { return i >= first; });
  const Count mtp = c.may({"num_nextn_predict_layers"}, 0);
  if (mtp > 0) {
    d.mtp = layer;
    d.mtp->mlp = f;
    d.mtp->count = mtp;
    d.mtp_shared_embedding = false;
    d.notes.emplace_back(
        "MTP layers are taken to store copies of embedding and head, as GLM-4.5 and 4.7 do; "
        "GLM-4.6 does not");
  }
}

void build_dots(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.flag({"attention_bias"}, false);
  a.qk_norm = kHeadNorm;
  LayerKind layer;
  layer.attention = a;
  MoeMlp f = read_moe(c, {"n_routed_experts"}, {"num_experts_per_tok"}, {"moe_intermediate_size"});
  f.shared_width = c.may({"n_shared_experts"}, 0) * f.width;
  f.router_bias = true;
  const Count first = need_dense_start(c);
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size"})};
  add_layers(d, layer_count_of(c), layer, dense, f, [first](Count i) { return i >= first; });
}

void build_step3(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  a.query_rank = c.need({"share_q_dim"});
  LayerKind layer;
  layer.attention = a;
  MoeMlp f = read_moe(c, {"moe_num_experts"}, {"moe_top_k"}, {"moe_intermediate_size"});
  f.shared_width = c.need({"share_expert_dim"});
  const auto moe = c.numbers({"moe_layers_enum"});
  if (!moe) {
    c.missing({"moe_layers_enum"});
    return;
  }
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size"})};
  add_layers(d, layer_count_of(c), layer, dense, f,
             [&moe](Count i) { return std::find(moe->begin(), moe->end(), i) != moe->end(); });
  d.names.experts = "moe";
  d.names.shared = "share_expert";
}

void build_granite_moe(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  LayerKind layer;
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.flag({"attention_bias"}, false);
  a.output_bias = a.qkv_bias;
  layer.attention = a;
  MoeMlp f = read_moe(c, {"num_local_experts"}, {"num_experts_per_tok"}, {"intermediate_size"});
  f.shared_width = c.may({"shared_intermediate_size"}, 0);
  layer.mlp = f;
  d.names.experts = "block_sparse_moe";
  d.names.shared = "shared_mlp";
  repeat(d, layer_count_of(c), layer);
}

}  // namespace fathom::model
