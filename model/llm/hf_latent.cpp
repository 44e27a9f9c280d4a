#include "model/llm/hf_draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {
namespace {

LatentAttention read_latent(HfConfig& c) {
  LatentAttention a;
  a.heads = c.need({"num_attention_heads", "n_heads"});
  a.query_rank = c.may({"q_lora_rank"}, 0);  // null: the query is projected directly
  a.latent_rank = c.need({"kv_lora_rank"});
  a.nope_head = c.need({"qk_nope_head_dim"});
  a.rope_head = c.need({"qk_rope_head_dim"});
  a.value_head = c.need({"v_head_dim"});
  return a;
}

std::optional<Indexer> read_indexer(HfConfig& c) {
  if (!c.has({"index_topk", "index_n_heads"})) {
    return std::nullopt;
  }
  return Indexer{.heads = c.need({"index_n_heads"}),
                 .head = c.need({"index_head_dim"}),
                 .top_k = c.need({"index_topk"})};
}

MoeMlp read_experts(HfConfig& c) {
  MoeMlp f;
  f.experts = c.need({"n_routed_experts", "num_experts", "num_local_experts"});
  f.top_k = std::min(c.need({"num_experts_per_tok", "num_experts_per_token"}), f.experts);
  f.width = c.need({"moe_intermediate_size"});
  f.shared_width = c.may({"n_shared_experts", "num_shared_experts"}, 0) * f.width;
  return f;
}

/// `mlp_layer_types` where the file lists the layers by name.
std::vector<bool> listed_moe_layers(HfConfig& c, Count layers) {
  std::vector<bool> out;
  for (const std::string& type : c.need_words({"mlp_layer_types"}, layers)) {
    if (type != "sparse" && type != "dense") {
      c.wrong(*c.find({"mlp_layer_types"}), fmt::format("'{}' is neither sparse nor dense", type));
      break;
    }
    out.push_back(type == "sparse");
  }
  out.resize(static_cast<std::size_t>(layers), false);
  return out;
}

/// `mlp_layer_types`, else `first_k_dense_replace` and `moe_layer_freq` (a step, or a list with one
/// entry a layer).
std::vector<bool> moe_layers(HfConfig& c, Count layers) {
  if (c.has({"mlp_layer_types"})) {
    return listed_moe_layers(c, layers);
  }
  const Count first = need_dense_start(c);
  const hardware::SpecNode* freq = c.find({"moe_layer_freq"});
  const bool list = freq != nullptr && freq->kind == hardware::SpecNode::Kind::List;
  const auto entries = list ? c.need_marks({"moe_layer_freq"}, layers) : std::vector<Count>();
  const Count step = list ? 1 : std::max<Count>(1, c.may({"moe_layer_freq"}, 1));
  std::vector<bool> out;
  for (Count i = 0; i < layers; ++i) {
    const bool listed = !list || entries.at(static_cast<std::size_t>(i)) == 1;
    out.push_back(i >= first && i % step == 0 && listed);
  }
  return out;
}

/// Layers that reuse the picks of an earlier one have no indexer of their own: by name, or all but
/// every `index_topk_freq`-th from `index_skip_topk_offset` - 1 on.
std::vector<bool> picks_shared(HfConfig& c, Count layers) {
  std::vector<bool> out(static_cast<std::size_t>(layers), false);
  if (c.has({"indexer_types"})) {
    const auto types = c.need_choices({"indexer_types"}, layers, {"full", "shared"});
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = types.at(i) == "shared";
    }
    return out;
  }
  if (c.has({"index_topk_pattern"})) {
    c.wrong(*c.find({"index_topk_pattern"}), "'index_topk_pattern' is not read here",
            "add 'indexer_types' with full or shared for each layer");
  }
  const Count step = std::max<Count>(1, c.may({"index_topk_freq"}, 1));
  const Count offset = step > 1 ? c.may({"index_skip_topk_offset"}, 1) : 1;
  for (Count i = 0; i < layers; ++i) {
    out[static_cast<std::size_t>(i)] = std::max<Count>(0, i - offset + 1) % step != 0;
  }
  return out;
}

bool has_correction_bias(HfConfig& c) {
  const std::string method = c.text({"topk_method"});
  // DeepSeek-V2 routes greedily; what came after it corrects with a bias.
  return method.empty() ? c.type() != "deepseek_v2" : method == "noaux_tc";
}

void add_mtp(HfConfig& c, HfDraft& d, const LatentAttention& a, const MoeMlp& f) {
  const Count mtp = c.may({"num_nextn_predict_layers"}, 0);
  if (mtp == 0) {
    return;
  }
  d.mtp = LayerKind{};
  d.mtp->attention = a;
  d.mtp->mlp = f;
  d.mtp->count = mtp;
  // DeepSeek stores copies of embedding and head in the MTP layer, GLM does not.
  d.mtp_shared_embedding = !c.type().starts_with("deepseek");
}

}  // namespace

void build_deepseek(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  c.refuse_flag("attention_bias", "a bias to some projections of the attention");
  LatentAttention a = read_latent(c);
  a.indexer = read_indexer(c);
  MoeMlp f = read_experts(c);
  f.router_bias = has_correction_bias(c);
  const Mlp dense = DenseMlp{.width = c.need({"intermediate_size"})};
  const Count layers = layer_count_of(c);
  const auto moe = moe_layers(c, layers);
  const auto shared = picks_shared(c, layers);
  for (Count i = 0; i < layers; ++i) {
    LayerKind layer;
    LatentAttention own = a;
    if (own.indexer) {
      own.indexer->shared = shared.at(static_cast<std::size_t>(i));
    }
    layer.attention = own;
    layer.mlp = moe.at(static_cast<std::size_t>(i)) ? Mlp(f) : dense;
    d.layers.push_back(layer);
  }
  add_mtp(c, d, a, f);
  if (c.has({"num_key_value_heads"})) {
    d.notes.emplace_back(
        "num_key_value_heads is not used: the latent cache is one row for all heads");
  }
}

void build_mistral_native(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  const Count layers = layer_count_of(c);
  const Mlp dense = DenseMlp{.width = c.need({"hidden_dim"})};
  LayerKind layer;
  if (c.has({"kv_lora_rank"})) {
    layer.attention = read_latent(c);
  } else {
    GroupedAttention a = read_heads(c);
    a.window = read_window(c);
    layer.attention = a;
  }
  d.names = {.attention = "attention",
             .mlp = "feed_forward",
             .experts = "experts",
             .shared = "shared_experts"};
  if (!c.has({"moe"})) {
    layer.mlp = dense;
    repeat(d, layers, layer);
    return;
  }
  HfConfig moe = c.inside({"moe"});
  MoeMlp f;
  f.experts = moe.need({"num_experts"});
  f.top_k = std::min(moe.need({"num_experts_per_tok"}), f.experts);
  f.width = moe.need({"expert_hidden_dim"});
  f.shared_width = moe.may({"num_shared_experts"}, 0) * f.width;
  const Count first = moe.may({"first_k_dense_replace"}, 0);
  for (Count i = 0; i < layers; ++i) {
    layer.mlp = i >= first ? Mlp(f) : dense;
    d.layers.push_back(layer);
  }
}

void build_longcat(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  MoeMlp f;
  f.experts = c.need({"n_routed_experts"});
  f.top_k = c.need({"moe_topk"});
  f.width = c.need({"expert_ffn_hidden_size"});
  f.zero_experts = c.need({"zero_expert_num"});
  f.router_bias = true;
  const Count dense = c.need({"ffn_hidden_size"});
  f.shared_width = dense;  // the dense FFN that runs beside the experts
  LayerKind first;
  first.attention = read_latent(c);
  first.mlp = f;
  LayerKind second = first;
  second.mlp = DenseMlp{.width = dense};
  // A layer of the file holds two attention blocks, two dense FFNs and one set of experts.
  const Count layers = c.need({"num_layers"});
  for (Count i = 0; i < std::min<Count>(layers, 5'000); ++i) {
    d.layers.push_back(first);
    d.layers.push_back(second);
  }
  d.fixed.emplace_back(Role::Router, Format::Fp32);
  d.notes.emplace_back(fmt::format(
      "{} of {} router choices cost nothing: of {} picks {:.1f} are real on average; the active "
      "parameters count all {}",
      f.zero_experts, f.experts + f.zero_experts, f.top_k,
      static_cast<double>(f.top_k * f.experts) / static_cast<double>(f.experts + f.zero_experts),
      f.top_k));
}

namespace {

constexpr Count kPickedRatio = 4;  // layers with this ratio pick among their entries

CompressedAttention read_compressed(HfConfig& c) {
  CompressedAttention a;
  a.heads = c.need({"num_attention_heads"});
  a.query_rank = c.need({"q_lora_rank"});
  a.head = c.need({"head_dim"});
  a.rope_head = c.need({"qk_rope_head_dim"});
  a.window = c.need({"sliding_window"});
  a.output_groups = c.need({"o_groups"});
  a.output_rank = c.need({"o_lora_rank"});
  if (a.heads * a.head % a.output_groups != 0) {
    c.wrong(*c.find({"o_groups"}), fmt::format("{} heads of {} do not divide into {} output groups",
                                               a.heads, a.head, a.output_groups));
    a.output_groups = 1;
  }
  return a;
}

/// What DeepSeek-V4 stores otherwise than its linear layers.
void fix_v4_formats(HfConfig& c, HfDraft& d) {
  d.fixed.emplace_back(Role::Sinks, Format::Fp32);
  d.fixed.emplace_back(Role::IndexKey, Format::Bf16);  // the indexer's compressor
  d.e8m0_scales = true;
  if (c.text({"expert_dtype"}) == "fp4") {
    for (const Role role : {Role::ExpertUp, Role::ExpertDown}) {
      d.fixed.emplace_back(role, Format::Mxfp4);
    }
  }
  d.names.attention = "attn";
  d.names.mlp = "ffn";
  d.names.experts = "ffn.experts";
  d.names.shared = "ffn.shared_experts";
  d.names.mtp = ModuleNames::Mtp::Mtp;
}

}  // namespace

void build_deepseek_v4(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  CompressedAttention a = read_compressed(c);
  const auto indexer = read_indexer(c);
  MoeMlp f = read_experts(c);
  f.router_bias = true;
  LayerKind layer;
  layer.hyper_streams = c.need({"hc_mult"});
  const Count layers = layer_count_of(c);
  const Count hashed = c.may({"num_hash_layers"}, 0);
  const auto ratios = c.need_numbers({"compress_ratios"}, layers);
  for (Count i = 0; i < layers; ++i) {
    a.ratio = ratios.at(static_cast<std::size_t>(i));
    a.indexer = a.ratio == kPickedRatio ? indexer : std::nullopt;
    layer.attention = a;
    MoeMlp mlp = f;
    mlp.router_bias = i >= hashed;
    mlp.hash_tokens = i < hashed ? d.vocabulary : 0;
    layer.mlp = mlp;
    d.layers.push_back(layer);
  }
  const Count mtp = c.may({"num_nextn_predict_layers"}, 0);
  if (mtp > 0) {
    a.ratio = 0;
    a.indexer = std::nullopt;
    d.mtp = layer;
    d.mtp->attention = a;
    d.mtp->mlp = f;
    d.mtp->count = mtp;
  }
  fix_v4_formats(c, d);
}

}  // namespace fathom::model
