#include "model/llm/gguf_model.h"

#include "model/llm/import_model.h"
#include "model/llm/parameter_count.h"
#include "model/llm/write_model.h"
#include "tests/support/catch.h"
#include "tests/support/exact_gguf.h"
#include "tests/support/folder.h"
#include "tests/support/gguf_models.h"

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using test::exact;
using test::Folder;
using test::GgufModel;
namespace ggml = test::ggml;

const GroupedAttention& grouped(const ImportedModel& m, std::size_t kind) {
  return std::get<GroupedAttention>(m.spec.layers.at(kind).attention);
}

TEST_CASE("layers of a Q4_K_M file that are stored otherwise are other kinds, in order") {
  const ImportedModel m = exact(test::mixed_llama_gguf());
  CHECK(m.spec.id == "tiny-llama-2m-q4_k_m");
  CHECK(m.source == "header of m.gguf (GGUF v3)");
  CHECK(m.spec.hidden == 256);
  CHECK(m.spec.vocabulary == 64);
  CHECK(m.spec.max_context == 4096);
  CHECK(m.spec.kv_format == Format::Fp16);
  CHECK_FALSE(m.spec.tied_embeddings);
  REQUIRE(m.spec.layers.size() == 2);
  CHECK(m.spec.order == std::vector<std::uint16_t>{0, 1, 0});
  const Formats& first = m.spec.layers.at(0).formats;
  CHECK(format_of(first, Role::Query) == Format::Q4K);
  CHECK(format_of(first, Role::Value) == Format::Q6K);
  CHECK(format_of(first, Role::DenseUp) == Format::Q4K);
  CHECK(format_of(first, Role::DenseDown) == Format::Q6K);
  CHECK(format_of(first, Role::Norms) == Format::Fp32);
  CHECK(format_of(m.spec.layers.at(1).formats, Role::Value) == Format::Q4K);
  CHECK(format_of(m.spec.formats, Role::LmHead) == Format::Q6K);
  CHECK(m.weight_bytes ==
        std::to_string(static_cast<Count>(test::mixed_llama_gguf().data_bytes())));
  const std::string text = write_model(m);
  CHECK_THAT(text, ContainsSubstring("order: \"full full-2 full\""));
}

TEST_CASE("one part of a split GGUF gives the whole model") {
  GgufModel first("llama");
  first.shape(2, 4, 2).outer().attention(0).ffn(0);
  GgufModel second("llama");
  second.attention(1).ffn(1);
  int number = 0;
  for (GgufModel* part : {&first, &second}) {
    part->writer()
        .uint16("split.no", static_cast<std::uint64_t>(number++))
        .uint16("split.count", 2);
  }
  const Folder folder;
  const std::string one = folder.write("tiny-llama-Q4_K-00001-of-00002.gguf", first.file());
  const std::string two = folder.write("tiny-llama-Q4_K-00002-of-00002.gguf", second.file());
  for (const std::string& path : {one, two}) {
    Diagnostics diagnostics;
    const auto m = import_model(path, diagnostics);
    INFO(render(diagnostics));
    REQUIRE(m);
    CHECK(diagnostics.all().empty());
    CHECK(take_census(m->spec).weight_bytes.base() == first.data_bytes() + second.data_bytes());
    CHECK(m->spec.layer_count() == 2);
    CHECK(m->spec.id == "tiny-llama-q4_k");
  }
}

TEST_CASE("biases and norms of the heads follow from the tensors") {
  GgufModel qwen2("qwen2");
  qwen2.shape(1, 4, 2).outer().attention(0).ffn(0);
  qwen2.raw_in(0, "attn_q.bias", {256}).raw_in(0, "attn_k.bias", {128});
  qwen2.raw_in(0, "attn_v.bias", {128});
  CHECK(grouped(exact(qwen2), 0).qkv_bias);

  GgufModel qwen3("qwen3");
  qwen3.shape(1, 2, 1).key("attention.key_length", 128).key("attention.value_length", 128);
  qwen3.outer().attention(0).ffn(0).in(0, "attn_q_norm", {128}).in(0, "attn_k_norm", {128});
  const GroupedAttention a = grouped(exact(qwen3), 0);
  CHECK(a.qk_norm == GroupedAttention::QkNorm::Head);
  CHECK(a.head == 128);
  CHECK_FALSE(a.qkv_bias);
}

TEST_CASE("fused projections of Phi-3 are split") {
  GgufModel phi("phi3");
  phi.shape(1, 4, 2).key("attention.sliding_window", 2047).outer();
  phi.in(0, "attn_norm", {256}).in(0, "attn_qkv", {256, 512}, ggml::kQ4K);
  phi.in(0, "attn_output", {256, 256}, ggml::kQ4K).in(0, "ffn_norm", {256});
  phi.in(0, "ffn_up", {256, 1024}, ggml::kQ4K).in(0, "ffn_down", {512, 256}, ggml::kQ4K);
  const ImportedModel m = exact(phi);
  CHECK(std::get<DenseMlp>(m.spec.layers.at(0).mlp) == DenseMlp{.width = 512, .gated = true});
  CHECK(grouped(m, 0).window == 0);
  CHECK(m.notes.back() == "attention.sliding_window is not used: llama.cpp attends in full here");
}

TEST_CASE("Gemma 3 is tied, has four norms and five windows to a full layer") {
  GgufModel gemma("gemma3");
  gemma.shape(6, 4, 2).key("attention.sliding_window", 512).outer(true);
  for (const int i : {0, 1, 2, 3, 4, 5}) {
    gemma.attention(i).ffn(i).in(i, "attn_q_norm", {64}).in(i, "attn_k_norm", {64});
    gemma.in(i, "post_attention_norm", {256}).in(i, "post_ffw_norm", {256});
  }
  const ImportedModel m = exact(gemma);
  CHECK(m.spec.tied_embeddings);
  REQUIRE(m.spec.layers.size() == 2);
  CHECK(m.spec.layers.at(0).count == 5);
  CHECK(m.spec.layers.at(0).norms == 4);
  CHECK(grouped(m, 0).window == 512);
  CHECK(grouped(m, 1).window == 0);
}

TEST_CASE("gpt-oss has sinks, biases everywhere, and windows in every second layer") {
  GgufModel oss("gpt-oss");
  oss.shape(2, 4, 2).key("attention.sliding_window", 128).key("expert_used_count", 2).outer();
  for (const int i : {0, 1}) {
    oss.attention(i).in(i, "post_attention_norm", {256}).in(i, "attn_sinks", {4});
    oss.raw_in(i, "attn_q.bias", {256}).raw_in(i, "attn_k.bias", {128});
    oss.raw_in(i, "attn_v.bias", {128}).raw_in(i, "attn_output.bias", {256});
    oss.in(i, "ffn_gate_inp", {256, 4}).raw_in(i, "ffn_gate_inp.bias", {4});
    oss.in(i, "ffn_gate_exps", {256, 64, 4}, ggml::kMxfp4);
    oss.in(i, "ffn_up_exps", {256, 64, 4}, ggml::kMxfp4);
    oss.in(i, "ffn_down_exps", {64, 256, 4}, ggml::kMxfp4);
    oss.raw_in(i, "ffn_gate_exps.bias", {64, 4}).raw_in(i, "ffn_up_exps.bias", {64, 4});
    oss.raw_in(i, "ffn_down_exps.bias", {256, 4});
  }
  const ImportedModel m = exact(oss);
  REQUIRE(m.spec.layers.size() == 2);
  CHECK(grouped(m, 0).window == 128);
  CHECK(grouped(m, 1).window == 0);
  CHECK(grouped(m, 0).sinks);
  CHECK(grouped(m, 0).output_bias);
  CHECK(std::get<MoeMlp>(m.spec.layers.at(0).mlp) ==
        MoeMlp{.experts = 4, .top_k = 2, .width = 64, .router_linear_bias = true, .bias = true});
}

TEST_CASE("experts of 2023, one tensor each, are one role") {
  GgufModel mixtral("llama");
  mixtral.shape(1, 4, 2).key("expert_count", 2).key("expert_used_count", 1).outer();
  mixtral.attention(0).in(0, "ffn_norm", {256}).in(0, "ffn_gate_inp", {256, 2}, ggml::kF16);
  for (const char* expert : {"0", "1"}) {
    mixtral.in(0, std::string("ffn_gate.") + expert, {256, 512}, ggml::kQ4K);
    mixtral.in(0, std::string("ffn_up.") + expert, {256, 512}, ggml::kQ4K);
    mixtral.in(0, std::string("ffn_down.") + expert, {512, 256}, ggml::kQ6K);
  }
  CHECK(std::get<MoeMlp>(exact(mixtral).spec.layers.at(0).mlp) ==
        MoeMlp{.experts = 2, .top_k = 1, .width = 512});
}

/// MLA of 2 heads (64 without and 32 with position, values of 64), latent 256, query rank 256.
void add_mla(GgufModel& m, int index) {
  m.in(index, "attn_norm", {256}).in(index, "attn_q_a", {256, 256}, ggml::kQ4K);
  m.in(index, "attn_q_a_norm", {256}).in(index, "attn_q_b", {256, 192}, ggml::kQ4K);
  m.in(index, "attn_kv_a_mqa", {256, 288}, ggml::kQ8_0).in(index, "attn_kv_a_norm", {256});
  m.in(index, "attn_output", {128, 256}, ggml::kQ8_0);
}

void add_shared_experts(GgufModel& m, int index) {
  m.in(index, "ffn_norm", {256}).in(index, "ffn_gate_inp", {256, 4});
  m.raw_in(index, "exp_probs_b.bias", {4});
  m.in(index, "ffn_gate_exps", {256, 256, 4}, ggml::kQ4K);
  m.in(index, "ffn_up_exps", {256, 256, 4}, ggml::kQ4K);
  m.in(index, "ffn_down_exps", {256, 256, 4}, ggml::kQ6K);
  m.in(index, "ffn_gate_shexp", {256, 512}, ggml::kQ4K);
  m.in(index, "ffn_up_shexp", {256, 512}, ggml::kQ4K);
  m.in(index, "ffn_down_shexp", {512, 256}, ggml::kQ6K);
}

TEST_CASE("MLA is read with one up-projection and with two") {
  for (const bool split : {false, true}) {
    GgufModel deepseek("deepseek2");
    deepseek.shape(2, 2, split ? 1 : 2).key("attention.q_lora_rank", 256);
    deepseek.key("attention.kv_lora_rank", 256).key("rope.dimension_count", 32);
    deepseek.key("attention.key_length", split ? 288 : 96);
    deepseek.key("attention.value_length", split ? 256 : 64).key("expert_used_count", 2);
    if (split) {
      deepseek.key("attention.key_length_mla", 96).key("attention.value_length_mla", 64);
    }
    deepseek.outer();
    for (const int i : {0, 1}) {
      add_mla(deepseek, i);
      if (split) {
        deepseek.in(i, "attn_k_b", {64, 256, 2}, ggml::kQ8_0);
        deepseek.in(i, "attn_v_b", {256, 64, 2}, ggml::kQ8_0);
      } else {
        deepseek.in(i, "attn_kv_b", {256, 256}, ggml::kQ8_0);
      }
    }
    deepseek.ffn(0);
    add_shared_experts(deepseek, 1);
    const ImportedModel m = exact(deepseek);
    REQUIRE(m.spec.layers.size() == 2);
    CHECK(std::get<LatentAttention>(m.spec.layers.at(0).attention) ==
          LatentAttention{.heads = 2,
                          .query_rank = 256,
                          .latent_rank = 256,
                          .nope_head = 64,
                          .rope_head = 32,
                          .value_head = 64});
    CHECK(std::get<MoeMlp>(m.spec.layers.at(1).mlp) ==
          MoeMlp{.experts = 4, .top_k = 2, .width = 256, .shared_width = 512, .router_bias = true});
  }
}

TEST_CASE("the last block of GLM-4.5 is a multi-token prediction layer") {
  GgufModel glm("glm4moe");
  glm.shape(3, 4, 2).key("expert_used_count", 2).key("nextn_predict_layers", 1).outer();
  glm.attention(0).ffn(0);
  for (const int i : {1, 2}) {
    glm.attention(i);
    add_shared_experts(glm, i);
  }
  glm.in(2, "nextn.eh_proj", {512, 256}, ggml::kQ8_0).in(2, "nextn.enorm", {256});
  glm.in(2, "nextn.hnorm", {256}).in(2, "nextn.shared_head_norm", {256});
  glm.in(2, "nextn.embed_tokens", {256, 64}, ggml::kQ4K);
  glm.in(2, "nextn.shared_head_head", {256, 64}, ggml::kQ4K);
  const ImportedModel m = exact(glm);
  CHECK(m.spec.layer_count() == 2);
  REQUIRE(m.spec.mtp.size() == 1);
  CHECK(m.spec.mtp.front().count == 1);
  CHECK_FALSE(m.spec.mtp_shared_embedding);
}

}  // namespace
}  // namespace fathom::model
