#pragma once

#include "hardware/base/json_reader.h"
#include "model/llm/import_hf_config.h"
#include "model/llm/parameter_count.h"
#include "tests/support/catch.h"

#include <optional>
#include <string>

namespace fathom::test {

/// Three layers of 384 attention, 384 FFN and 16 norm; two tables of 256; a final norm of 8.
inline constexpr const char* kHfDense =
    R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 3,
"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "intermediate_size": 16,
"vocab_size": 32, "tie_word_embeddings": false, "max_position_embeddings": 1000,
"torch_dtype": "bfloat16"})";
inline constexpr model::Count kHfDenseTotal = 3 * (384 + 384 + 16) + 512 + 8;

/// The same with four experts of 3 x 8 x 8 = 192, a router of 32 and head norms of 8 a layer.
inline constexpr const char* kHfMoe =
    R"({"model_type": "qwen3_moe", "hidden_size": 8, "num_hidden_layers": 3,
"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "intermediate_size": 16,
"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8, "vocab_size": 32,
"tie_word_embeddings": false, "max_position_embeddings": 1000, "torch_dtype": "bfloat16"})";
inline constexpr model::Count kHfMoeTotal = 3 * (384 + 8 + 32 + 4 * 192 + 16) + 512 + 8;

/// Latent attention of 426 a layer (q 32 + 4 + 80, kv 64 + 6 + 144, o 96); a dense layer of 384,
/// then two of four experts of 192, a shared one, a router of 32 and 4 correction terms.
inline constexpr const char* kHfLatent =
    R"({"model_type": "deepseek_v3", "hidden_size": 8, "num_hidden_layers": 3,
"num_attention_heads": 4, "num_key_value_heads": 4, "q_lora_rank": 4, "kv_lora_rank": 6,
"qk_nope_head_dim": 3, "qk_rope_head_dim": 2, "v_head_dim": 3, "intermediate_size": 16,
"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 8,
"first_k_dense_replace": 1, "moe_layer_freq": 1, "topk_method": "noaux_tc", "vocab_size": 32,
"tie_word_embeddings": false, "max_position_embeddings": 1000, "torch_dtype": "bfloat16"})";
inline constexpr model::Count kHfLatentAttention = 426;
inline constexpr model::Count kHfLatentExperts = 32 + 4 + 4 * 192 + 192;
inline constexpr model::Count kHfLatentTotal =
    3 * (kHfLatentAttention + 16) + 384 + 2 * kHfLatentExperts + 512 + 8;

/// A config with a field set; an existing scalar is replaced, a new one stands first.
inline std::string with(std::string config, const std::string& field, const std::string& value) {
  const std::string key = '"' + field + "\": ";
  const std::size_t at = config.find(key);
  if (at == std::string::npos) {
    return config.insert(1, key + value + ", ");
  }
  const std::size_t from = at + key.size();
  return config.replace(from, config.find_first_of(",}", from) - from, value);
}

/// A config without a field that has a scalar.
inline std::string without(std::string config, const std::string& field) {
  const std::size_t at = config.find('"' + field + "\": ");
  REQUIRE(at != std::string::npos);
  return config.erase(at, config.find(',', at) + 1 - at);
}

inline std::optional<model::ImportedModel> import_text(const std::string& config,
                                                       hardware::Diagnostics& diagnostics,
                                                       const std::string& beside = {}) {
  const auto root = hardware::read_json_text(config, "config.json", diagnostics);
  const auto file = beside.empty()
                        ? std::optional<hardware::SpecNode>()
                        : hardware::read_json_text(beside, "hf_quant_config.json", diagnostics);
  INFO(render(diagnostics));
  REQUIRE(root);
  return model::import_hf_config(*root, {.hf_quant_config = file ? &*file : nullptr}, diagnostics);
}

/// What a sound config gives; the test fails with the importer's text where it gives nothing.
inline model::ImportedModel imported(const std::string& config, const std::string& beside = {}) {
  hardware::Diagnostics diagnostics;
  auto out = import_text(config, diagnostics, beside);
  INFO(render(diagnostics));
  REQUIRE(out);
  return *std::move(out);
}

inline model::Census census_of(const std::string& config) {
  return model::take_census(imported(config).spec);
}

/// The whole text with which a config is refused.
inline std::string refusal(const std::string& config) {
  hardware::Diagnostics diagnostics;
  CHECK_FALSE(import_text(config, diagnostics));
  return render(diagnostics);
}

/// Cache bytes of one token in BF16, index keys apart.
inline double kv_of(const std::string& config) {
  return model::kv_bytes_per_token(imported(config).spec, model::Format::Bf16).cache.base();
}

inline double kv_beyond(const std::string& config) {
  return model::kv_bytes_beyond_windows(imported(config).spec, model::Format::Bf16).base();
}

}  // namespace fathom::test
