#include "model/llm/hf_draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {

namespace {

constexpr std::string_view kProjectionBias = "a bias to the projections of the mixer";

}  // namespace

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
  const auto types =
      c.need_choices({"layer_types", "layers_block_type"}, layers, {"mamba", "attention"});
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
  c.check_layer_count(static_cast<Count>(pattern.size()));
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

}  // namespace fathom::model
