#include "model/llm/hf_draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {
namespace {

LayerKind gated_layer(HfConfig& c, const GroupedAttention& attention) {
  LayerKind layer;
  layer.attention = attention;
  layer.mlp = DenseMlp{.width = c.need({"intermediate_size"}), .gated = true};
  return layer;
}

}  // namespace

/// InternLM 2 and 3. Count checked: InternLM2-7B has 7,737,708,544 parameters.
void build_internlm(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  c.refuse_flag("bias", "biases to projections, of which the versions differ");
  GroupedAttention a = read_heads(c, true);
  a.qkv_bias = c.flag({"qkv_bias"}, false);
  repeat(d, layer_count_of(c), gated_layer(c, a));
}

/// Seed-OSS: the bias of the output projection has a flag of its own. Count checked:
/// Seed-OSS-36B has 36,151,104,512 parameters.
void build_seed_oss(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  need_head_size(c);
  c.refuse_flag("mlp_bias", "a bias to the projections of the FFN");
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.need_flag({"attention_bias"});
  a.output_bias = c.need_flag({"attention_out_bias"});
  repeat(d, layer_count_of(c), gated_layer(c, a));
}

/// SmolLM3: Llama whose embeddings are tied unless the file says otherwise. Count checked:
/// SmolLM3-3B has 3,075,098,624 parameters.
void build_smollm3(HfConfig& c, HfDraft& d) {
  read_outer(c, d, true);
  c.refuse_flag("use_sliding_window", "windows to some layers");
  c.refuse_flag("attention_bias", "a bias to the projections of the attention");
  c.refuse_flag("mlp_bias", "a bias to the projections of the FFN");
  repeat(d, layer_count_of(c), gated_layer(c, read_heads(c)));
}

/// GLM-4 dense. `glm4` norms the outputs of attention and FFN too. Counts checked: GLM-4-9B has
/// 9,399,951,360 parameters, GLM-4-9B-0414 9,400,279,040.
void build_glm4(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  need_head_size(c);
  GroupedAttention a = read_heads(c);
  a.qkv_bias = c.need_flag({"attention_bias"});
  LayerKind layer = gated_layer(c, a);
  layer.norms = c.type() == "glm4" ? 4 : 2;
  repeat(d, layer_count_of(c), layer);
}

/// ChatGLM, the first form of GLM-4-9B, under names of its own. Its checkpoint also holds a table
/// of 32 rotation frequencies, which is no parameter.
void build_chatglm(HfConfig& c, HfDraft& d) {
  d.hidden = c.need({"hidden_size"});
  d.vocabulary = c.need({"padded_vocab_size"});
  d.tied = c.flag({"tie_word_embeddings"}, false);
  d.names.attention = "self_attention";
  c.refuse_flag("add_bias_linear", "a bias to every projection");
  c.refuse_flag("apply_residual_connection_post_layernorm", "another order of the norms");
  GroupedAttention a;
  a.heads = c.need({"num_attention_heads"});
  a.kv_heads =
      c.flag({"multi_query_attention"}, false) ? c.need({"multi_query_group_num"}) : a.heads;
  if (a.heads % a.kv_heads != 0) {
    c.wrong(*c.find({"multi_query_group_num"}),
            fmt::format("{} query heads do not divide into {} KV heads", a.heads, a.kv_heads));
    a.kv_heads = a.heads;
  }
  a.head = c.need({"kv_channels"});
  a.value_head = a.head;
  a.qkv_bias = c.need_flag({"add_qkv_bias"});
  LayerKind layer;
  layer.attention = a;
  layer.mlp = DenseMlp{.width = c.need({"ffn_hidden_size"}), .gated = true};
  repeat(d, layer_count_of(c), layer);
}

namespace {

/// OLMo-3 alternates windows by `layer_types`; what came before sees everything.
void add_olmo_layers(HfConfig& c, HfDraft& d, LayerKind layer, GroupedAttention a) {
  const Count layers = layer_count_of(c);
  if (c.type() != "olmo3") {
    layer.attention = a;
    repeat(d, layers, layer);
    return;
  }
  const Count window = c.need({"sliding_window"});
  for (const std::string& type :
       c.need_choices({"layer_types"}, layers, {"full_attention", "sliding_attention"})) {
    a.window = type == "sliding_attention" ? window : 0;
    layer.attention = a;
    d.layers.push_back(layer);
  }
}

}  // namespace

/// OLMo-2 and 3 (norms of outputs) and OLMoE, all with norms over all heads of query and key.
/// Counts checked: OLMo-2-13B has 13,716,198,400 parameters, OLMo-3-7B 7,298,011,136, OLMoE-1B-7B
/// 6,919,161,856.
void build_olmo(HfConfig& c, HfDraft& d) {
  read_outer(c, d, false);
  c.refuse_flag("attention_bias", "a bias to the projections of the attention");
  GroupedAttention a = read_heads(c, true);
  a.qk_norm = GroupedAttention::QkNorm::Full;
  LayerKind layer;
  const Count width = c.need({"intermediate_size"});
  layer.mlp = DenseMlp{.width = width, .gated = true};
  if (c.type() == "olmoe") {
    MoeMlp f;
    f.experts = c.need({"num_experts"});
    f.top_k = std::min(c.need({"num_experts_per_tok"}), f.experts);
    f.width = width;
    layer.mlp = f;
  }
  add_olmo_layers(c, d, layer, a);
}

}  // namespace fathom::model
