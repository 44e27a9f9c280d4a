#include "model/llm/hf_draft.h"

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
    const auto words =
        c.need_choices({"layer_types"}, layers, {"full_attention", "sliding_attention"});
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

}  // namespace fathom::model
