#include "model/llm/import_hf_config.h"
#include "tests/support/hf_configs.h"

namespace fathom::model {
namespace {

using test::imported;
using test::kHfDense;
using test::kHfLatent;
using test::kHfMoe;
using test::refusal;
using test::with;
using test::without;

/// The message alone of the first error.
std::string message(const std::string& config) {
  hardware::Diagnostics diagnostics;
  CHECK_FALSE(test::import_text(config, diagnostics));
  REQUIRE(diagnostics.has_errors());
  return diagnostics.all().front().message;
}

std::string quantised(const std::string& scheme) {
  return with(kHfDense, "quantization_config", scheme);
}

TEST_CASE("an unknown architecture is refused by name, with its neighbours and its fields") {
  CHECK(
      refusal(R"({"architectures": ["Qwen9ForCausalLM"], "model_type": "qwen9"})") ==
      "config.json:1:1: error: unknown architecture 'Qwen9ForCausalLM (model_type qwen9)'\n"
      "    1 | {\"architectures\": [\"Qwen9ForCausalLM\"], \"model_type\": \"qwen9\"}\n"
      "      | ^\n"
      "       help: nearest known: qwen2, qwen3, qwen3_5; it would need hidden_size, "
      "num_hidden_layers,\n"
      "             num_attention_heads, num_key_value_heads, head_dim, intermediate_size, "
      "vocab_size,\n"
      "             tie_word_embeddings; docs/adding-a-model.md shows how to add one, or describe "
      "the model\n"
      "             in YAML\n");
}

TEST_CASE("an architecture with parts that are not counted here is refused, not read in part") {
  const auto help = [](const std::string& config) {
    hardware::Diagnostics diagnostics;
    CHECK_FALSE(test::import_text(config, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    return diagnostics.all().front().help;
  };
  CHECK_THAT(
      help(R"({"model_type": "mllama", "text_config": {"model_type": "mllama_text_model"}})"),
      ContainsSubstring("it would need those of a dense model, cross_attention_layers"));
  CHECK_THAT(help(R"({"model_type": "gemma3n", "text_config": {"model_type": "gemma3n_text"}})"),
             ContainsSubstring("altup_num_inputs, laurel_rank"));
  CHECK_THAT(help(R"({"model_type": "phi4mm"})"), ContainsSubstring("vision_lora"));
  CHECK_THAT(help(with(kHfDense, "model_type", "\"qwen\"")),
             ContainsSubstring("twice the width of the FFN"));
}

TEST_CASE("a decoder of another architecture is not read as the one around it") {
  CHECK(message(R"({"model_type": "llama", "text_config": {"model_type": "nobody9"}})") ==
        "unknown architecture 'llama (model_type nobody9)'");
}

TEST_CASE("a size that is no whole number of its range is refused where it stands") {
  const std::string range = " is no whole number from 1 to 100000000";
  for (const char* value : {"-8", "0", "1e30", "8.5", "\"8\"", "true", "[8]", "{}", "NaN"}) {
    INFO(value);
    CHECK(message(with(kHfDense, "hidden_size", value)) == "'hidden_size'" + range);
  }
  CHECK(refusal(with(kHfDense, "vocab_size", "\"32\"")) ==
        "config.json:3:15: error: 'vocab_size' is no whole number from 1 to 100000000\n"
        "    3 | \"vocab_size\": \"32\", \"tie_word_embeddings\": false, "
        "\"max_position_embeddings\": 1000,\n"
        "      |               ^\n");
}

TEST_CASE("a whole number may be written as 8.0") {
  CHECK(imported(with(kHfDense, "hidden_size", "8.0")).spec.hidden == 8);
}

TEST_CASE("a flag that is neither true nor false is refused") {
  CHECK(message(with(kHfDense, "tie_word_embeddings", "\"yes\"")) ==
        "'tie_word_embeddings' is neither true nor false");
  CHECK(message(with(kHfDense, "attention_bias", "1")) ==
        "'attention_bias' is neither true nor false");
}

TEST_CASE("a flag whose tensors are not counted is refused where it is set") {
  CHECK(imported(with(kHfLatent, "attention_bias", "false")).spec.hidden == 8);
  CHECK(message(with(kHfLatent, "attention_bias", "true")) ==
        "'attention_bias' is not handled for this architecture");
}

TEST_CASE("heads that do not divide are refused") {
  CHECK(message(with(kHfDense, "num_key_value_heads", "3")) ==
        "4 query heads do not divide into 3 KV heads");
  CHECK(message(with(without(kHfDense, "head_dim"), "num_attention_heads", "6")) ==
        "6 heads do not divide hidden size 8, and there is no head_dim");
}

TEST_CASE("more picks than experts are refused") {
  CHECK(message(with(kHfMoe, "num_experts_per_tok", "5")) == "top-k 5 exceeds the 4 experts");
}

TEST_CASE("a list with too few entries is refused with both lengths") {
  std::string gemma = with(kHfDense, "model_type", "\"gemma3_text\"");
  gemma = with(gemma, "sliding_window", "16");
  CHECK(message(with(gemma, "layer_types", R"(["full_attention"])")) ==
        "'layer_types' has 1 entries for 3 layers");
  CHECK(message(with(kHfLatent, "moe_layer_freq", "[0, 1]")) ==
        "'moe_layer_freq' has 2 entries for 3 layers");
}

TEST_CASE("sizes that give more than any model has are refused before they are counted") {
  std::string huge = with(kHfDense, "hidden_size", "100000000");
  huge = with(huge, "intermediate_size", "100000000");
  CHECK_THAT(message(huge), ContainsSubstring("parameters"));
  CHECK_THAT(message(with(kHfDense, "num_hidden_layers", "20000")),
             ContainsSubstring("20000 layers exceed 10000"));
}

TEST_CASE("all that is missing is said at once") {
  hardware::Diagnostics diagnostics;
  CHECK_FALSE(test::import_text(R"({"model_type": "gemma3_text", "num_hidden_layers": 2,
"hidden_size": 8, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 16,
"sliding_window": 16})",
                                diagnostics));
  REQUIRE(diagnostics.all().size() == 3);
  CHECK(diagnostics.all().at(0).message == "missing field 'vocab_size'");
  CHECK(diagnostics.all().at(1).message == "missing field 'head_dim'");
  CHECK(diagnostics.all().at(2).message ==
        "missing field 'sliding_window_pattern' or '_sliding_window_pattern'");
}

TEST_CASE("a scheme of storage that is not known is refused by name") {
  CHECK(refusal(quantised(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})")) ==
        "config.json:1:25: error: quant_method 'bitsandbytes' is not known here\n"
        "    1 | {\"quantization_config\": {\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": "
        "true}, \"model_type\": \"llama\", \"hidden_size\": 8, \"num_hidden_layers\": 3,\n"
        "      |                         ^\n"
        "       help: known: fp8, fbgemm_fp8, modelopt, compressed-tensors, awq, gptq, auto-round, "
        "mxfp4\n");
  CHECK(message(with(kHfDense, "quantization", R"({"group_size": 64, "bits": 4})")) ==
        "the quantisation names no method known here ('quant_method')");
  CHECK(message(quantised(R"({"quant_method": "modelopt", "quant_algo": "FP3"})")) ==
        "quant_algo 'FP3' is not known here");
}

TEST_CASE("widths, groups and blocks that no format has are refused") {
  CHECK(message(quantised(R"({"quant_method": "gptq", "bits": 4, "group_size": 64})")) ==
        "4-bit integers in groups of 64 are no format known here");
  CHECK(message(quantised(R"({"quant_method": "awq", "bits": 3, "group_size": 128})")) ==
        "3-bit integers in groups of 128 are no format known here");
  CHECK(message(quantised(R"({"quant_method": "gptq", "bits": 4, "group_size": -1})")) ==
        "one group for a whole row (group_size -1) is no format known here");
  CHECK(message(quantised(R"({"quant_method": "fp8", "weight_block_size": [64, 64]})")) ==
        "blocks other than 128 x 128 are not known here");
  CHECK(message(quantised("[1]")) == "'quantization_config' is no map");
}

double bytes_of(const std::string& config, const std::string& beside = {}) {
  return take_census(imported(config, beside).spec).weight_bytes.base();
}

TEST_CASE("the scheme at the top is the export's, one in the text part may be its origin's") {
  const std::string fp8 = R"({"quant_method": "fp8", "weight_block_size": [128, 128]})";
  const std::string inner = with(kHfDense, "quantization_config",
                                 R"({"quant_method": "gptq", "bits": 4, "group_size": 128})");
  const std::string both =
      R"({"model_type": "x", "text_config": )" + inner + R"(, "quantization_config": )" + fp8 + "}";
  CHECK(bytes_of(both) == bytes_of(quantised(fp8)));
  const std::string only = R"({"model_type": "x", "text_config": )" + inner + "}";
  CHECK(bytes_of(only) == bytes_of(inner));
  CHECK(bytes_of(only) < bytes_of(both));
}

TEST_CASE("the file of ModelOpt beside the config wins over a scheme that is not ModelOpt's") {
  const std::string beside = R"({"producer": {"name": "modelopt"}, "quantization":
{"quant_algo": "FP8", "exclude_modules": ["lm_head"]}})";
  const std::string same =
      R"({"quant_method": "modelopt", "quant_algo": "FP8", "exclude_modules": ["lm_head"]})";
  CHECK(bytes_of(kHfDense, beside) == bytes_of(quantised(same)));
  CHECK(bytes_of(quantised(R"({"quant_method": "gptq", "bits": 4, "group_size": 128})"), beside) ==
        bytes_of(quantised(same)));
}

TEST_CASE("modules that GPTQ leaves out keep 16 bits") {
  const std::string all = R"({"quant_method": "gptq", "bits": 4, "group_size": 128})";
  const std::string some = R"({"quant_method": "gptq", "bits": 4, "group_size": 128,
"dynamic": {"-:.*down_proj": {}}})";
  CHECK(bytes_of(quantised(some)) > bytes_of(quantised(all)));
  CHECK(message(quantised(R"({"quant_method": "gptq", "bits": 4, "group_size": 128,
"dynamic": {"+:.*down_proj": {"bits": 8}}})")) == "'+:.*down_proj' of 'dynamic' is not handled");
}

TEST_CASE("a params.json of Mistral names its storage in keys of its own") {
  const std::string native = R"({"dim": 8, "n_layers": 3, "head_dim": 4, "hidden_dim": 16,
"n_heads": 4, "n_kv_heads": 2, "vocab_size": 32, "tied_embeddings": false,
"max_position_embeddings": 1000, "sliding_window": 16})";
  CHECK(take_census(imported(native).spec).total == test::kHfDenseTotal);
  CHECK(test::kv_beyond(native) == 0);
  const std::string fp8 =
      with(native, "quantization", R"({"qformat_weight": "fp8_e4m3", "qscheme_act": "TENSOR"})");
  CHECK(bytes_of(fp8) < bytes_of(native) - 3 * 768 + 200);
  CHECK(message(with(native, "quantization", R"({"qformat_weight": "fp2"})")) ==
        "the quantisation names no method known here ('quant_method')");
}

}  // namespace
}  // namespace fathom::model
