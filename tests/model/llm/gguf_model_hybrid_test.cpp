#include "tests/support/catch.h"
#include "tests/support/exact_gguf.h"
#include "tests/support/gguf_models.h"

namespace fathom::model {
namespace {

using test::exact;
using test::GgufModel;
namespace ggml = test::ggml;

TEST_CASE("Qwen3-Next mixes delta layers and gated attention") {
  GgufModel qwen("qwen3next");
  qwen.shape(2, 2, 1).key("attention.key_length", 64).key("attention.value_length", 64);
  qwen.key("ssm.conv_kernel", 4).key("ssm.inner_size", 128).key("ssm.state_size", 32);
  qwen.key("ssm.time_step_rank", 4).key("ssm.group_count", 2).outer();
  qwen.in(0, "attn_norm", {256}).in(0, "attn_qkv", {256, 256}, ggml::kQ8_0);
  qwen.in(0, "attn_gate", {256, 128}, ggml::kQ4K).in(0, "ssm_ba", {256, 8});
  qwen.in(0, "ssm_conv1d", {4, 256}).raw_in(0, "ssm_dt.bias", {4}).raw_in(0, "ssm_a", {4});
  qwen.in(0, "ssm_norm", {32}).in(0, "ssm_out", {128, 256}, ggml::kQ8_0).ffn(0);
  qwen.in(1, "attn_norm", {256}).in(1, "attn_q", {256, 256}, ggml::kQ4K);
  qwen.in(1, "attn_k", {256, 64}, ggml::kQ4K).in(1, "attn_v", {256, 64}, ggml::kQ4K);
  qwen.in(1, "attn_q_norm", {64}).in(1, "attn_k_norm", {64});
  qwen.in(1, "attn_output", {128, 256}, ggml::kQ8_0).ffn(1);
  const ImportedModel m = exact(qwen);
  REQUIRE(m.spec.layers.size() == 2);
  CHECK(std::get<DeltaNet>(m.spec.layers.at(0).attention) ==
        DeltaNet{.key_heads = 2, .value_heads = 4, .key_head = 32, .value_head = 32, .conv = 4});
  CHECK(std::get<GroupedAttention>(m.spec.layers.at(1).attention).gate ==
        GroupedAttention::Gate::Element);
}

TEST_CASE("delta layers of Kimi take their ranks from the tensors") {
  GgufModel kimi("kimi-linear");
  kimi.key("block_count", 1).key("embedding_length", 256).key("attention.head_count", 2);
  kimi.keys("attention.head_count_kv", {0}).key("kda.head_dim", 32).key("ssm.conv_kernel", 4);
  kimi.outer().in(0, "attn_norm", {256});
  for (const char* part : {"q", "k", "v"}) {
    kimi.in(0, std::string("attn_") + part, {256, 64}, ggml::kQ4K);
    kimi.in(0, std::string("ssm_conv1d_") + part, {4, 1, 64});
  }
  kimi.in(0, "ssm_f_a", {256, 32}, ggml::kQ4K).in(0, "ssm_f_b", {32, 64}, ggml::kQ8_0);
  kimi.in(0, "ssm_g_a", {256, 32}, ggml::kQ4K).in(0, "ssm_g_b", {32, 64}, ggml::kQ8_0);
  kimi.in(0, "ssm_beta", {256, 2}).raw_in(0, "ssm_a", {1, 2}).raw_in(0, "ssm_dt.bias", {64});
  kimi.in(0, "ssm_norm", {32}).in(0, "attn_output", {64, 256}, ggml::kQ8_0).ffn(0);
  CHECK(std::get<KeyedDelta>(exact(kimi).spec.layers.at(0).attention) ==
        KeyedDelta{.heads = 2, .head = 32, .conv = 4, .decay_rank = 32, .gate_rank = 32});
}

TEST_CASE("Nemotron-H has one block a layer, by the tensors") {
  GgufModel nemotron("nemotron_h");
  nemotron.key("block_count", 3).key("embedding_length", 256).key("attention.head_count", 4);
  nemotron.keys("attention.head_count_kv", {0, 0, 2}).keys("feed_forward_length", {0, 512, 0});
  nemotron.key("ssm.conv_kernel", 4).key("ssm.inner_size", 128).key("ssm.state_size", 16);
  nemotron.key("ssm.time_step_rank", 4).key("ssm.group_count", 2).outer();
  // 2 x 128 of gate and input, 2 x 2 x 16 of B and C, 4 step sizes.
  nemotron.in(0, "attn_norm", {256}).in(0, "ssm_in", {256, 324}, ggml::kQ4K);
  nemotron.in(0, "ssm_conv1d", {4, 192}).raw_in(0, "ssm_conv1d.bias", {192});
  nemotron.raw_in(0, "ssm_dt.bias", {4}).raw_in(0, "ssm_a", {1, 4}).raw_in(0, "ssm_d", {1, 4});
  nemotron.in(0, "ssm_norm", {64, 2}).in(0, "ssm_out", {128, 256}, ggml::kQ8_0);
  nemotron.in(1, "attn_norm", {256}).in(1, "ffn_up", {256, 512}, ggml::kQ4K);
  nemotron.in(1, "ffn_down", {512, 256}, ggml::kQ6K);
  nemotron.attention(2);
  const ImportedModel m = exact(nemotron);
  REQUIRE(m.spec.layers.size() == 3);
  CHECK(std::get<Mamba2>(m.spec.layers.at(0).attention) ==
        Mamba2{.heads = 4, .head = 32, .groups = 2, .state = 16, .conv = 4, .conv_bias = true});
  CHECK(std::holds_alternative<NoMlp>(m.spec.layers.at(0).mlp));
  CHECK(std::get<DenseMlp>(m.spec.layers.at(1).mlp) == DenseMlp{.width = 512, .gated = false});
  CHECK(std::get<GroupedAttention>(m.spec.layers.at(2).attention).kv_heads == 2);
}

TEST_CASE("Gemma 4 has its own embedding for each layer, wide full layers and shared caches") {
  GgufModel gemma("gemma4");
  gemma.shape(3, 2, 1).keys("attention.sliding_window_pattern", {1, 0, 1});
  gemma.key("attention.sliding_window", 512).key("attention.shared_kv_layers", 1);
  for (const char* length : {"attention.key_length", "attention.value_length"}) {
    gemma.key(length, 256).key(std::string(length) + "_swa", 128);
  }
  gemma.outer(true).tensor("per_layer_token_embd.weight", {96, 64});
  gemma.tensor("per_layer_model_proj.weight", {256, 96}, ggml::kF16);
  gemma.tensor("per_layer_proj_norm.weight", {32});
  for (const int i : {0, 1, 2}) {
    const std::uint64_t head = i == 1 ? 256 : 128;
    gemma.in(i, "attn_norm", {256}).in(i, "attn_q", {256, 2 * head}, ggml::kQ4K);
    gemma.in(i, "attn_q_norm", {head}).in(i, "attn_output", {2 * head, 256}, ggml::kQ4K);
    if (i < 2) {
      gemma.in(i, "attn_k", {256, head}, ggml::kQ4K).in(i, "attn_k_norm", {head});
    }
    if (i == 0) {
      gemma.in(i, "attn_v", {256, head}, ggml::kQ4K);  // the full layer's values are its keys
    }
    gemma.ffn(i).in(i, "post_attention_norm", {256}).in(i, "post_ffw_norm", {256});
    gemma.in(i, "inp_gate", {256, 32}).in(i, "proj", {32, 256}).in(i, "post_norm", {256});
    gemma.in(i, "layer_output_scale", {1});
  }
  const ImportedModel m = exact(gemma);
  REQUIRE(m.spec.layers.size() == 3);
  CHECK(m.spec.per_layer_embedding == PerLayerEmbedding{.vocabulary = 64, .width = 32});
  CHECK(m.spec.layers.at(0).norms == 5);
  CHECK(std::get<GroupedAttention>(m.spec.layers.at(0).attention).window == 512);
  const auto& full = std::get<GroupedAttention>(m.spec.layers.at(1).attention);
  CHECK(full.head == 256);
  CHECK(full.value_is_key);
  CHECK(std::get<GroupedAttention>(m.spec.layers.at(2).attention).shared_kv);
}

TEST_CASE("GLM-5's index scan is read; layers without its tensors share the picks") {
  GgufModel glm("glm-dsa");
  glm.shape(2, 2, 1).key("attention.q_lora_rank", 256).key("attention.kv_lora_rank", 256);
  glm.key("attention.key_length_mla", 96).key("attention.value_length_mla", 64);
  glm.key("attention.indexer.head_count", 4).key("attention.indexer.key_length", 32);
  glm.key("attention.indexer.top_k", 128).outer();
  for (const int i : {0, 1}) {
    glm.in(i, "attn_norm", {256}).in(i, "attn_q_a", {256, 256}, ggml::kQ4K);
    glm.in(i, "attn_q_a_norm", {256}).in(i, "attn_q_b", {256, 192}, ggml::kQ4K);
    glm.in(i, "attn_kv_a_mqa", {256, 288}, ggml::kQ8_0).in(i, "attn_kv_a_norm", {256});
    glm.in(i, "attn_k_b", {64, 256, 2}, ggml::kQ8_0).in(i, "attn_v_b", {256, 64, 2}, ggml::kQ8_0);
    glm.in(i, "attn_output", {128, 256}, ggml::kQ8_0).ffn(i);
  }
  glm.in(0, "indexer.attn_q_b", {256, 128}, ggml::kQ8_0).in(0, "indexer.proj", {256, 4});
  glm.in(0, "indexer.attn_k", {256, 32}, ggml::kQ8_0).in(0, "indexer.k_norm", {32});
  glm.raw_in(0, "indexer.k_norm.bias", {32});
  const ImportedModel m = exact(glm);
  REQUIRE(m.spec.layers.size() == 2);
  const auto& scan = std::get<LatentAttention>(m.spec.layers.at(0).attention).indexer;
  CHECK(scan == Indexer{.heads = 4, .head = 32, .top_k = 128});
  CHECK(std::get<LatentAttention>(m.spec.layers.at(1).attention).indexer->shared);
}

TEST_CASE("Command-R has one norm before two parallel blocks") {
  GgufModel command("command-r");
  command.shape(1, 4, 2).outer(true).attention(0);
  command.in(0, "ffn_gate", {256, 512}, ggml::kQ4K).in(0, "ffn_up", {256, 512}, ggml::kQ4K);
  command.in(0, "ffn_down", {512, 256}, ggml::kQ4K);
  const ImportedModel m = exact(command);
  CHECK(m.spec.layers.at(0).parallel);
  CHECK(m.spec.layers.at(0).norms == 1);
}

TEST_CASE("Falcon has biased norms and no gate") {
  GgufModel falcon("falcon");
  falcon.shape(1, 4, 1).outer().tensor("output_norm.bias", {256});
  falcon.in(0, "attn_norm", {256}).raw_in(0, "attn_norm.bias", {256});
  falcon.in(0, "attn_qkv", {256, 384}, ggml::kQ4K).in(0, "attn_output", {256, 256}, ggml::kQ4K);
  falcon.in(0, "ffn_up", {256, 1024}, ggml::kQ4K).in(0, "ffn_down", {1024, 256}, ggml::kQ4K);
  const ImportedModel m = exact(falcon);
  CHECK(m.spec.layers.at(0).norm_bias);
  CHECK(m.spec.layers.at(0).parallel);
  CHECK(std::get<DenseMlp>(m.spec.layers.at(0).mlp) == DenseMlp{.width = 1024, .gated = false});
}

TEST_CASE("three of four layers of Llama 4 attend in chunks; experts stand in every second") {
  GgufModel llama("llama4");
  llama.shape(4, 4, 2).key("expert_used_count", 1).outer();
  for (const int i : {0, 1, 2, 3}) {
    llama.attention(i);
    if (i % 2 == 0) {
      llama.ffn(i);
      continue;
    }
    llama.in(i, "ffn_norm", {256}).in(i, "ffn_gate_inp", {256, 2});
    for (const char* part : {"ffn_gate_exps", "ffn_up_exps"}) {
      llama.in(i, part, {256, 256, 2}, ggml::kQ4K);
    }
    llama.in(i, "ffn_down_exps", {256, 256, 2}, ggml::kQ4K);
    for (const char* part : {"ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"}) {
      llama.in(i, part, {256, 256}, ggml::kQ4K);
    }
  }
  const ImportedModel m = exact(llama);
  REQUIRE(m.spec.layers.size() == 3);
  CHECK(m.spec.order == std::vector<std::uint16_t>{0, 1, 0, 2});
  CHECK(std::get<GroupedAttention>(m.spec.layers.at(0).attention).chunk == 8192);
  CHECK(std::get<GroupedAttention>(m.spec.layers.at(2).attention).chunk == 0);
  CHECK(std::get<MoeMlp>(m.spec.layers.at(2).mlp).shared_width == 256);
}

}  // namespace
}  // namespace fathom::model
