#include "model/llm/hf_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fathom::model {
namespace {

constexpr auto kHeadNorm = GroupedAttention::QkNorm::Head;
constexpr std::string_view kProjectionBias = "a bias to the projections of the mixer";

/// Which layers attend in full: `layer_types`, else every `full_attention_interval`-th.
std::vector<bool> full_layers(HfConfig& c, Count layers) {
  std::vector<bool> out(static_cast<std::size_t>(layers), false);
  if (c.has({"layer_types"})) {
    const auto types = c.need_words({"layer_types"}, layers);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = types.at(i) == "full_attention" || types.at(i) == "attention";
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

void build_qwen_next(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  need_head_size(c);
  GroupedAttention a = read_heads(c);
  a.qk_norm = kHeadNorm;
  a.qkv_bias = c.flag({"attention_bias"}, false);
  a.gate = c.flag({"attn_output_gate"}, true) ? GroupedAttention::Gate::Element
                                              : GroupedAttention::Gate::None;
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

void build_jamba(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  const GroupedAttention a = read_heads(c);
  c.refuse_flag("mamba_proj_bias", kProjectionBias);
  Mamba1 m;
  m.inner = c.need({"mamba_expand"}) * d.hidden;
  m.state = c.need({"mamba_d_state"});
  m.conv = c.need({"mamba_d_conv"});
  m.conv_bias = c.flag({"mamba_conv_bias"}, true);
  constexpr Count kRankShare = 16;  // "auto": hidden / 16, rounded up
  const bool automatic = !c.has({"mamba_dt_rank"}) || c.text({"mamba_dt_rank"}) == "auto";
  m.dt_rank = automatic ? (d.hidden + kRankShare - 1) / kRankShare : c.need({"mamba_dt_rank"});
  MoeMlp f;
  f.experts = c.need({"num_experts"});
  f.top_k = std::min(c.need({"num_experts_per_tok"}), f.experts);
  f.width = c.need({"intermediate_size"});
  const Mlp dense = DenseMlp{.width = f.width};
  const Count attention_period = c.need({"attn_layer_period"});
  const Count attention_offset = c.may({"attn_layer_offset"}, 0);
  const Count expert_period = c.need({"expert_layer_period"});
  const Count expert_offset = c.may({"expert_layer_offset"}, 0);
  const Count layers = layer_count_of(c);
  for (Count i = 0; i < layers; ++i) {
    LayerKind layer;
    layer.attention = i % attention_period == attention_offset ? Attention(a) : Attention(m);
    layer.mlp = i % expert_period == expert_offset && f.experts > 1 ? Mlp(f) : dense;
    d.layers.push_back(layer);
  }
  d.names.mlp = "feed_forward";
  d.names.experts = "feed_forward.experts";
  d.names.mixer = "mamba";
}

namespace {

Mamba2 read_mamba2(HfConfig& c) {
  c.refuse_flag("mamba_proj_bias", kProjectionBias);
  Mamba2 m;
  m.heads = c.need({"mamba_n_heads", "mamba_num_heads"});
  m.head = c.need({"mamba_d_head", "mamba_head_dim"});
  m.groups = c.need({"mamba_n_groups", "n_groups"});
  m.state = c.need({"mamba_d_state", "ssm_state_size"});
  m.conv = c.need({"mamba_d_conv", "conv_kernel"});
  m.conv_bias = c.flag({"mamba_conv_bias", "use_conv_bias"}, true);
  if (m.heads % m.groups != 0) {
    c.wrong(*c.find({"mamba_n_groups", "n_groups"}),
            fmt::format("{} heads do not divide into {} groups", m.heads, m.groups));
    m.groups = 1;
  }
  return m;
}

}  // namespace

void build_bamba(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  const GroupedAttention a = read_heads(c);
  const Mamba2 m = read_mamba2(c);
  const auto full = c.numbers({"attn_layer_indices"});
  if (!full) {
    c.missing({"attn_layer_indices"});
    return;
  }
  LayerKind layer;
  layer.mlp = DenseMlp{.width = c.need({"intermediate_size"})};
  const Count layers = layer_count_of(c);
  for (Count i = 0; i < layers; ++i) {
    const bool is_full = std::find(full->begin(), full->end(), i) != full->end();
    layer.attention = is_full ? Attention(a) : Attention(m);
    d.layers.push_back(layer);
  }
  d.names.mixer = "mamba";
}

void build_granite_hybrid(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  const GroupedAttention a = read_heads(c);
  const Count layers = layer_count_of(c);
  const auto types = c.need_words({"layer_types", "layers_block_type"}, layers);
  LayerKind layer;
  const Count shared = c.may({"shared_intermediate_size"}, 0);
  if (c.may({"num_local_experts"}, 0) > 0) {
    layer.mlp = MoeMlp{.experts = c.need({"num_local_experts"}),
                       .top_k = c.need({"num_experts_per_tok"}),
                       .width = c.need({"intermediate_size"}),
                       .shared_width = shared};
  } else {
    layer.mlp = DenseMlp{.width = c.need({"shared_intermediate_size"})};
  }
  const bool any_mamba = std::find(types.begin(), types.end(), "mamba") != types.end();
  const Attention mamba = any_mamba ? Attention(read_mamba2(c)) : Attention(a);
  for (Count i = 0; i < layers; ++i) {
    layer.attention = types.at(static_cast<std::size_t>(i)) == "mamba" ? mamba : Attention(a);
    d.layers.push_back(layer);
  }
  d.names.mixer = "mamba";
  d.names.experts = "block_sparse_moe";
  d.names.shared = "shared_mlp";
}

namespace {

/// One block of Nemotron-H: a mixer or an FFN, with one norm.
struct NemotronBlocks {
  GroupedAttention attention;
  std::optional<Mamba2> mamba;
  Mlp dense;
  Mlp moe;
};

char block_letter(const std::string& name) {
  return name == "mamba"       ? 'M'
         : name == "attention" ? '*'
         : name == "moe"       ? 'E'
         : name == "mlp"       ? '-'
                               : '?';
}

/// 'M' Mamba, '*' attention, '-' FFN, 'E' experts; or the words of `layers_block_type`.
std::vector<char> read_pattern(HfConfig& c, FieldNames text, FieldNames words) {
  std::vector<char> out;
  if (const std::string pattern = c.text(text); !pattern.empty()) {
    out.assign(pattern.begin(), pattern.end());
  } else if (const auto names = c.words(words)) {
    std::transform(names->begin(), names->end(), std::back_inserter(out), block_letter);
  }
  constexpr std::size_t kMost = 10'000;
  const bool sound = std::all_of(out.begin(), out.end(), [](char kind) {
    return kind == 'M' || kind == '*' || kind == '-' || kind == 'E';
  });
  if (!sound || out.size() > kMost) {
    c.wrong(*(c.has(text) ? c.find(text) : c.find(words)),
            "the pattern of blocks knows M (mamba), * (attention), - (mlp) and E (moe) only");
    out.clear();
  }
  return out;
}

MoeMlp read_nemotron_moe(HfConfig& c) {
  MoeMlp f;
  f.experts = c.need({"n_routed_experts"});
  f.top_k = std::min(c.need({"num_experts_per_tok"}), f.experts);
  f.width = c.need({"moe_intermediate_size"});
  f.shared_width =
      c.may({"n_shared_experts"}, 0) > 0 ? c.need({"moe_shared_expert_intermediate_size"}) : 0;
  f.gated = false;
  f.router_bias = true;
  f.latent = c.may({"moe_latent_size"}, 0);
  return f;
}

LayerKind nemotron_layer(const NemotronBlocks& blocks, char kind) {
  LayerKind layer;
  layer.norms = 1;
  layer.attention = NoAttention{};
  layer.mlp = NoMlp{};
  if (kind == 'M') {
    layer.attention = *blocks.mamba;
  } else if (kind == '*') {
    layer.attention = blocks.attention;
  } else {
    layer.mlp = kind == 'E' ? blocks.moe : blocks.dense;
  }
  return layer;
}

}  // namespace

void build_nemotron_h(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  const auto pattern = read_pattern(c, {"hybrid_override_pattern"}, {"layers_block_type"});
  if (pattern.empty()) {
    c.missing({"hybrid_override_pattern", "layers_block_type"});
    return;
  }
  const auto has = [&pattern](char kind) {
    return std::find(pattern.begin(), pattern.end(), kind) != pattern.end();
  };
  c.refuse_flag("use_bias", "a bias to the projections of the mixers");
  c.refuse_flag("mlp_bias", "a bias to the projections of the FFN");
  need_head_size(c);
  NemotronBlocks blocks;
  blocks.attention = read_heads(c);
  blocks.attention.qkv_bias = c.flag({"attention_bias"}, false);
  blocks.attention.output_bias = blocks.attention.qkv_bias;
  blocks.dense = NoMlp{};
  blocks.moe = NoMlp{};
  if (has('M')) {
    blocks.mamba = read_mamba2(c);
  }
  if (has('-')) {
    blocks.dense = DenseMlp{.width = c.need({"intermediate_size"}), .gated = false};
  }
  if (has('E')) {
    blocks.moe = read_nemotron_moe(c);
  }
  for (const char kind : pattern) {
    d.layers.push_back(nemotron_layer(blocks, kind));
  }
  const auto mtp = read_pattern(c, {"mtp_hybrid_override_pattern"}, {"mtp_layers_block_type"});
  const Count count = c.may({"num_nextn_predict_layers"}, 0);
  if (count > 0 && mtp == std::vector<char>{'*', 'E'} && has('E')) {
    // One attention block and one block of experts make an MTP module.
    d.mtp = LayerKind{};
    d.mtp->attention = blocks.attention;
    d.mtp->mlp = blocks.moe;
    d.mtp->count = count;
  } else if (count > 0) {
    d.notes.emplace_back("MTP layers of an unknown pattern are left out");
  }
  d.names.attention = "mixer";
  d.names.mlp = "mixer";
  d.names.experts = "mixer.experts";
  d.names.shared = "mixer.shared_experts";
  d.names.mtp = ModuleNames::Mtp::MtpLayers;
}

void build_minimax_m1(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  const GroupedAttention a = read_heads(c);
  const LightningAttention m{a.heads, a.head};
  const Count layers = layer_count_of(c);
  const auto types = c.need_numbers({"attn_type_list"}, layers);
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
