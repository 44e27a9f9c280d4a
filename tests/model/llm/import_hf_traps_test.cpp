#include "model/llm/import_hf_config.h"
#include "tests/support/hf_configs.h"

#include <algorithm>

// The traps of model-facts.md section 9, by its numbers, where an importer can fall into them.
// Others concern a step, an engine or a public listing: 8 to 10, 19, 22, 27's override and 29.

namespace fathom::model {
namespace {

using test::census_of;
using test::imported;
using test::kHfDense;
using test::kHfDenseTotal;
using test::kHfLatent;
using test::kHfLatentTotal;
using test::kHfMoe;
using test::kHfMoeTotal;
using test::kv_beyond;
using test::kv_of;
using test::with;
using test::without;

const GroupedAttention& attention_of(const ModelSpec& spec, std::size_t layer) {
  return std::get<GroupedAttention>(spec.layers.at(spec.layer_order().at(layer)).attention);
}

bool noted(const ImportedModel& model, const std::string& text) {
  return std::any_of(model.notes.begin(), model.notes.end(), [&text](const std::string& note) {
    return note.find(text) != std::string::npos;
  });
}

TEST_CASE("trap 1: head_dim beside a latent attention is not used") {
  CHECK(census_of(with(kHfLatent, "head_dim", "64")).total == kHfLatentTotal);
  CHECK(kv_of(with(kHfLatent, "head_dim", "64")) == kv_of(kHfLatent));
}

TEST_CASE("trap 2: num_key_value_heads beside a latent attention is not used, and said so") {
  const std::string other = with(kHfLatent, "num_key_value_heads", "1");
  CHECK(kv_of(other) == kv_of(kHfLatent));
  CHECK(noted(imported(other), "num_key_value_heads is not used"));
}

TEST_CASE("trap 3: intermediate_size is the expert width in some families, unused in others") {
  CHECK(census_of(with(kHfMoe, "intermediate_size", "999")).total == kHfMoeTotal);
  CHECK(census_of(without(kHfMoe, "intermediate_size")).total == kHfMoeTotal);
  // In Mixtral it is the width of an expert: 4 of 3 x 8 x 16, and no head norms.
  std::string mixtral = with(kHfMoe, "model_type", "\"mixtral\"");
  mixtral = with(mixtral, "num_local_experts", "4");
  CHECK(census_of(mixtral).total == 3 * (384 + 32 + 4 * 384 + 16) + 520);
}

TEST_CASE("trap 4: a missing size is refused where a library would guess it") {
  for (const char* field : {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
                            "intermediate_size"}) {
    CHECK_THAT(test::refusal(without(kHfDense, field)),
               ContainsSubstring(std::string("missing field '") + field + "'"));
  }
  CHECK_THAT(test::refusal(with(kHfDense, "vocab_size", "null")),
             ContainsSubstring("missing field 'vocab_size'"));
}

TEST_CASE("trap 5: a missing tie means tied for Gemma and Cohere, and untied for Llama") {
  const std::string silent = without(kHfDense, "tie_word_embeddings");
  CHECK_FALSE(imported(silent).spec.tied_embeddings);
  for (const char* type : {"\"gemma\"", "\"cohere\""}) {
    CHECK(imported(with(silent, "model_type", type)).spec.tied_embeddings);
  }
  CHECK_FALSE(imported(with(kHfDense, "model_type", "\"gemma\"")).spec.tied_embeddings);
}

TEST_CASE("trap 6: each convention of active parameters is given under its own name") {
  const Census census = census_of(kHfMoe);
  CHECK(census.active_all - census.active_no_input_embedding == 256);
  CHECK(census.active_no_input_embedding - census.active_no_embeddings == 256);
}

TEST_CASE("traps 7 and 21: MTP stays apart from the total, its copies of tables in the MTP") {
  const std::string deepseek = with(kHfLatent, "num_nextn_predict_layers", "1");
  CHECK(census_of(deepseek).total == kHfLatentTotal);
  const std::string glm = with(deepseek, "model_type", "\"glm_moe_dsa\"");
  CHECK(census_of(deepseek).mtp - census_of(glm).mtp == 2LL * 256);
}

TEST_CASE("trap 11: an export is not four bits throughout") {
  const std::string scheme = R"({"quant_method": "modelopt", "quant_algo": "FP8",
"ignore": ["lm_head", "*self_attn*"]})";
  const Census census = census_of(with(kHfDense, "quantization_config", scheme));
  // FFN of 3 x 384 in FP8 with a scale of 4 bytes a matrix at most; all else in 16 bits.
  const double plain = 2.0 * (kHfDenseTotal - 3LL * 384);
  CHECK(census.weight_bytes.base() >= plain + 3 * 384);
  CHECK(census.weight_bytes.base() <= plain + 3 * 384 + 3 * 3 * 8);
}

TEST_CASE("trap 12: an MTP layer that the file does not name is not invented, and said so") {
  const std::string next = R"({"model_type": "qwen3_next", "hidden_size": 8,
"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
"full_attention_interval": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
"linear_key_head_dim": 4, "linear_value_head_dim": 4, "linear_conv_kernel_dim": 4,
"intermediate_size": 16, "vocab_size": 32, "tie_word_embeddings": false})";
  CHECK(census_of(next).mtp == 0);
  CHECK(noted(imported(next), "the file names no MTP layers"));
  CHECK(census_of(with(next, "num_nextn_predict_layers", "1")).mtp > 0);
  // Trap 13: one layer of four has a cache; the others a state of v heads x dk x dv in FP32 and a
  // tail of (2 x 2 x 4 + 4 x 4) x 3 in 16 bits.
  CHECK(kv_of(next) == 2 * (4 + 4) * 2);
  CHECK(state_bytes_per_sequence(imported(next).spec) == Bytes(3.0 * (64 * 4 + 32 * 3 * 2)));
}

TEST_CASE("trap 14: full layers of Kimi-Linear are counted from one") {
  const std::string kimi = R"({"model_type": "kimi_linear", "hidden_size": 8,
"num_hidden_layers": 4, "num_attention_heads": 4, "kv_lora_rank": 6, "q_lora_rank": null,
"qk_nope_head_dim": 3, "qk_rope_head_dim": 2, "v_head_dim": 3, "intermediate_size": 16,
"linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "num_heads": 2,
"head_dim": 4, "short_conv_kernel_size": 4}, "num_experts": 4, "num_experts_per_token": 2,
"moe_intermediate_size": 8, "vocab_size": 32, "tie_word_embeddings": false})";
  const ModelSpec spec = imported(kimi).spec;
  CHECK(
      std::holds_alternative<LatentAttention>(spec.layers.at(spec.layer_order().at(3)).attention));
  CHECK(std::holds_alternative<KeyedDelta>(spec.layers.at(spec.layer_order().at(0)).attention));
}

TEST_CASE("trap 14: the blocks of Nemotron-H count without num_hidden_layers") {
  const std::string blocks = R"({"model_type": "nemotron_h", "hidden_size": 8,
"layers_block_type": ["mamba", "mlp", "attention", "mlp"], "num_attention_heads": 4,
"num_key_value_heads": 2, "head_dim": 4, "mamba_num_heads": 2, "mamba_head_dim": 4, "n_groups": 1,
"ssm_state_size": 4, "conv_kernel": 4, "intermediate_size": 16, "vocab_size": 32,
"tie_word_embeddings": false})";
  CHECK(imported(blocks).spec.layer_count() == 4);
  // Mamba: in 8 x (16 + 8 + 2), taps 16 x 5, 3 x 2, a norm of 8, out 64. FFN without a gate 256.
  CHECK(census_of(blocks).total == (208 + 80 + 6 + 8 + 64) + 2 * 256 + 384 + 4 * 8 + 512 + 8);
  CHECK(kv_of(blocks) == 2 * (4 + 4) * 2);
}

std::string mimo_v2() {
  return R"({"model_type": "mimo_v2_flash", "hidden_size": 8, "num_hidden_layers": 2,
"num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 6, "v_head_dim": 4,
"swa_num_attention_heads": 4, "swa_num_key_value_heads": 2, "swa_head_dim": 6, "swa_v_head_dim": 4,
"sliding_window": 16, "add_full_attention_sink_bias": false, "add_swa_attention_sink_bias": true,
"hybrid_layer_pattern": [0, 1], "moe_layer_freq": [0, 1], "intermediate_size": 16,
"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8,
"topk_method": "noaux_tc", "vocab_size": 32, "tie_word_embeddings": false})";
}

TEST_CASE("traps 15 and 16: window layers have a geometry, and values a width, of their own") {
  CHECK(kv_of(mimo_v2()) == (1 + 2) * (6 + 4) * 2);
  CHECK(kv_beyond(mimo_v2()) == 1 * (6 + 4) * 2);
}

TEST_CASE("trap 17: a sink is a parameter of a head and holds no cache") {
  CHECK(census_of(mimo_v2()).total -
            census_of(with(mimo_v2(), "add_swa_attention_sink_bias", "false")).total ==
        4);
  CHECK(kv_of(with(mimo_v2(), "add_swa_attention_sink_bias", "false")) == kv_of(mimo_v2()));
}

TEST_CASE("trap 18: a window counts where it is in force and shorter than the context") {
  const std::string mistral =
      with(with(kHfDense, "model_type", "\"mistral\""), "sliding_window", "16");
  CHECK(kv_beyond(mistral) == 0);
  CHECK(kv_beyond(with(mistral, "sliding_window", "null")) == 96);
  CHECK(kv_beyond(with(mistral, "sliding_window", "1000")) == 96);
  for (const char* type : {"\"qwen2\"", "\"qwen3\""}) {
    std::string qwen = with(mistral, "model_type", type);
    qwen = with(with(qwen, "use_sliding_window", "false"), "max_window_layers", "1");
    CHECK(kv_beyond(qwen) == 96);
    CHECK(kv_beyond(with(qwen, "use_sliding_window", "true")) == 32);
  }
}

TEST_CASE("trap 18: without a list every fourth layer of Llama 4 is global") {
  const std::string scout = R"({"model_type": "llama4_text", "hidden_size": 8,
"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
"intermediate_size": 8, "intermediate_size_mlp": 16, "interleave_moe_layer_step": 1,
"attention_chunk_size": 64, "no_rope_layers": [], "num_local_experts": 4,
"num_experts_per_tok": 1, "vocab_size": 32, "tie_word_embeddings": false})";
  const ModelSpec spec = imported(scout).spec;
  CHECK(attention_of(spec, 0).chunk == 64);
  CHECK(attention_of(spec, 3).chunk == 0);
  CHECK(kv_beyond(scout) == 32);
}

TEST_CASE("trap 20: correction terms are stored in FP32") {
  const Census census = census_of(kHfLatent);
  CHECK(census.weight_bytes == Bytes(2.0 * kHfLatentTotal + 2.0 * 2 * 4));
}

TEST_CASE("layers that share picks follow a list, or a step and an offset") {
  std::string sparse = with(with(kHfLatent, "index_n_heads", "2"), "index_head_dim", "4");
  sparse = with(with(sparse, "index_topk", "5"), "num_hidden_layers", "8");
  const auto index_of = [](const std::string& config) {
    return kv_bytes_per_token(imported(config).spec, Format::Bf16).index;
  };
  CHECK(index_of(sparse) == Bytes(8 * 8));
  // Full: 0, 1, 2, then every fourth: 6.
  const std::string step =
      with(with(sparse, "index_topk_freq", "4"), "index_skip_topk_offset", "3");
  CHECK(index_of(step) == Bytes(4 * 8));
  const std::string list = R"(["full", "full", "full", "shared", "shared", "shared", "full",
"shared"])";
  CHECK(index_of(with(sparse, "indexer_types", list)) == Bytes(4 * 8));
  CHECK(census_of(with(sparse, "indexer_types", list)).total == census_of(step).total);
}

TEST_CASE("dense layers are listed by name or counted from the start") {
  const std::string list = R"(["dense", "sparse", "sparse"])";
  CHECK(
      census_of(with(without(kHfLatent, "first_k_dense_replace"), "mlp_layer_types", list)).total ==
      kHfLatentTotal);
  CHECK_THAT(test::refusal(without(kHfLatent, "first_k_dense_replace")),
             ContainsSubstring("missing field 'first_k_dense_replace'"));
  CHECK(imported(with(kHfLatent, "first_k_dense_replace", "0")).spec.layers.size() == 1);
}

TEST_CASE("MTP layers that an architecture does not count are said") {
  CHECK(noted(imported(with(kHfMoe, "num_nextn_predict_layers", "1")),
              "the file names 1 MTP layers; they are not counted"));
}

TEST_CASE("trap 24: experts of a latent mixture work in the latent width") {
  const std::string blocks = R"({"model_type": "nemotron_h", "hidden_size": 8,
"hybrid_override_pattern": "*E", "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8,
"n_shared_experts": 0, "moe_latent_size": 2, "vocab_size": 32, "tie_word_embeddings": false})";
  const Count full = census_of(without(blocks, "moe_latent_size")).total;
  // 4 experts of 2 x 2 x 8 in place of 2 x 8 x 8, and projections of 8 x 2 in and out.
  CHECK(census_of(blocks).total == full - 4LL * (128 - 32) + 2LL * 16);
}

TEST_CASE("trap 25: choices that cost nothing own no weights but rows of the router") {
  const std::string longcat = R"({"model_type": "longcat_flash", "hidden_size": 8,
"num_layers": 2, "num_attention_heads": 4, "q_lora_rank": 4, "kv_lora_rank": 6,
"qk_nope_head_dim": 3, "qk_rope_head_dim": 2, "v_head_dim": 3, "ffn_hidden_size": 16,
"expert_ffn_hidden_size": 8, "n_routed_experts": 4, "zero_expert_num": 2, "moe_topk": 2,
"vocab_size": 32, "tie_word_embeddings": false})";
  CHECK(imported(longcat).spec.layer_count() == 4);
  CHECK(census_of(with(longcat, "zero_expert_num", "3")).total ==
        census_of(longcat).total + 2LL * (8 + 1));
  CHECK(noted(imported(longcat), "of 2 picks 1.3 are real on average"));
}

TEST_CASE("trap 26: blocks of a searched model differ, and may lack attention") {
  const std::string nas = R"({"model_type": "nemotron-nas", "hidden_size": 8,
"num_attention_heads": 4, "num_key_value_heads": null, "intermediate_size": null,
"block_configs": [
{"attention": {"n_heads_in_group": 2, "no_op": false}, "ffn": {"ffn_mult": 2.0, "no_op": false}},
{"attention": {"no_op": true}, "ffn": {"ffn_mult": 2.0, "no_op": false}}],
"vocab_size": 32, "tie_word_embeddings": false})";
  const ModelSpec spec = imported(nas).spec;
  CHECK(spec.layer_count() == 2);
  CHECK(kv_of(nas) == 2 * (2 + 2) * 2);
  // Width: int(2 x 2 x 8 / 3) = 10, rounded up to 256.
  CHECK(std::get<DenseMlp>(spec.layers.front().mlp).width == 256);
}

TEST_CASE("trap 27: the context is the file's own, whatever rope scaling says") {
  CHECK(imported(with(kHfDense, "rope_scaling", R"({"factor": 8.0, "type": "yarn"})"))
            .spec.max_context == 1000);
}

TEST_CASE("trap 28: the export names the format of the cache, and null means 16 bits") {
  const std::string fp8 =
      R"({"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": "FP8"})";
  CHECK(imported(with(kHfDense, "quantization_config", fp8)).spec.kv_format == Format::Fp8);
  const std::string none =
      R"({"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": null})";
  CHECK(imported(with(kHfDense, "quantization_config", none)).spec.kv_format == Format::Bf16);
}

TEST_CASE("trap 30: an FP8 row of sparse latent attention is 656 and 132 bytes") {
  std::string sparse = with(kHfLatent, "index_n_heads", "2");
  sparse = with(with(sparse, "index_head_dim", "128"), "index_topk", "5");
  sparse = with(with(sparse, "kv_lora_rank", "512"), "qk_rope_head_dim", "64");
  const KvRow row = kv_bytes_per_token(imported(sparse).spec, Format::Fp8);
  CHECK(row.cache == Bytes(3 * 656));
  CHECK(row.index == Bytes(3 * 132));
}

}  // namespace
}  // namespace fathom::model
