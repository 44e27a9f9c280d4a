#include "model/llm/import_hf_config.h"

#include "tests/support/hf_configs.h"

// Faults of other planners in reading a model (peers.md, "errors found by reading or running"),
// one test each with the right answer.

namespace fathom::model {
namespace {

using test::census_of;
using test::imported;
using test::kHfDense;
using test::kHfDenseTotal;
using test::kHfLatent;
using test::kHfLatentAttention;
using test::kHfLatentExperts;
using test::kHfLatentTotal;
using test::kHfMoe;
using test::kHfMoeTotal;
using test::kv_beyond;
using test::kv_of;
using test::with;
using test::without;

TEST_CASE("InferSim: routed experts are found under n_routed_experts, and no model turns dense") {
  CHECK(census_of(kHfLatent).total == kHfLatentTotal);
  CHECK(imported(kHfLatent).spec.is_moe());
  CHECK(test::refusal(without(kHfLatent, "n_routed_experts")) ==
        "config.json:1:1: error: missing field 'n_routed_experts' or 'num_experts' or "
        "'num_local_experts'\n"
        "    1 | {\"model_type\": \"deepseek_v3\", \"hidden_size\": 8, \"num_hidden_layers\": 3,\n"
        "      | ^\n"
        "       help: take the file from the checkpoint: a missing size is never guessed\n");
}

TEST_CASE("LLM-Viewer: the cache is counted by KV heads, not by query heads") {
  CHECK(kv_of(kHfDense) == 3 * 2 * (4 + 4) * 2);
  CHECK(kv_of(with(kHfDense, "num_key_value_heads", "4")) == 2 * kv_of(kHfDense));
}

TEST_CASE("LLM-Viewer: experts are not read as one dense FFN") {
  CHECK(census_of(kHfMoe).total == kHfMoeTotal);
  CHECK(census_of(with(kHfMoe, "num_experts", "5")).total == kHfMoeTotal + 3LL * (192 + 8));
}

TEST_CASE("LLM-Viewer: latent attention is not read as grouped attention") {
  const auto spec = imported(kHfLatent).spec;
  CHECK(std::holds_alternative<LatentAttention>(spec.layers.front().attention));
  CHECK(kv_of(kHfLatent) == 3 * (6 + 2) * 2);
}

TEST_CASE("llm-analysis, inference-lab, BLIS: the head size is head_dim, not hidden over heads") {
  CHECK(census_of(kHfDense).total == kHfDenseTotal);
  CHECK(kv_of(kHfDense) == 96);
  // Without the field it is the quotient: 2 where the file said 4.
  CHECK(kv_of(without(kHfDense, "head_dim")) == 48);
}

TEST_CASE("an architecture whose library has a head size of its own is not given the quotient") {
  const std::string qwen = with(kHfDense, "model_type", "\"qwen3\"");
  CHECK(census_of(qwen).total == kHfDenseTotal + 3LL * 8);
  CHECK_THAT(test::refusal(without(qwen, "head_dim")),
             ContainsSubstring("error: missing field 'head_dim'"));
}

TEST_CASE("GenZ: all experts are stored and only the active count knows top-k") {
  const Census census = census_of(kHfMoe);
  CHECK(census.weight_bytes == Bytes(2.0 * kHfMoeTotal));
  CHECK(census.active_all == kHfMoeTotal - 3LL * 2 * 192);
  CHECK(census_of(with(kHfMoe, "num_experts_per_tok", "4")).weight_bytes == census.weight_bytes);
}

TEST_CASE("BLIS, llm-optimizer: a gated FFN has three matrices") {
  CHECK(census_of(with(kHfDense, "intermediate_size", "17")).total ==
        kHfDenseTotal + 3LL * (3LL * 8));
}

TEST_CASE("fitllm: DeepSeek-V3.2 is a latent of 576, not heads of hidden over heads") {
  const std::string sparse =
      with(with(with(with(kHfLatent, "model_type", "\"deepseek_v32\""), "index_n_heads", "2"),
                "index_head_dim", "4"),
           "index_topk", "5");
  CHECK(kv_of(sparse) == kv_of(kHfLatent));
  // Of the indexer: q 4 x 8, key 8 x 4, its norm 2 x 4, weights 8 x 2, in each layer.
  CHECK(census_of(sparse).total == kHfLatentTotal + 3LL * (32 + 32 + 8 + 16));
  CHECK(kv_bytes_per_token(imported(sparse).spec, Format::Bf16).index == Bytes(3 * (4 + 4)));
}

TEST_CASE("aiconfigurator: windows bound the cache of the layers that have one") {
  const std::string oss = R"({"model_type": "gpt_oss", "hidden_size": 8, "num_hidden_layers": 4,
"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4, "intermediate_size": 8,
"num_local_experts": 4, "num_experts_per_tok": 2, "attention_bias": true, "sliding_window": 16,
"layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
"vocab_size": 32, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})";
  CHECK(kv_of(oss) == 4 * 32);
  CHECK(kv_beyond(oss) == 2 * 32);
  CHECK(cache_of_sequence(imported(oss).spec, Format::Bf16, 100) ==
        Bytes(2.0 * 32 * 100 + 2.0 * 32 * 16));
}

TEST_CASE("a tied head is one table") {
  const Census tied = census_of(with(kHfDense, "tie_word_embeddings", "true"));
  CHECK(tied.total == kHfDenseTotal - 256);
  CHECK(tied.active_no_input_embedding == tied.total);
}

TEST_CASE("llm-analysis: a token does not read the whole embedding table") {
  CHECK(census_of(kHfDense).active_no_input_embedding == kHfDenseTotal - 256);
}

TEST_CASE("llama.cpp's fit: MTP layers are counted, apart from the model") {
  const Census census = census_of(with(kHfLatent, "num_nextn_predict_layers", "1"));
  CHECK(census.total == kHfLatentTotal);
  // A layer of experts, eh_proj 2 x 8 x 8, its two norms and the head's, copies of both tables.
  CHECK(census.mtp == kHfLatentAttention + 16 + kHfLatentExperts + 128 + 3LL * 8 + 2LL * 256);
}

TEST_CASE("a nested text decoder is read, and not defaulted") {
  std::string inner = without(kHfDense, "tie_word_embeddings");
  for (const char* field : {"text_config", "llm_config", "language_config"}) {
    const std::string outer =
        std::string(R"({"model_type": "some_vision_model", ")") + field + R"(": )" + inner +
        R"(, "tie_word_embeddings": true, "vision_config": {"hidden_size": 5,)"
        R"( "num_hidden_layers": 7}})";
    INFO(field);
    CHECK(census_of(outer).total == kHfDenseTotal - 256);
  }
  CHECK(census_of(R"({"model_type": "x", "talker_config": {"hidden_size": 3}, "thinker_config":
{"text_config": )" +
                  inner + "}}")
            .total == kHfDenseTotal);
  CHECK_THAT(test::refusal(R"({"model_type": "x", "hidden_size": 8, "text_config": )" +
                           without(inner, "num_hidden_layers") + "}"),
             ContainsSubstring("missing field 'num_hidden_layers'"));
}

TEST_CASE("names of the first release mean the same as the later ones") {
  const std::string old = R"({"model_type": "RefinedWeb", "hidden_size": 16, "n_head": 4,
"n_head_kv": 2, "n_layer": 3, "bias": false, "parallel_attn": true, "vocab_size": 32})";
  const std::string late = R"({"model_type": "falcon", "hidden_size": 16,
"num_attention_heads": 4, "num_kv_heads": 2, "num_hidden_layers": 3, "bias": false,
"new_decoder_architecture": true, "parallel_attn": true, "vocab_size": 32})";
  CHECK(census_of(old).total == census_of(late).total);
  CHECK(kv_of(old) == 3 * 2 * (4 + 4) * 2);
  const std::string seven = R"({"model_type": "RefinedWebModel", "hidden_size": 16, "n_head": 4,
"n_layer": 3, "multi_query": true, "bias": false, "parallel_attn": true, "vocab_size": 32})";
  CHECK(kv_of(seven) == 3 * (4 + 4) * 2);
}

TEST_CASE("a class name is used where model_type says nothing") {
  const std::string named =
      with(with(kHfDense, "model_type", "\"git\""), "architectures", R"(["LlamaForCausalLM"])");
  CHECK(census_of(named).total == kHfDenseTotal);
  CHECK(census_of(without(named, "model_type")).total == kHfDenseTotal);
  CHECK_FALSE(imported(without(named, "tie_word_embeddings")).spec.tied_embeddings);
}

}  // namespace
}  // namespace fathom::model
