#include "model/llm/hf_draft.h"

#include <algorithm>
#include <iterator>

namespace fathom::model {
namespace {

constexpr auto kHeadNorm = GroupedAttention::QkNorm::Head;

/// Which layers attend in full: `layer_types`, else every `full_attention_interval`-th.
std::vector<bool> full_layers(HfConfig& c, Count layers) {
  std::vector<bool> out(static_cast<std::size_t>(layers), false);
  if (c.has({"layer_types"})) {
    const auto types =
        c.need_choices({"layer_types"}, layers, {"full_attention", "linear_attention"});
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = types.at(i) == "full_attention";
    }
    return out;
  }
  const Count interval = c.need({"full_attention_interval"});
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = (static_cast<Count>(i) + 1) % interval == 0;
  }
  return out;
}

MoeMlp read_qwen_experts(HfConfig& c) {
  MoeMlp f;
  f.experts = c.need({"num_experts"});
  f.top_k = std::min(c.need({"num_experts_per_tok"}), f.experts);
  f.width = c.need({"moe_intermediate_size"});
  f.shared_width = c.need({"shared_expert_intermediate_size"});
  f.shared_gate = true;
  return f;
}

/// All layers; gives one whose FFN is that of an MTP layer.
LayerKind add_qwen_layers(HfConfig& c, HfDraft& d, const GroupedAttention& a, const DeltaNet& m) {
  LayerKind layer;
  const Count layers = layer_count_of(c);
  const auto full = full_layers(c, layers);
  const bool mixture = c.has({"num_experts"});
  const auto moe = mixture ? qwen_moe_layers(c, layers)
                           : std::vector<bool>(static_cast<std::size_t>(layers), false);
  const bool any_dense = std::find(moe.begin(), moe.end(), false) != moe.end();
  const Mlp experts = mixture ? Mlp(read_qwen_experts(c)) : Mlp(NoMlp{});
  const Mlp dense =
      any_dense ? Mlp(DenseMlp{.width = c.need({"intermediate_size"})}) : Mlp(NoMlp{});
  for (std::size_t i = 0; i < full.size(); ++i) {
    layer.attention = full.at(i) ? Attention(a) : Attention(m);
    layer.mlp = moe.at(i) ? experts : dense;
    d.layers.push_back(layer);
  }
  layer.mlp = mixture ? experts : dense;  // of the MTP layer
  return layer;
}

}  // namespace

namespace {

/// Qwen3-Next always gates its output and has no field for it; Qwen3.5 says so in one.
bool has_gate(HfConfig& c) {
  return c.has({"attn_output_gate"}) || c.text({"model_type"}).starts_with("qwen3_5")
             ? c.need_flag({"attn_output_gate"})
             : true;
}

}  // namespace

void build_qwen_next(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  need_head_size(c);
  GroupedAttention a = read_heads(c);
  a.qk_norm = kHeadNorm;
  a.qkv_bias = c.flag({"attention_bias"}, false);
  a.gate = has_gate(c) ? GroupedAttention::Gate::Element : GroupedAttention::Gate::None;
  DeltaNet m;
  m.key_heads = c.need({"linear_num_key_heads"});
  m.value_heads = c.need({"linear_num_value_heads"});
  m.key_head = c.need({"linear_key_head_dim"});
  m.value_head = c.need({"linear_value_head_dim"});
  m.conv = c.need({"linear_conv_kernel_dim"});
  LayerKind layer = add_qwen_layers(c, d, a, m);
  const Count mtp = c.may({"mtp_num_hidden_layers", "num_nextn_predict_layers"}, 0);
  if (mtp > 0) {
    d.mtp = layer;
    d.mtp->attention = a;
    d.mtp->count = mtp;
    d.mtp_shared_embedding = !c.flag({"mtp_use_dedicated_embeddings"}, false);
  } else if (!c.has({"mtp_num_hidden_layers", "num_nextn_predict_layers"})) {
    d.notes.emplace_back(
        "the file names no MTP layers and none are counted; the checkpoints of Qwen3-Next hold one "
        "(add num_nextn_predict_layers: 1)");
  }
  d.names.shared = "mlp.shared_expert";
  d.names.mixer = "linear_attn";
  d.names.mtp = ModuleNames::Mtp::MtpLayers;
}

namespace {

LatentAttention read_kimi_latent(HfConfig& c) {
  LatentAttention a;
  a.heads = c.need({"num_attention_heads"});
  a.query_rank = c.may({"q_lora_rank"}, 0);
  a.latent_rank = c.need({"kv_lora_rank"});
  a.nope_head = c.need({"qk_nope_head_dim"});
  a.rope_head = c.need({"qk_rope_head_dim"});
  a.value_head = c.need({"v_head_dim"});
  a.gate = c.flag({"mla_use_output_gate"}, false);
  return a;
}

MoeMlp read_kimi_experts(HfConfig& c) {
  MoeMlp f;
  f.experts = c.need({"num_experts"});
  f.top_k = std::min(c.need({"num_experts_per_token", "num_experts_per_tok"}), f.experts);
  f.width = c.need({"moe_intermediate_size"});
  f.shared_width = c.may({"num_shared_experts"}, 0) * f.width;
  f.latent = c.may({"routed_expert_hidden_size"}, 0);
  f.router_bias = true;
  return f;
}

}  // namespace

void build_kimi_linear(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  HfConfig linear = c.inside({"linear_attn_config"});
  KeyedDelta m;
  m.heads = linear.need({"num_heads"});
  m.head = linear.need({"head_dim"});
  m.conv = linear.need({"short_conv_kernel_size"});
  m.decay_rank = m.head;
  m.gate_rank = linear.flag({"use_full_rank_gate"}, false) ? 0 : m.head;
  const auto full = linear.numbers({"full_attn_layers"});
  if (!full) {
    linear.missing({"full_attn_layers"});
    return;
  }
  const LatentAttention a = read_kimi_latent(c);
  const MoeMlp f = read_kimi_experts(c);
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size"})};
  const Count first = c.may({"first_k_dense_replace"}, 0);
  const Count layers = layer_count_of(c);
  for (Count i = 0; i < layers; ++i) {
    LayerKind layer;
    // The lists count layers from 1.
    const bool is_full = std::find(full->begin(), full->end(), i + 1) != full->end();
    layer.attention = is_full ? Attention(a) : Attention(m);
    layer.mlp = i >= first ? Mlp(f) : dense;
    d.layers.push_back(layer);
  }
  d.names.mixer = "self_attn";
  d.names.experts = "block_sparse_moe.experts";
  d.names.shared = "block_sparse_moe.shared_experts";
}

void build_minimax_m1(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  const GroupedAttention a = read_heads(c);
  const LightningAttention m{a.heads, a.head};
  const Count layers = layer_count_of(c);
  const auto types = c.need_marks({"attn_type_list"}, layers);
  LayerKind layer;
  MoeMlp f;
  f.experts = c.need({"num_local_experts"});
  f.top_k = std::min(c.need({"num_experts_per_tok"}), f.experts);
  f.width = c.need({"intermediate_size"});
  f.shared_width = c.may({"shared_intermediate_size"}, 0);
  layer.mlp = f;
  for (Count i = 0; i < layers; ++i) {
    layer.attention = types.at(static_cast<std::size_t>(i)) == 1 ? Attention(a) : Attention(m);
    d.layers.push_back(layer);
  }
  d.names.experts = "block_sparse_moe.experts";
  d.fixed.emplace_back(Role::Router, Format::Fp32);
}

}  // namespace fathom::model
