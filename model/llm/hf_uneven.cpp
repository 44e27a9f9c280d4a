#include "hardware/base/unit_text.h"
#include "model/llm/hf_draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {

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
  if (blocks == nullptr || blocks->kind != hardware::SpecNode::Kind::List ||
      blocks->items.empty()) {
    c.missing({"block_configs"});
    return;
  }
  c.check_layer_count(static_cast<Count>(blocks->items.size()));
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
  c.refuse_flag("attention_bias", "a bias to the projections of the attention");
  g.window = read_heads(c);
  g.window.qk_norm = GroupedAttention::QkNorm::Head;
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
  const auto types =
      c.need_choices({"layer_types"}, g.layers, {"full_attention", "sliding_attention"});
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
