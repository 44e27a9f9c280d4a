#include "hardware/base/unit_text.h"
#include "model/llm/hf_draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {
namespace {

constexpr auto kHeadNorm = GroupedAttention::QkNorm::Head;
constexpr std::string_view kBias = "a bias to the projections of the attention";

/// One kind of layer for the whole model: attention as given, a gated FFN of `intermediate_size`.
LayerKind plain_layer(HfConfig& c, const GroupedAttention& attention) {
  LayerKind layer;
  layer.attention = attention;
  layer.mlp = DenseMlp{.width = c.need({"intermediate_size"}), .gated = true};
  return layer;
}

/// `layer_types` where the file has them, else every `pattern`-th layer is full.
std::vector<bool> full_layers(HfConfig& c, Count layers, Count pattern) {
  std::vector<bool> full(static_cast<std::size_t>(layers), false);
  if (c.has({"layer_types"})) {
    const auto words = c.need_words({"layer_types"}, layers);
    for (std::size_t i = 0; i < full.size(); ++i) {
      full[i] = words.at(i) == "full_attention";
    }
    return full;
  }
  for (std::size_t i = 0; i < full.size(); ++i) {
    full[i] = pattern > 0 && (static_cast<Count>(i) + 1) % pattern == 0;
  }
  return full;
}

/// Layers whose attention is `full` or the same with a window.
void add_windowed(HfDraft& d, const LayerKind& layer, const std::vector<bool>& full, Count window) {
  for (const bool is_full : full) {
    LayerKind one = layer;
    std::get<GroupedAttention>(one.attention).window = is_full ? 0 : window;
    d.layers.push_back(one);
  }
}

}  // namespace

void build_llama(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c, true);
  a.qkv_bias = c.flag({"attention_bias"}, false);
  a.output_bias = a.qkv_bias;
  LayerKind layer = plain_layer(c, a);
  std::get<DenseMlp>(layer.mlp).bias = c.flag({"mlp_bias"}, false);
  repeat(d, layer_count_of(c), layer);
}

void build_mistral(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  a.window = read_window(c);
  repeat(d, layer_count_of(c), plain_layer(c, a));
}

namespace {

/// Qwen's windows: off unless `use_sliding_window`; then the first `max_window_layers` are full.
void add_qwen_layers(HfConfig& c, HfDraft& d, const GroupedAttention& a) {
  const Count layers = layer_count_of(c);
  const LayerKind layer = plain_layer(c, a);
  if (!c.flag({"use_sliding_window"}, false)) {
    repeat(d, layers, layer);
    return;
  }
  const Count windowless = c.need({"max_window_layers"});
  std::vector<bool> full(static_cast<std::size_t>(layers), false);
  std::fill_n(full.begin(), std::min(windowless, layers), true);
  add_windowed(d, layer, full, c.need({"sliding_window"}));
}

}  // namespace

void build_qwen2(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  a.qkv_bias = true;
  add_qwen_layers(c, d, a);
}

void build_qwen3(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  need_head_size(c);
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.flag({"attention_bias"}, false);
  a.output_bias = a.qkv_bias;
  a.qk_norm = kHeadNorm;
  add_qwen_layers(c, d, a);
}

void build_mimo(HfConfig& c, HfDraft& d) {
  build_qwen2(c, d);
  const Count mtp = c.may({"num_nextn_predict_layers"}, 0);
  if (mtp > 0 && !d.layers.empty()) {
    d.mtp = d.layers.back();
    d.mtp->count = mtp;
    d.names.mtp = ModuleNames::Mtp::MtpLayers;
  }
}

void build_phi3(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a = read_heads(c);
  a.window = read_window(c);
  repeat(d, layer_count_of(c), plain_layer(c, a));
}

void build_gemma(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  need_head_size(c);
  c.refuse_flag("attention_bias", kBias);
  repeat(d, layer_count_of(c), plain_layer(c, read_heads(c)));
}

void build_gemma2(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  need_head_size(c);
  c.refuse_flag("attention_bias", kBias);
  LayerKind layer = plain_layer(c, read_heads(c));
  layer.norms = 4;
  const Count window = c.need({"sliding_window"});
  add_windowed(d, layer, full_layers(c, layer_count_of(c), 2), window);
}

void build_gemma3(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  need_head_size(c);
  c.refuse_flag("attention_bias", kBias);
  GroupedAttention a = read_heads(c);
  a.qk_norm = kHeadNorm;
  LayerKind layer = plain_layer(c, a);
  layer.norms = 4;
  const Count window = c.need({"sliding_window"});
  const Count pattern =
      c.has({"layer_types"}) ? 1 : c.need({"sliding_window_pattern", "_sliding_window_pattern"});
  add_windowed(d, layer, full_layers(c, layer_count_of(c), pattern), window);
}

void build_cohere(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  c.refuse_flag("attention_bias", kBias);
  GroupedAttention a = read_heads(c);
  if (c.flag({"use_qk_norm"}, false)) {
    a.qk_norm = GroupedAttention::QkNorm::Full;
  }
  LayerKind layer = plain_layer(c, a);
  layer.norms = 1;
  layer.parallel = true;
  const Count layers = layer_count_of(c);
  if (c.has({"sliding_window_pattern"}) || c.has({"layer_types"})) {
    const Count window = c.need({"sliding_window"});
    add_windowed(d, layer, full_layers(c, layers, c.may({"sliding_window_pattern"}, 1)), window);
  } else {
    repeat(d, layers, layer);
  }
}

void build_falcon(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  // The files of the first release do not name their form: only the new one counts KV heads.
  const bool new_form = c.flag({"new_decoder_architecture"}, c.has({"n_head_kv"}));
  GroupedAttention a;
  a.heads = c.need({"num_attention_heads", "n_head"});
  const bool one_kv_head = !new_form && c.flag({"multi_query"}, true);
  a.kv_heads = one_kv_head ? 1 : c.may({"num_kv_heads", "n_head_kv"}, a.heads);
  a.head = std::max<Count>(1, d.hidden / a.heads);
  a.value_head = a.head;
  a.qkv_bias = c.flag({"bias"}, false);
  a.output_bias = a.qkv_bias;
  LayerKind layer;
  layer.attention = a;
  constexpr Count kFfnFactor = 4;
  layer.mlp = DenseMlp{.width = c.may({"ffn_hidden_size"}, kFfnFactor * d.hidden),
                       .gated = false,
                       .bias = a.qkv_bias};
  layer.parallel = c.flag({"parallel_attn"}, true);
  const Count parallel_norms = c.may({"num_ln_in_parallel_attn"}, new_form ? 2 : 1);
  layer.norms = layer.parallel ? parallel_norms : 2;
  layer.norm_bias = true;
  d.names.attention = "self_attention";
  repeat(d, layer_count_of(c), layer);
}

namespace {

/// One entry of `block_configs`: attention that may be absent, an FFN of a factor of 2/3 hidden.
void add_nas_block(HfConfig& c, HfDraft& d, const hardware::SpecNode& block, GroupedAttention a) {
  HfConfig whole(block, block, c.diagnostics());
  HfConfig attention = whole.inside({"attention"});
  HfConfig ffn = whole.inside({"ffn"});
  if (attention.flag({"replace_with_linear"}, false) || ffn.flag({"replace_with_linear"}, false)) {
    c.wrong(block, "a block that is replaced by a linear layer is not known here",
            "describe the model in YAML");
    return;
  }
  LayerKind layer;
  layer.norms = 0;
  layer.attention = NoAttention{};
  layer.mlp = NoMlp{};
  if (!attention.flag({"no_op"}, false)) {
    const Count group = attention.need({"n_heads_in_group"});
    a.kv_heads = std::max<Count>(1, a.heads / group);
    layer.attention = a;
    ++layer.norms;
  }
  if (!ffn.flag({"no_op"}, false)) {
    const hardware::SpecNode* factor = ffn.find({"ffn_mult"});
    const double mult = factor == nullptr ? 0 : hardware::parse_number(factor->text).value_or(0);
    if (!(mult > 0 && mult < 100)) {
      ffn.missing({"ffn_mult"});
      return;
    }
    constexpr Count kTile = 256;
    const auto width = static_cast<Count>(2 * mult * static_cast<double>(d.hidden) / 3);
    layer.mlp = DenseMlp{.width = (width + kTile - 1) / kTile * kTile, .gated = true};
    ++layer.norms;
  }
  d.layers.push_back(layer);
}

}  // namespace

void build_nemotron_nas(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  GroupedAttention a;
  a.heads = c.need({"num_attention_heads"});
  a.head = c.may({"head_dim"}, std::max<Count>(1, d.hidden / a.heads));
  a.value_head = a.head;
  const hardware::SpecNode* blocks = c.find({"block_configs"});
  if (blocks == nullptr || blocks->kind != hardware::SpecNode::Kind::List) {
    c.missing({"block_configs"});
    return;
  }
  constexpr std::size_t kMostBlocks = 10'000;
  if (blocks->items.size() > kMostBlocks) {
    c.wrong(*blocks, fmt::format("{} layers exceed {}", blocks->items.size(), kMostBlocks));
    return;
  }
  for (const hardware::SpecNode& block : blocks->items) {
    add_nas_block(c, d, block, a);
  }
}

namespace {

/// What the layers of a Gemma-4 share.
struct Gemma4 {
  GroupedAttention window;
  GroupedAttention full;
  LayerKind layer;
  DenseMlp mlp;
  Count layers = 0;
  Count shared_from = 0;  ///< layers from here on reuse an earlier cache
  bool wide_when_shared = false;
};

Gemma4 read_gemma4(HfConfig& c, HfDraft& d) {
  Gemma4 g;
  need_head_size(c);
  c.refuse_flag("attention_bias", kBias);
  g.window = read_heads(c);
  g.window.qk_norm = kHeadNorm;
  g.full = g.window;
  g.full.head = c.need({"global_head_dim"});
  g.full.value_head = g.full.head;
  if (c.need_flag({"attention_k_eq_v"})) {
    g.full.kv_heads = c.may({"num_global_key_value_heads"}, g.full.kv_heads);
    g.full.value_is_key = true;
  }
  g.window.window = c.need({"sliding_window"});
  g.layer.norms = 4;
  g.layer.scalar = true;
  g.mlp = DenseMlp{.width = c.need({"intermediate_size"}), .gated = true};
  g.layer.mlp = g.mlp;
  if (c.flag({"enable_moe_block"}, false)) {
    g.layer.norms = 7;
    g.layer.mlp = MoeMlp{.experts = c.need({"num_experts"}),
                         .top_k = c.need({"top_k_experts"}),
                         .width = c.need({"moe_intermediate_size", "expert_intermediate_size"}),
                         .shared_width = g.mlp.width,
                         .scales = true};
  }
  g.layers = layer_count_of(c);
  g.shared_from = g.layers - std::min(g.layers, c.may({"num_kv_shared_layers"}, 0));
  g.wide_when_shared = c.flag({"use_double_wide_mlp"}, false);
  const Count width = c.may({"hidden_size_per_layer_input"}, 0);
  if (width > 0) {
    d.per_layer_embedding = PerLayerEmbedding{c.need({"vocab_size_per_layer_input"}), width};
    g.layer.per_layer_width = width;
    ++g.layer.norms;
  }
  return g;
}

}  // namespace

void build_gemma4(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  const Gemma4 g = read_gemma4(c, d);
  const auto types = c.need_words({"layer_types"}, g.layers);
  for (Count i = 0; i < g.layers; ++i) {
    LayerKind layer = g.layer;
    GroupedAttention a =
        types.at(static_cast<std::size_t>(i)) == "full_attention" ? g.full : g.window;
    a.shared_kv = i >= g.shared_from;
    layer.attention = a;
    if (a.shared_kv && g.wide_when_shared) {
      layer.mlp = DenseMlp{.width = 2 * g.mlp.width, .gated = true};
    }
    d.layers.push_back(layer);
  }
  d.names.experts = "experts";
  d.names.shared = "mlp";
}

}  // namespace fathom::model
