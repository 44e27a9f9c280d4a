#pragma once

#include "model/llm/hf_config.h"
#include "model/llm/model_spec.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::model {

/// Module names of a checkpoint, as the exclude lists of quantised ones use them. Paths are below
/// `layers.N.`
struct ModuleNames {
  std::string_view attention = "self_attn";
  std::string_view mlp = "mlp";
  std::string_view experts = "mlp.experts";
  std::string_view shared = "mlp.shared_experts";
  std::string_view mixer = "mixer";  ///< recurrent
  enum class Mtp : std::uint8_t { AfterLayers, Mtp, MtpLayers } mtp = Mtp::AfterLayers;
};

/// What a family builder makes of a config: one entry for each layer, formats not yet set.
struct HfDraft {
  Count hidden = 1;
  Count vocabulary = 1;
  bool tied = false;
  bool lm_head_bias = false;
  std::optional<PerLayerEmbedding> per_layer_embedding;
  std::vector<LayerKind> layers;
  std::optional<LayerKind> mtp;  ///< `count` says how many
  bool mtp_shared_embedding = true;
  ModuleNames names;
  std::vector<std::pair<Role, Format>> fixed;  ///< roles stored otherwise than their group
  bool e8m0_scales = false;                    ///< FP8 blocks have one-byte scales
  std::vector<std::string> notes;              ///< traps and assumptions, for people
};

using HfBuilder = void (*)(HfConfig& config, HfDraft& draft);

/// One architecture: the words of `model_type` that mean it and its builder.
struct HfFamily {
  std::string_view types;     ///< separated by spaces
  HfBuilder build = nullptr;  ///< null: known, and refused by name
  std::string_view fields;    ///< those that an architecture like it needs, for messages
};

/// All architectures; `hf_families.cpp` has the table.
const std::vector<HfFamily>& hf_families();

/// The `model_type` that a class name of `architectures` means; engines choose by it where
/// `model_type` says nothing. Empty where it is not known.
std::string_view type_of_class(std::string_view architecture);

/// Reads hidden size, vocabulary and tied embeddings. `tied` is what a missing field means for
/// the architecture; nothing = the field is needed.
void read_outer(HfConfig& config, HfDraft& draft, std::optional<bool> tied);

/// Number of layers.
Count layer_count_of(HfConfig& config);

/// Heads, KV heads (`num_key_value_heads`; equal to the heads where the architecture allows it to
/// be missing) and head size (`head_dim`, else hidden / heads).
GroupedAttention read_heads(HfConfig& config, bool kv_heads_may_miss = false);

/// An error where `head_dim` is missing. For architectures whose library default is a number of
/// its own, where hidden / heads would be a guess.
void need_head_size(HfConfig& config);

/// How many layers at the start are dense (`first_k_dense_replace`, 0 allowed): needed, for
/// libraries differ in what its absence means.
Count need_dense_start(HfConfig& config);

/// Which layers of a Qwen mixture have experts: `decoder_sparse_step`, less `mlp_only_layers`.
std::vector<bool> qwen_moe_layers(HfConfig& config, Count layers);

/// The sliding window; 0 where there is none, or where it is no shorter than the context.
Count read_window(HfConfig& config);

/// Experts, top-k and width of one expert by their field names; top-k beyond the experts is an
/// error.
MoeMlp read_moe(HfConfig& config, FieldNames experts, FieldNames top_k, FieldNames width);

/// `count` equal layers.
void repeat(HfDraft& draft, Count count, const LayerKind& layer);

// Builders, by family.
void build_llama(HfConfig& c, HfDraft& d);
void build_mistral(HfConfig& c, HfDraft& d);
void build_qwen2(HfConfig& c, HfDraft& d);
void build_qwen3(HfConfig& c, HfDraft& d);
void build_mimo(HfConfig& c, HfDraft& d);
void build_phi3(HfConfig& c, HfDraft& d);
void build_gemma(HfConfig& c, HfDraft& d);
void build_gemma2(HfConfig& c, HfDraft& d);
void build_gemma3(HfConfig& c, HfDraft& d);
void build_gemma4(HfConfig& c, HfDraft& d);
void build_cohere(HfConfig& c, HfDraft& d);
void build_falcon(HfConfig& c, HfDraft& d);
void build_nemotron_nas(HfConfig& c, HfDraft& d);
void build_internlm(HfConfig& c, HfDraft& d);
void build_seed_oss(HfConfig& c, HfDraft& d);
void build_smollm3(HfConfig& c, HfDraft& d);
void build_glm4(HfConfig& c, HfDraft& d);
void build_chatglm(HfConfig& c, HfDraft& d);
void build_olmo(HfConfig& c, HfDraft& d);
void build_mixtral(HfConfig& c, HfDraft& d);
void build_dbrx(HfConfig& c, HfDraft& d);
void build_grok(HfConfig& c, HfDraft& d);
void build_qwen_moe(HfConfig& c, HfDraft& d);
void build_phimoe(HfConfig& c, HfDraft& d);
void build_gpt_oss(HfConfig& c, HfDraft& d);
void build_hunyuan(HfConfig& c, HfDraft& d);
void build_ernie(HfConfig& c, HfDraft& d);
void build_glm4_moe(HfConfig& c, HfDraft& d);
void build_dots(HfConfig& c, HfDraft& d);
void build_llama4(HfConfig& c, HfDraft& d);
void build_step3(HfConfig& c, HfDraft& d);
void build_step35(HfConfig& c, HfDraft& d);
void build_granite_moe(HfConfig& c, HfDraft& d);
void build_mimo_v2(HfConfig& c, HfDraft& d);
void build_minimax_m1(HfConfig& c, HfDraft& d);
void build_minimax_m2(HfConfig& c, HfDraft& d);
void build_minimax_m3(HfConfig& c, HfDraft& d);
void build_deepseek(HfConfig& c, HfDraft& d);
void build_deepseek_v4(HfConfig& c, HfDraft& d);
void build_longcat(HfConfig& c, HfDraft& d);
void build_mistral_native(HfConfig& c, HfDraft& d);
void build_qwen_next(HfConfig& c, HfDraft& d);
void build_kimi_linear(HfConfig& c, HfDraft& d);
void build_jamba(HfConfig& c, HfDraft& d);
void build_bamba(HfConfig& c, HfDraft& d);
void build_granite_hybrid(HfConfig& c, HfDraft& d);
void build_nemotron_h(HfConfig& c, HfDraft& d);

}  // namespace fathom::model
