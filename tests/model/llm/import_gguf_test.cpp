#include "model/llm/import_gguf.h"

#include "tests/support/catch.h"
#include "tests/support/folder.h"
#include "tests/support/gguf_writer.h"

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using test::Folder;
using test::GgufWriter;

GgufFile good(const std::string& bytes) {
  const Folder folder;
  Diagnostics diagnostics;
  auto file = read_gguf_header(folder.write("m.gguf", bytes), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(file);
  CHECK(diagnostics.all().empty());
  return *std::move(file);
}

TEST_CASE("a GGUF header gives metadata, shapes, types and bytes") {
  for (const std::uint32_t version : {2U, 3U}) {
    GgufWriter w = test::small_llama_gguf();
    w.set_version(version);
    const GgufFile file = good(w.file());
    CHECK(file.version == static_cast<int>(version));
    CHECK(file.parts == 1);
    CHECK(file.alignment == 32);
    CHECK(file.file_bytes == static_cast<Count>(w.file().size()));
    CHECK(file.data_bytes == 3 * 144 + 1024 + 2 * 8 * 34);
    CHECK(file.text("general.architecture") == "llama");
    CHECK(file.integer("llama.embedding_length") == 256);
    CHECK_FALSE(file.integer("general.architecture"));
    CHECK(std::get<double>(*file.find("llama.rope.freq_base")) == 10000.5);
    CHECK(file.find("llama.nothing") == nullptr);
    REQUIRE(file.tensors.size() == 3);
    const GgufTensor& q = file.tensors.at(2);
    CHECK(q.name == "blk.0.attn_q.weight");
    CHECK(q.dimensions == std::vector<Count>{256, 2});
    CHECK(q.type.name == "Q8_0");
    CHECK(q.type.format == Format::Q8_0);
    CHECK(q.elements == 512);
    CHECK(q.bytes == 544);
    CHECK(q.offset == 448 + 1024);  // 432 bytes of embedding, then the next multiple of 32
  }
}

TEST_CASE("numbers of an array are kept, of texts only how many") {
  const GgufFile file = good(test::small_llama_gguf().file());
  const auto& heads = std::get<GgufArray>(*file.find("llama.attention.head_count_kv"));
  CHECK(heads == GgufArray{GgufValueType::Uint32, 3, {2, 4, 8}});
  const auto& tokens = std::get<GgufArray>(*file.find("tokenizer.ggml.tokens"));
  CHECK(tokens == GgufArray{GgufValueType::Text, 3, {}});
  GgufWriter w;
  w.uint32s("kept", std::vector<std::uint32_t>(4096, 7));
  w.uint32s("counted", std::vector<std::uint32_t>(4097, 7));
  const GgufFile large = good(w.file());
  CHECK(std::get<GgufArray>(*large.find("kept")).numbers.size() == 4096);
  CHECK(std::get<GgufArray>(*large.find("counted")) == GgufArray{GgufValueType::Uint32, 4097, {}});
}

TEST_CASE("each type of metadata value is read") {
  const auto little = [](std::uint64_t value, int width) {
    return GgufWriter::little(value, width);
  };
  GgufWriter w;
  w.raw("u8", 0, little(200, 1)).raw("i8", 1, little(0xfe, 1)).raw("u16", 2, little(65535, 2));
  w.raw("i16", 3, little(0xfffe, 2)).raw("u32", 4, little(4294967295, 4));
  w.raw("i32", 5, little(0xfffffffe, 4)).raw("bool", 7, little(1, 1));
  w.raw("u64", 10, little(1ULL << 63U, 8)).raw("i64", 11, little(~1ULL, 8));
  w.raw("f64", 12, little(std::bit_cast<std::uint64_t>(0.1), 8));
  w.raw("nested", 9,
        little(9, 4) + little(2, 8) + (little(7, 4) + little(2, 8) + little(1, 1) + little(0, 1)) +
            (little(8, 4) + little(1, 8) + GgufWriter::text("x")));
  w.raw("truths", 9, little(7, 4) + little(2, 8) + little(1, 1) + little(0, 1));
  w.string("last", "reached");
  const GgufFile file = good(w.file());
  CHECK(file.integer("u8") == 200);
  CHECK(file.integer("i8") == -2);
  CHECK(file.integer("u16") == 65535);
  CHECK(file.integer("i16") == -2);
  CHECK(file.integer("u32") == 4294967295);
  CHECK(file.integer("i32") == -2);
  CHECK(file.integer("i64") == -2);
  CHECK_FALSE(file.integer("u64"));  // does not fit
  CHECK(std::get<std::uint64_t>(*file.find("u64")) == 1ULL << 63U);
  CHECK(std::get<bool>(*file.find("bool")));
  CHECK(std::get<double>(*file.find("f64")) == 0.1);
  CHECK(std::get<GgufArray>(*file.find("nested")) == GgufArray{GgufValueType::Array, 2, {}});
  CHECK(std::get<GgufArray>(*file.find("truths")) == GgufArray{GgufValueType::Bool, 2, {1, 0}});
  CHECK(file.text("last") == "reached");
}

TEST_CASE("headers of other architectures, alignments and types are read") {
  GgufWriter w;
  w.set_alignment(64);
  w.string("general.architecture", "deepseek2").uint32("general.alignment", 64);
  w.uint32("deepseek2.expert_count", 4).uint32("deepseek2.attention.kv_lora_rank", 64);
  w.tensor({"blk.0.ffn_up_exps.weight", {256, 2, 4}, 18, 784});
  w.tensor({"blk.0.ffn_gate_inp.weight", {256, 4}, 0, 4096});
  w.tensor({"blk.0.ffn_gate_tid2eid", {2, 3}, 26, 24});
  w.tensor({"blk.0.attn_kv_b.weight", {64, 4}, 39, 136});
  w.tensor({"blk.0.ssm_conv1d.weight", {64, 4}, 40, 144});
  w.tensor({"rope_freqs.weight", {64}, 28, 512});
  const GgufFile file = good(w.file());
  CHECK(file.alignment == 64);
  CHECK(file.tensors.at(0).elements == 2048);
  CHECK(file.tensors.at(1).offset == 832);  // 784 to the next multiple of 64
  CHECK_FALSE(file.tensors.at(2).type.format);
  CHECK(file.tensors.at(3).type.format == Format::Mxfp4);
  CHECK(file.data_bytes == 784 + 4096 + 24 + 136 + 144 + 512);
}

TEST_CASE("a header of more than a mebibyte is read in steps") {
  GgufWriter w;
  w.strings("tokenizer.ggml.tokens", std::vector<std::string>(200'000, "token"));
  w.string("general.architecture", "qwen3");
  w.tensor({"output.weight", {32, 2}, 8, 68});
  const GgufFile file = good(w.file());
  CHECK(std::get<GgufArray>(*file.find("tokenizer.ggml.tokens")).count == 200'000);
  CHECK(file.text("general.architecture") == "qwen3");
  CHECK(file.tensors.size() == 1);
}

struct Part {
  std::uint64_t number;
  std::uint64_t count;
  std::string tensor;
};

std::string part(const Part& p, std::uint64_t tensors) {
  GgufWriter w;
  w.uint16("split.no", p.number).uint16("split.count", p.count);
  w.raw("split.tensors.count", 5, GgufWriter::little(tensors, 4));
  w.string("general.architecture", p.number == 0 ? "llama" : "none");
  return w.tensor({p.tensor, {32, 2}, 8, 68}).file();
}

TEST_CASE("any part of a split file gives the tensors of all, and the metadata of the first") {
  const Folder folder;
  const std::string first = folder.write("m-00001-of-00002.gguf", part({0, 2, "a"}, 2));
  const std::string second = folder.write("m-00002-of-00002.gguf", part({1, 2, "b"}, 2));
  for (const std::string& path : {first, second}) {
    Diagnostics diagnostics;
    const auto file = read_gguf_header(path, diagnostics);
    INFO(render(diagnostics));
    REQUIRE(file);
    CHECK(file->parts == 2);
    CHECK(file->path == path);
    CHECK(file->text("general.architecture") == "llama");
    REQUIRE(file->tensors.size() == 2);
    CHECK(file->tensors.at(0).name == "a");
    CHECK(file->tensors.at(1).name == "b");
    CHECK(file->tensors.at(1).part == 1);
    CHECK(file->data_bytes == 136);
  }
}

TEST_CASE("parts of a split file that are missing or do not belong together are named") {
  const Folder folder;
  const auto message = [&](const std::string& path) {
    Diagnostics diagnostics;
    CHECK_FALSE(read_gguf_header(path, diagnostics));
    REQUIRE(diagnostics.has_errors());
    return diagnostics.all().front().message;
  };
  const std::string lone = folder.write("m-00002-of-00003.gguf", part({1, 3, "b"}, 3));
  CHECK(message(lone) == "2 of 3 parts are missing: " + folder.at("m-00001-of-00003.gguf") + ", " +
                             folder.at("m-00003-of-00003.gguf"));
  const std::string renamed = folder.write("b.gguf", part({1, 3, "b"}, 3));
  CHECK_THAT(message(renamed), ContainsSubstring("does not end in -00001-of-00003.gguf"));
  const std::string same = folder.write("s-00001-of-00002.gguf", part({0, 2, "a"}, 2));
  CHECK(folder.write("s-00002-of-00002.gguf", part({1, 2, "a"}, 2)) != same);
  CHECK(message(same) == "tensor 'a' is there twice");
  const std::string fewer = folder.write("f-00001-of-00002.gguf", part({0, 2, "a"}, 3));
  CHECK(folder.write("f-00002-of-00002.gguf", part({1, 2, "b"}, 3)) != fewer);
  CHECK(message(fewer) == "the parts hold 2 tensors, 'split.tensors.count' is 3");
  const std::string copied = folder.write("c-00001-of-00002.gguf", part({0, 2, "a"}, 2));
  CHECK(folder.write("c-00002-of-00002.gguf", part({0, 2, "b"}, 2)) != copied);
  CHECK_THAT(message(copied), ContainsSubstring("by its name part 2 of 2"));
}

}  // namespace
}  // namespace fathom::model
