#include "model/llm/import_model.h"
#include "model/llm/parameter_count.h"
#include "tests/support/catch.h"
#include "tests/support/folder.h"
#include "tests/support/gguf_models.h"

#include <algorithm>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using test::Folder;
using test::GgufModel;
namespace ggml = test::ggml;

/// What is wrong with a file, without its path.
std::string refusal(const GgufModel& m) {
  const Folder folder;
  const std::string path = folder.write("m.gguf", m.file());
  Diagnostics diagnostics;
  CHECK_FALSE(import_model(path, diagnostics));
  std::string out;
  for (const hardware::Diagnostic& d : diagnostics.all()) {
    out += (out.empty() ? "" : "\n") + d.message;
  }
  return out;
}

struct Warned {
  ImportedModel model;
  std::string warning;
};

Warned warned(const GgufModel& m) {
  const Folder folder;
  Diagnostics diagnostics;
  auto imported = import_model(folder.write("m.gguf", m.file()), diagnostics);
  REQUIRE(imported);
  CHECK_FALSE(diagnostics.has_errors());
  REQUIRE(diagnostics.all().size() == 1);
  return {*std::move(imported), diagnostics.all().front().message};
}

GgufModel one_layer(std::string_view architecture) {
  GgufModel m(architecture);
  m.shape(1, 4, 2).outer().attention(0).ffn(0);
  return m;
}

TEST_CASE("an architecture that is not known is refused by name") {
  CHECK(refusal(one_layer("qwen9")) == "unknown architecture 'qwen9'");
}

TEST_CASE("a missing key is named, each once") {
  GgufModel m("llama");
  m.key("block_count", 2).key("embedding_length", 256).outer();
  m.attention(0).ffn(0).attention(1).ffn(1);
  CHECK(refusal(m) == "missing field 'llama.attention.head_count'");
  GgufModel moe("qwen3moe");
  moe.shape(1, 4, 2).outer().attention(0).in(0, "ffn_norm", {256});
  moe.in(0, "ffn_gate_inp", {256, 2}).in(0, "ffn_gate_exps", {256, 256, 2}, ggml::kQ4K);
  moe.in(0, "ffn_up_exps", {256, 256, 2}, ggml::kQ4K);
  moe.in(0, "ffn_down_exps", {256, 256, 2}, ggml::kQ4K);
  CHECK(refusal(moe) == "missing field 'qwen3moe.expert_used_count'");
}

TEST_CASE("a tensor whose type has no format is named") {
  GgufModel m("llama");
  m.shape(1, 4, 2).outer().attention(0, ggml::kQ8K).ffn(0);
  CHECK(refusal(m) == "tensor 'blk.0.attn_v.weight' is stored as Q8_K, which has no format here");
}

TEST_CASE("a block without a tensor that it needs is refused") {
  GgufModel m("llama");
  m.shape(2, 4, 2).outer().attention(0).ffn(0);
  CHECK(refusal(m) == "block 1 has no tensors");
  GgufModel half("llama");
  half.shape(1, 4, 2).outer().attention(0).in(0, "ffn_norm", {256});
  half.in(0, "ffn_down", {512, 256}, ggml::kQ4K);
  CHECK(refusal(half) == "block 0 has no tensor for dense_up");
}

TEST_CASE("sizes that no model has are refused") {
  GgufModel m("llama");
  m.shape(1, 1'000'000'000, 2).outer().attention(0).ffn(0);
  m.key("attention.key_length", 1'000'000'000);
  CHECK_THAT(refusal(m), ContainsSubstring("the sizes give"));
  GgufModel more("llama");
  more.shape(1, 2'000'000'000, 2).outer().attention(0).ffn(0);
  CHECK(refusal(more) == "'llama.attention.head_count' is not a whole number from 0 to 1000000000");
}

TEST_CASE("a tensor that no role holds is warned of with its bytes") {
  GgufModel m = one_layer("llama");
  const auto known = static_cast<Count>(m.data_bytes());
  m.tensor("rope_freqs.weight", {32});
  const Warned w = warned(m);
  CHECK(w.warning == "the model has " + std::to_string(known) +
                         " bytes of weights, the tensors of the file " +
                         std::to_string(known + 128));
  CHECK(w.model.notes.back() ==
        "no role holds rope_freqs.weight: the model has 128 bytes less, 32 parameters less");
  CHECK_FALSE(w.model.weight_bytes);
}

TEST_CASE("a tensor's name that is no UTF-8 may stand in a note") {
  GgufModel m = one_layer("llama");
  m.tensor("r\xFFpe\xC3", {32});
  CHECK_THAT(warned(m).model.notes.back(), ContainsSubstring("no role holds r?pe?: "));
}

TEST_CASE("gate and up in two formats are said, and the nearer one stands for both") {
  GgufModel m("llama");
  m.shape(1, 4, 2).outer().attention(0).in(0, "ffn_norm", {256});
  m.in(0, "ffn_gate", {256, 512}, ggml::kQ4K).in(0, "ffn_up", {256, 512}, ggml::kQ6K);
  m.in(0, "ffn_down", {512, 256}, ggml::kQ4K);
  const Warned w = warned(m);
  // 512 rows of 210 or 144 bytes: either format is 33,792 bytes away; the first one is taken.
  CHECK(w.model.notes.back() ==
        "dense_up is stored as q4_k and q6_k and taken as q4_k: the model has 33792 bytes less");
}

TEST_CASE("tensors of another shape than the metadata give are said") {
  GgufModel m("llama");
  m.shape(1, 4, 4).outer().attention(0).ffn(0);  // keys and values of two heads
  const Warned w = warned(m);
  CHECK(w.model.notes.back() ==
        "value has another shape than the metadata give: the model has 18432 bytes more, 32768 "
        "parameters more");
}

}  // namespace
}  // namespace fathom::model
