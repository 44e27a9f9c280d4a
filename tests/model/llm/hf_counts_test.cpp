// Real shapes with counts that others published to the last unit: parameters that Hugging Face
// shows, sums over safetensors headers, totals of an index. Where only a rounded figure is public,
// the test says so.

#include "tests/support/hf_configs.h"

namespace fathom::model {
namespace {

using test::census_of;
using test::imported;
using test::with;

/// The sizes that every decoder names.
struct Sizes {
  Count layers, hidden, heads, kv_heads, width, vocabulary;
};

std::string config(const std::string& type, const Sizes& s, const std::string& more) {
  const auto field = [](const std::string& name, Count value) {
    return '"' + name + "\": " + std::to_string(value) + ", ";
  };
  return "{" + field("num_hidden_layers", s.layers) + field("hidden_size", s.hidden) +
         field("num_attention_heads", s.heads) + field("num_key_value_heads", s.kv_heads) +
         field("intermediate_size", s.width) + field("vocab_size", s.vocabulary) + more +
         (more.empty() ? "" : ", ") + R"("torch_dtype": "bfloat16", "model_type": ")" + type +
         "\"}";
}

TEST_CASE("dense models with a published count agree to the last unit") {
  struct Row {
    const char* type;
    Sizes sizes;
    const char* more;
    Count published;
  };
  const Row row =
      GENERATE(Row{"internlm2", {32, 4096, 32, 8, 14336, 92544}, R"("bias": false)", 7'737'708'544},
               Row{"seed_oss",
                   {64, 5120, 80, 8, 27648, 155136},
                   R"("head_dim": 128, "attention_bias": true, "attention_out_bias": false)",
                   36'151'104'512},
               Row{"smollm3", {36, 2048, 16, 4, 11008, 128256}, "", 3'075'098'624},
               Row{"glm",
                   {40, 4096, 32, 2, 13696, 151552},
                   R"("head_dim": 128, "attention_bias": true)",
                   9'399'951'360},
               Row{"glm4",
                   {40, 4096, 32, 2, 13696, 151552},
                   R"("head_dim": 128, "attention_bias": true)",
                   9'400'279'040},
               Row{"exaone", {32, 4096, 32, 8, 14336, 102400}, R"("head_dim": 128)", 7'818'448'896},
               Row{"olmo2", {32, 4096, 32, 32, 11008, 100352}, "", 7'298'617'344},
               Row{"olmo2", {40, 5120, 40, 40, 13824, 100352}, "", 13'716'198'400},
               Row{"olmo2", {64, 5120, 40, 8, 27648, 100352}, "", 32'234'279'936},
               Row{"granite",
                   {40, 4096, 32, 8, 12800, 49159},
                   R"("tie_word_embeddings": true)",
                   8'170'864'640},
               Row{"llama", {126, 16384, 128, 8, 53248, 128256}, "", 405'853'388'800});
  INFO(row.type);
  CHECK(census_of(config(row.type, row.sizes, row.more)).total == row.published);
}

TEST_CASE("OLMo-3-7B: its count, and windows on three layers of four") {
  std::string types;
  for (int i = 0; i < 32; ++i) {
    types += i == 0 ? "[" : ", ";
    types += i % 4 == 3 ? "\"full_attention\"" : "\"sliding_attention\"";
  }
  const std::string olmo = config("olmo3", {32, 4096, 32, 32, 11008, 100278},
                                  R"("sliding_window": 4096, "layer_types": )" + types + "]");
  CHECK(census_of(olmo).total == 7'298'011'136);
  CHECK(test::kv_of(olmo) == 32 * 2 * 4096 * 2);
  CHECK(test::kv_beyond(olmo) == 8 * 2 * 4096 * 2);
}

TEST_CASE("ChatGLM: GLM-4-9B under its first names") {
  const std::string chat = R"({"model_type": "chatglm", "hidden_size": 4096, "num_layers": 40,
"num_attention_heads": 32, "multi_query_attention": true, "multi_query_group_num": 2,
"kv_channels": 128, "add_qkv_bias": true, "add_bias_linear": false, "ffn_hidden_size": 13696,
"padded_vocab_size": 151552, "seq_length": 131072})";
  CHECK(census_of(chat).total == 9'399'951'360);
  CHECK(imported(chat).spec.max_context == 131'072);
  CHECK(test::kv_of(chat) == 40 * 2 * 2 * 128 * 2);
}

TEST_CASE("mixtures with a published count agree to the last unit") {
  CHECK(census_of(config("olmoe", {16, 2048, 16, 16, 1024, 50304},
                         R"("num_experts": 64, "num_experts_per_tok": 8)"))
            .total == 6'919'161'856);
  const Census mixtral = census_of(config("mixtral", {56, 6144, 48, 8, 16384, 32000},
                                          R"("num_local_experts": 8, "num_experts_per_tok": 2)"));
  CHECK(mixtral.weight_bytes == Bytes(281'241'268'224));
}

TEST_CASE("dots.llm1: the sum of docs/adding-a-model.md; the maker says 142 B") {
  CHECK(census_of(config("dots1", {62, 4096, 32, 32, 10944, 152064},
                         R"("n_routed_experts": 128, "n_shared_experts": 2,
"num_experts_per_tok": 6, "moe_intermediate_size": 1408, "first_k_dense_replace": 1,
"attention_bias": false, "tie_word_embeddings": false)"))
            .total == 142'774'381'696);
}

TEST_CASE("gpt-oss-20b: the total of its index, with biases of experts in 16 bits") {
  std::string types;
  for (int i = 0; i < 24; ++i) {
    types += i == 0 ? "[" : ", ";
    types += i % 2 == 0 ? "\"sliding_attention\"" : "\"full_attention\"";
  }
  const std::string oss = config(
      "gpt_oss", {24, 2880, 64, 8, 2880, 201088},
      R"("head_dim": 64, "attention_bias": true, "num_local_experts": 32, "num_experts_per_tok": 4,
"sliding_window": 128, "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert":
["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]},
"layer_types": )" +
          types + "]");
  CHECK(census_of(oss).weight_bytes == Bytes(13'761'264'768));
}

TEST_CASE("Qwen3-Coder-480B: as many FP8 scales as two public counts differ by") {
  const std::string coder = config("qwen3_moe", {62, 6144, 96, 8, 8192, 151936},
                                   R"("head_dim": 128, "num_experts": 160, "num_experts_per_tok": 8,
"moe_intermediate_size": 2560)");
  const Census plain = census_of(coder);
  CHECK(plain.total == 480'154'875'392);
  const Census fp8 = census_of(with(coder, "quantization_config",
                                    R"({"quant_method": "fp8", "weight_block_size": [128, 128]})"));
  const Count in_16_bits =
      2LL * 151936 * 6144 + 62 * (160LL * 6144 + 2LL * 6144 + 2LL * 128) + 6144;
  CHECK(fp8.weight_bytes.base() ==
        static_cast<double>(plain.total + in_16_bits + 4 * 29'188'608LL));
}

TEST_CASE("GLM-4.7-FP8: one scale for each output channel, as two public counts differ by") {
  const std::string glm = config("glm4_moe", {92, 5120, 96, 8, 12288, 151552},
                                 R"("head_dim": 128, "attention_bias": true, "use_qk_norm": true,
"n_routed_experts": 160, "n_shared_experts": 1, "num_experts_per_tok": 8,
"moe_intermediate_size": 1536, "first_k_dense_replace": 3, "num_nextn_predict_layers": 1)");
  const auto bytes = [](const std::string& text) {
    const ModelSpec spec = imported(text).spec;
    const Census census = take_census(spec);
    return census.weight_bytes + census.groups.at(static_cast<std::size_t>(Group::Mtp)).bytes;
  };
  const std::string fp8 = with(glm, "quantization_config", R"({"quant_method":
"compressed-tensors", "format": "float-quantized", "ignore": ["lm_head", "re:.*mlp\\.gate$"],
"config_groups": {"group_0": {"targets": ["Linear"], "input_activations": {"num_bits": 8},
"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}})");
  const Count attention = 5120LL * 12288 * 2 + 2LL * 5120 * 1024;
  const Count expert = 3LL * 5120 * 1536;
  const Count quantised =
      93 * attention + 3LL * 3 * 5120 * 12288 + 90LL * 161 * expert;  // with the MTP layer
  CHECK((bytes(glm) - bytes(fp8)).base() == static_cast<double>(quantised - 4 * 120'600'576LL));
}

TEST_CASE("Jamba-1.5-Mini: the total of its index, and a cache in 4 of 32 layers") {
  const std::string jamba =
      config("jamba", {32, 4096, 32, 8, 14336, 65536},
             R"("attn_layer_offset": 4, "attn_layer_period": 8, "expert_layer_offset": 1,
"expert_layer_period": 2, "mamba_d_conv": 4, "mamba_d_state": 16, "mamba_dt_rank": 256,
"mamba_expand": 2, "num_experts": 16, "num_experts_per_tok": 2, "tie_word_embeddings": false)");
  CHECK(census_of(jamba).weight_bytes == Bytes(103'140'646'656));
  CHECK(test::kv_of(jamba) == 16'384);
  CHECK(state_bytes_per_sequence(imported(jamba).spec) == Bytes(14'680'064 + 1'376'256));
}

TEST_CASE("Qwen3-Next-80B: the public count is that of the model and its MTP layer") {
  const std::string next =
      config("qwen3_next", {48, 2048, 16, 2, 5120, 151936},
             R"("head_dim": 256, "full_attention_interval": 4, "linear_conv_kernel_dim": 4,
"linear_key_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
"linear_value_head_dim": 128, "mlp_only_layers": [], "decoder_sparse_step": 1,
"moe_intermediate_size": 512, "num_experts": 512, "num_experts_per_tok": 10,
"shared_expert_intermediate_size": 512, "num_nextn_predict_layers": 1)");
  CHECK(census_of(next).total == 79'674'391'296);
  CHECK(census_of(next).mtp == 1'650'471'424);
  CHECK(test::kv_of(next) == 24'576);
  CHECK(state_bytes_per_sequence(imported(next).spec) == Bytes(75'497'472 + 1'769'472));
  // A dense layer in place of one of experts.
  const Count expert_ffn = 513LL * 3 * 2048 * 512 + 512LL * 2048 + 2048;
  std::string listed = next;
  listed.replace(listed.find("[]"), 2, "[0]");
  CHECK(census_of(listed).total == 79'674'391'296 - expert_ffn + 3LL * 2048 * 5120);
}

TEST_CASE("Nemotron-3-Nano: its count with the correction terms that Hugging Face leaves out") {
  const std::string nano = config("nemotron_h", {52, 2688, 32, 2, 1856, 131072},
                                  R"("head_dim": 128, "conv_kernel": 4, "hybrid_override_pattern":
"MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", "mamba_head_dim": 64,
"mamba_num_heads": 64, "n_groups": 8, "ssm_state_size": 128, "moe_intermediate_size": 1856,
"moe_shared_expert_intermediate_size": 3712, "n_routed_experts": 128, "n_shared_experts": 1,
"num_experts_per_tok": 6, "tie_word_embeddings": false)");
  CHECK(census_of(nano).total == 31'577'940'288);
  CHECK(test::kv_of(nano) == 6'144);
  CHECK(state_bytes_per_sequence(imported(nano).spec) == Bytes(48'234'496 + 847'872));
}

}  // namespace
}  // namespace fathom::model
