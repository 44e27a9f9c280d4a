#include "model/llm/import_safetensors.h"

#include "model/llm/checkpoint.h"
#include "model/llm/safetensors_index.h"
#include "tests/support/catch.h"

#include <filesystem>
#include <fstream>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using Names = std::vector<std::string>;

/// A folder that is gone when the test ends.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "fathom_import_safetensors_test") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder& operator=(Folder&&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path path_;
};

std::string prefix(std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) {
    bytes += static_cast<char>(length >> static_cast<unsigned>(8 * i) & 0xFFU);
  }
  return bytes;
}

std::string safetensors(const std::string& header, std::size_t data) {
  return prefix(header.size()) + header + std::string(data, '\0');
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape +
         R"(],"data_offsets":[)" + offsets + "]}";
}

/// What is said of a file, its path written as FILE.
std::string faults_of(const std::string& bytes) {
  const Folder folder;
  folder.write("a.safetensors", bytes);
  const std::string path = folder.path("a.safetensors");
  Diagnostics diagnostics;
  CHECK_FALSE(read_safetensors_header(path, diagnostics));
  CHECK(diagnostics.has_errors());
  std::string text = render(diagnostics);
  for (auto at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
    text.replace(at, path.size(), "FILE");
  }
  return text;
}

std::string faults_of_tensors(const std::string& entries, std::size_t data) {
  return faults_of(safetensors("{" + entries + "}", data));
}

SafetensorsHeader header_of(const std::string& bytes) {
  const Folder folder;
  Diagnostics diagnostics;
  folder.write("a.safetensors", bytes);
  auto header = read_safetensors_header(folder.path("a.safetensors"), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(header);
  return *std::move(header);
}

const std::string kTwoTensors = R"({"__metadata__":{"format":"pt"},)" +
                                entry("b", "BF16", "2,3", "4,16") + "," +
                                entry("a", "F32", "", "0,4") + "}  ";

TEST_CASE("a safetensors header gives tensors in the order of the data, and the metadata") {
  const SafetensorsHeader header = header_of(safetensors(kTwoTensors, 16));
  REQUIRE(header.tensors.size() == 2);
  CHECK(header.tensors[0].name == "a");
  CHECK(header.tensors[0].shape.empty());
  CHECK(header.tensors[0].type == SafetensorsType::F32);
  CHECK(header.tensors[1].name == "b");
  CHECK(header.tensors[1].shape == std::vector<Count>{2, 3});
  CHECK(header.tensors[1].begin == 4);
  CHECK(header.tensors[1].bytes() == Bytes(12));
  CHECK(header.metadata == std::vector<std::pair<std::string, std::string>>{{"format", "pt"}});
}

TEST_CASE("every element type of safetensors has its size") {
  const std::vector<std::pair<std::string, int>> bits{
      {"BOOL", 8},    {"U8", 8},   {"I8", 8},   {"F8_E4M3", 8}, {"F8_E5M2", 8},
      {"F8_E8M0", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16},    {"BF16", 16},
      {"I32", 32},    {"U32", 32}, {"F32", 32}, {"F64", 64},    {"I64", 64},
      {"U64", 64},    {"C64", 64}, {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}};
  REQUIRE(bits.size() == kSafetensorsTypeCount);
  for (const auto& [name, size] : bits) {
    const auto header =
        header_of(safetensors("{" + entry("a", name, "4,2", "0," + std::to_string(size)) + "}",
                              static_cast<std::size_t>(size)));
    CHECK(safetensors_type_name(header.tensors.at(0).type) == name);
    CHECK(safetensors_bits(header.tensors.at(0).type) == size);
  }
}

TEST_CASE("tensors without elements and files without tensors are read") {
  CHECK(header_of(safetensors("{" + entry("a", "F32", "0,5", "0,0") + "," +
                                  entry("b", "U8", "1", "0,1") + "}",
                              1))
            .tensors.size() == 2);
  CHECK(header_of(safetensors("{}", 0)).tensors.empty());
}

TEST_CASE("a safetensors file cut at any place is an error and never a crash") {
  const std::string bytes = safetensors(kTwoTensors, 16);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THAT(faults_of(bytes.substr(0, size)), ContainsSubstring("FILE: error: "));
  }
}

TEST_CASE("a safetensors file says how it is too short") {
  CHECK(faults_of("abc") ==
        "FILE: error: 3 bytes are too short for a safetensors file\n"
        "       help: was the file copied whole?\n");
  CHECK(faults_of(prefix(100) + "{}") ==
        "FILE: error: the header of 100 bytes is longer than the file of 10\n"
        "       help: was the file copied whole?\n");
  CHECK(faults_of_tensors(entry("a", "F32", "2", "0,8"), 5) ==
        "FILE: error: the tensors take 8 bytes, but the file holds 5 of them\n"
        "       help: was the file copied whole?\n");
}

TEST_CASE("a header that the format does not allow is not read, whatever its length") {
  for (const std::uint64_t length : {std::uint64_t{100'000'001}, std::uint64_t{1} << 63U,
                                     (std::uint64_t{1} << 63U) - 1, ~std::uint64_t{0}}) {
    CHECK(faults_of(prefix(length) + "{}") ==
          "FILE: error: not a safetensors file: it would begin with a header of " +
              std::to_string(length) + " bytes, and the format allows 100000000\n");
  }
  CHECK_THAT(faults_of("version https://git-lfs.github.com/spec/v1\n"),
             ContainsSubstring("help: this is a Git LFS pointer; fetch the file"));
}

TEST_CASE("a header that is not JSON or not a map of tensors is an error") {
  CHECK_THAT(faults_of(safetensors("{\"a\":", 0)),
             ContainsSubstring("FILE:1:6: error: not JSON: the text ends too early"));
  CHECK_THAT(faults_of(safetensors("", 4)), ContainsSubstring("FILE: error: empty file"));
  CHECK(faults_of(safetensors("[]", 0)) == "FILE: error: the header is not a map of tensors\n");
  CHECK(faults_of_tensors("\"a\":5", 0) ==
        "FILE: error: the tensor 'a' is not a map of dtype, shape and data_offsets\n");
  CHECK_THAT(faults_of_tensors(R"("__metadata__":{"a":1})", 0),
             ContainsSubstring("the value of 'a' in '__metadata__' is not text"));
  CHECK_THAT(faults_of(safetensors(std::string(10000, '['), 0)), ContainsSubstring("error"));
  std::string deep = "{\"a\":";
  for (int i = 0; i < 10000; ++i) {
    deep += "[";
  }
  CHECK_THAT(faults_of(safetensors(deep, 0)), ContainsSubstring("nested deeper than 64"));
}

TEST_CASE("a tensor name given twice is an error") {
  CHECK_THAT(
      faults_of_tensors(entry("a", "U8", "1", "0,1") + "," + entry("a", "U8", "1", "1,2"), 2),
      ContainsSubstring("the key 'a' is given twice"));
}

TEST_CASE("an unknown dtype is an error that names the nearest") {
  CHECK(faults_of_tensors(entry("a", "F8_E4M4", "1", "0,1"), 1) ==
        "FILE: error: the tensor 'a' has the unknown dtype 'F8_E4M4'\n"
        "       help: did you mean 'F8_E4M3'?\n");
}

TEST_CASE("a tensor without one of its keys, or with another, is an error") {
  CHECK(faults_of_tensors(R"("a":{"shape":[1],"data_offsets":[0,1]})", 1) ==
        "FILE: error: the tensor 'a' has no dtype\n");
  CHECK(faults_of_tensors(R"("a":{"dtype":"U8","data_offsets":[0,1]})", 1) ==
        "FILE: error: the tensor 'a' has no shape\n");
  CHECK(faults_of_tensors(R"("a":{"dtype":"U8","shape":[1]})", 1) ==
        "FILE: error: the tensor 'a' has no data_offsets\n");
  CHECK_THAT(faults_of_tensors(R"("a":{"dtype":5,"shape":[1],"data_offsets":[0,1]})", 1),
             ContainsSubstring("has 'dtype', which is none of dtype (text)"));
  CHECK_THAT(faults_of_tensors(R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1})", 1),
             ContainsSubstring("has 'x', which is none of"));
}

TEST_CASE("offsets are the size of the tensor") {
  CHECK(faults_of_tensors(entry("a", "BF16", "2,3", "0,13"), 13) ==
        "FILE: error: the tensor 'a' of BF16 and shape [2, 3] is 12 bytes, but its data_offsets "
        "hold 13\n");
  CHECK_THAT(faults_of_tensors(entry("a", "F4", "3", "0,2"), 2),
             ContainsSubstring("is not a whole number of bytes"));
  CHECK_THAT(faults_of_tensors(entry("a", "U8", "1", "1,0"), 2),
             ContainsSubstring("are not a begin and an end"));
  CHECK_THAT(faults_of_tensors(entry("a", "U8", "1", "0,1,2"), 2),
             ContainsSubstring("are not a begin and an end"));
}

TEST_CASE("negative, fractional and too large sizes are errors") {
  CHECK(faults_of_tensors(entry("a", "U8", "-1", "0,0"), 0) ==
        "FILE: error: the tensor 'a' has '-1' in its shape, which is not a size from 0 to 2^63 - "
        "1\n");
  for (const char* size : {"1.5", "1e3", "9223372036854775808", "\"1\"", "null", "[1]"}) {
    CHECK_THAT(faults_of_tensors(entry("a", "U8", size, "0,1"), 1),
               ContainsSubstring("in its shape, which is not a size"));
    CHECK_THAT(faults_of_tensors(entry("a", "U8", "1", std::string("0,") + size), 1),
               ContainsSubstring("in its data_offsets, which is not a size"));
  }
}

TEST_CASE("a tensor of 4 EB is an error, whether its size fits 63 bits or not") {
  const std::string four_exabytes = "4611686018427387904";
  CHECK_THAT(faults_of_tensors(entry("a", "U8", four_exabytes, "0," + four_exabytes), 1),
             ContainsSubstring("the tensors take 4611686018427387904 bytes, but the file holds 1"));
  CHECK_THAT(faults_of_tensors(entry("a", "F32", "2147483648,2147483648", "0,4"), 4),
             ContainsSubstring("is not a whole number of bytes below 2^63"));
  CHECK_THAT(faults_of_tensors(entry("a", "U8", "4294967296,4294967296,4294967296", "0,4"), 4),
             ContainsSubstring("is not a whole number of bytes below 2^63"));
}

TEST_CASE("tensors that overlap or leave holes are errors") {
  CHECK(faults_of_tensors(entry("a", "U8", "4", "0,4") + "," + entry("b", "U8", "4", "2,6"), 6) ==
        "FILE: error: the tensors 'a' and 'b' overlap\n");
  CHECK(faults_of_tensors(entry("b", "U8", "4", "2,6"), 6) ==
        "FILE: error: 2 bytes before the tensor 'b' belong to none\n");
  CHECK(faults_of_tensors(entry("a", "U8", "4", "0,4"), 6) ==
        "FILE: error: 2 bytes behind the last tensor belong to none\n");
}

TEST_CASE("very many faulty tensors are not all reported") {
  std::string entries = entry("t", "X", "1", "0,1");
  for (int i = 0; i < 1000; ++i) {
    entries += "," + entry("t" + std::to_string(i), "X", "1", "0,1");
  }
  CHECK_THAT(faults_of_tensors(entries, 1), ContainsSubstring("100 errors\n"));
}

TEST_CASE("the data of a safetensors file are never read") {
  const Folder folder;
  const std::string path = folder.path("a.safetensors");
  folder.write("a.safetensors",
               safetensors("{" + entry("a", "U8", "1000000000000", "0,1000000000000") + "}", 0));
  std::error_code sparse;  // a terabyte that takes no disk, where the file system can
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + 1'000'000'000'000, sparse);
  if (!sparse) {
    Diagnostics diagnostics;
    CHECK(read_safetensors_header(path, diagnostics));
    CHECK(render(diagnostics).empty());
  }
}

std::string index_faults_of(std::string_view text) {
  Diagnostics diagnostics;
  CHECK_FALSE(read_safetensors_index_text(text, "i.json", diagnostics));
  return render(diagnostics);
}

SafetensorsIndex index_of(std::string_view text, const std::string& said = "") {
  Diagnostics diagnostics;
  auto index = read_safetensors_index_text(text, "i.json", diagnostics);
  CHECK(render(diagnostics) == said);
  REQUIRE(index);
  return *std::move(index);
}

TEST_CASE("an index gives its size, the files once and every name") {
  const SafetensorsIndex index =
      index_of(R"({"metadata": {"total_size": 123, "x": {"y": [1]}}, "other": [1, {"a": "b"}],
                   "weight_map": {"a": "1.safetensors", "bc": "2.safetensors",
                                  "d": "1.safetensors"}})");
  CHECK(index.total_size == Bytes(123));
  CHECK(index.files == Names{"1.safetensors", "2.safetensors"});
  REQUIRE(index.entries.size() == 3);
  CHECK(index.name(0) == "a");
  CHECK(index.name(1) == "bc");
  CHECK(index.name(2) == "d");
  CHECK(index.entries[1].file == 1);
  CHECK(index.entries[2].file == 0);
}

TEST_CASE("total_size may be decimal or absent, and 0 counts as absent") {
  const auto total = [](const std::string& metadata, const std::string& said = "") {
    return index_of(metadata + R"("weight_map":{"a":"1.safetensors"}})", said).total_size;
  };
  CHECK(total(R"({"metadata":{"total_size":1.5e9},)") == Bytes(1.5e9));
  CHECK(total(R"({"metadata":{"total_size":"123.0"},)") == Bytes(123));
  CHECK_FALSE(total(R"({"metadata":{},)"));
  CHECK_FALSE(total("{"));
  CHECK_FALSE(total("{\"metadata\":{\"total_size\":0},\n",
                    "i.json:1:27: warning: 'total_size' is 0 and taken as absent\n"
                    "    1 | {\"metadata\":{\"total_size\":0},\n"
                    "      |                           ^\n"));
}

TEST_CASE("a file that is no index is an error that names what is missing") {
  CHECK(index_faults_of(R"({"architectures": ["X"]})") ==
        "i.json: error: not an index of safetensors files: it has no 'weight_map'\n"
        "       help: an index has 'metadata' with 'total_size', and 'weight_map' from tensor to "
        "file\n");
  CHECK_THAT(index_faults_of(R"({"weight_map": {}})"), ContainsSubstring("'weight_map' is empty"));
  CHECK_THAT(index_faults_of(R"({"weight_map": 3})"), ContainsSubstring("i.json:1:16: error: "));
  CHECK_THAT(index_faults_of("[1]"), ContainsSubstring("the index is not a map"));
  CHECK(index_faults_of("{\"weight_map\": {\"a\": \"pytorch_model.bin\"}}") ==
        "i.json:1:22: error: the tensor 'a' is not in a .safetensors file beside the index\n"
        "    1 | {\"weight_map\": {\"a\": \"pytorch_model.bin\"}}\n"
        "      |                      ^\n"
        "       help: this is the index of a PyTorch checkpoint\n");
  CHECK_THAT(index_faults_of(R"({"weight_map": {"a": "../x.safetensors"}})"),
             ContainsSubstring("beside the index"));
  CHECK_THAT(index_faults_of(R"({"weight_map": {"a": 7}})"), ContainsSubstring("beside the index"));
  CHECK_THAT(index_faults_of(R"({"metadata": {"total_size": "big"}, "weight_map": {}})"),
             ContainsSubstring("'total_size' is no number of bytes: 'big'"));
}

TEST_CASE("a tensor that an index names twice is an error") {
  CHECK_THAT(index_faults_of(R"({"weight_map": {"a": "1.safetensors", "a": "1.safetensors"}})"),
             ContainsSubstring("the key 'a' is given twice"));
}

TEST_CASE("an index cut at any place is an error and never a crash") {
  const std::string text = R"({"metadata":{"total_size":9},"weight_map":{"a":"1.safetensors"}})";
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_THAT(index_faults_of(text.substr(0, size)), ContainsSubstring("error: "));
  }
  CHECK(index_of(text).entries.size() == 1);
}

TEST_CASE("tensors are classified by their Hugging Face names") {
  using enum TensorClass;
  const std::vector<std::pair<std::string, TensorClass>> names{
      {"model.embed_tokens.weight", Embedding},
      {"transformer.wte.weight", Embedding},
      {"word_embeddings.weight", Embedding},
      {"lm_head.weight", LmHead},
      {"output.weight", LmHead},
      {"model.layers.0.self_attn.q_proj.weight", AttentionWeights},
      {"encoder.layer.0.attention.output.dense.weight", AttentionWeights},
      {"h.0.attn.c_attn.weight", AttentionWeights},
      {"backbone.layers.7.mixer.q_proj.weight", AttentionWeights},
      {"model.layers.0.self_attn.indexer.k_norm.weight", Indexer},
      {"model.layers.3.mlp.gate.weight", Router},
      {"model.layers.3.mlp.gate.e_score_correction_bias", Router},
      {"model.layers.3.block_sparse_moe.gate.weight", Router},
      {"model.layers.0.mlp.router.weight", Router},
      {"model.layers.3.mlp.experts.17.up_proj.weight", RoutedExperts},
      {"model.layers.0.mlp.experts.gate_up_proj_blocks", RoutedExperts},
      {"model.layers.3.mlp.shared_experts.up_proj.weight_scale_inv", SharedExperts},
      {"model.layers.3.mlp.shared_expert_gate.weight", SharedExperts},
      {"model.layers.0.mlp.gate_proj.weight", DenseFfn},
      {"model.layers.0.feed_forward.w1.weight", DenseFfn},
      {"backbone.layers.1.mixer.up_proj.weight", DenseFfn},
      {"model.layers.0.input_layernorm.weight", Norm},
      {"model.layers.0.post_attention_layernorm.weight", Norm},
      {"model.layers.0.self_attn.q_norm.weight", Norm},
      {"ln_f.weight", Norm},
      {"model.layers.0.linear_attn.in_proj_qkvz.weight", Recurrent},
      {"model.layers.0.mamba.A_log", Recurrent},
      {"backbone.layers.0.mixer.conv1d.weight", Recurrent},
      {"mtp.layers.0.self_attn.q_proj.weight", Mtp},
      {"model.layers.61.eh_proj.weight", Mtp},
      {"model.layers.61.shared_head.head.weight", Mtp},
      {"visual.blocks.0.attn.qkv.weight", Multimodal},
      {"vision_tower.encoder.layers.26.norm.weight", Multimodal},
      {"multi_modal_projector.linear_1.weight", Multimodal},
      {"audio_tower.layers.0.fc1.weight", Multimodal},
      {"rotary.inv_freq", Other},
      {"", Other},
  };
  for (const auto& [name, expected] : names) {
    INFO(name);
    CHECK(tensor_class_name(tensor_class(name)) == tensor_class_name(expected));
  }
}

Checkpoint checkpoint_of(const Folder& folder, const std::string& said = "") {
  Diagnostics diagnostics;
  auto checkpoint = read_checkpoint(folder.path(), diagnostics);
  CHECK_THAT(render(diagnostics), ContainsSubstring(said));
  CHECK(render(diagnostics).empty() == said.empty());
  REQUIRE(checkpoint);
  return *std::move(checkpoint);
}

const std::string kFirst = "model-00001-of-00002.safetensors";
const std::string kSecond = "model-00002-of-00002.safetensors";

std::string index_text(const std::string& total) {
  return R"({"metadata":{"total_size":)" + total +
         R"(},"weight_map":{"model.embed_tokens.weight":")" + kFirst +
         R"(","model.layers.0.self_attn.q_proj.weight":")" + kFirst +
         R"(","model.layers.61.mlp.experts.3.up_proj.weight":")" + kSecond +
         R"(","model.layers.61.embed_tokens.weight":")" + kSecond + R"(","mtp.fc.weight":")" +
         kSecond + R"("}})";
}

std::string first_file() {
  return safetensors("{" + entry("model.embed_tokens.weight", "BF16", "4", "0,8") + "," +
                         entry("model.layers.0.self_attn.q_proj.weight", "F8_E4M3", "3", "8,11") +
                         "}",
                     11);
}

std::string second_file() {
  return safetensors(
      "{" + entry("model.layers.61.mlp.experts.3.up_proj.weight", "F8_E4M3", "5", "0,5") + "," +
          entry("model.layers.61.embed_tokens.weight", "BF16", "4", "5,13") + "," +
          entry("mtp.fc.weight", "F32", "1", "13,17") + "}",
      17);
}

TEST_CASE("a whole checkpoint has the size of its headers, by type and by class") {
  const Folder folder;
  folder.write("model.safetensors.index.json", index_text("28"));
  folder.write(kFirst, first_file());
  folder.write(kSecond, second_file());
  folder.write("other.safetensors", "not looked at");
  const Checkpoint checkpoint = checkpoint_of(folder);
  CHECK(checkpoint.total == Bytes(28));
  CHECK(checkpoint.total_from == SizeSource::Headers);
  CHECK(checkpoint.tensors == 5);
  CHECK(checkpoint.files == Names{kFirst, kSecond});
  CHECK(checkpoint.missing.empty());
  CHECK(checkpoint.bytes_by_type.at(static_cast<std::size_t>(SafetensorsType::Bf16)) == Bytes(16));
  CHECK(checkpoint.bytes_by_type.at(static_cast<std::size_t>(SafetensorsType::F8E4m3)) == Bytes(8));
  CHECK(checkpoint.of(TensorClass::Embedding) == TensorClassSum{2, Bytes(16)});
  CHECK(checkpoint.of(TensorClass::AttentionWeights) == TensorClassSum{1, Bytes(3)});
  CHECK(checkpoint.of(TensorClass::RoutedExperts) == TensorClassSum{1, Bytes(5)});
  CHECK(checkpoint.of(TensorClass::Mtp) == TensorClassSum{1, Bytes(4)});
  CHECK(checkpoint.largest_layer == 61);
  CHECK_FALSE(checkpoint.has_lm_head);
  CHECK(checkpoint.has_embedding_in_layer);
  CHECK(checkpoint.has_mtp_prefix);
}

TEST_CASE("an index without its files gives names and its own size") {
  const Folder folder;
  folder.write("model.safetensors.index.json", index_text("28"));
  const Checkpoint none = checkpoint_of(folder);
  CHECK(none.total == Bytes(28));
  CHECK(none.total_from == SizeSource::Index);
  CHECK(none.tensors == 5);
  CHECK(none.missing == Names{kFirst, kSecond});
  CHECK(none.of(TensorClass::RoutedExperts) == TensorClassSum{1, Bytes(0)});
  folder.write(kSecond, second_file());
  const Checkpoint part = checkpoint_of(folder);
  CHECK(part.total == Bytes(28));
  CHECK(part.missing == Names{kFirst});
  CHECK(part.of(TensorClass::RoutedExperts) == TensorClassSum{1, Bytes(5)});
  folder.write("model.safetensors.index.json", index_text("null"));
  const Checkpoint unsized_part = checkpoint_of(folder);
  CHECK(unsized_part.total == Bytes(17));
  CHECK(unsized_part.total_from == SizeSource::PresentFiles);
}

TEST_CASE("where index and headers disagree, the headers count and a warning says so") {
  const Folder folder;
  folder.write("model.safetensors.index.json", index_text("30"));
  folder.write(kFirst, first_file());
  folder.write(kSecond, second_file());
  CHECK(checkpoint_of(folder, "'total_size' is 30, but the tensors of the files are 28 bytes")
            .total == Bytes(28));
  folder.write(kSecond, first_file());
  CHECK(checkpoint_of(folder,
                      "2 tensors that the index does not place here, first "
                      "'model.embed_tokens.weight'")
            .tensors == 5);
  checkpoint_of(folder, "3 tensors that the index places here are not in it");
}

TEST_CASE("a checkpoint of one file needs no index") {
  const Folder folder;
  folder.write("model.safetensors",
               safetensors("{" + entry("lm_head.weight", "F16", "2", "0,4") + "," +
                               entry("vision_tower.layers.99.w", "F16", "1", "4,6") + "}",
                           6));
  folder.write("adapter.safetensors", "not looked at");
  const Checkpoint checkpoint = checkpoint_of(folder);
  CHECK(checkpoint.files == Names{"model.safetensors"});
  CHECK(checkpoint.total == Bytes(6));
  CHECK(checkpoint.tensors == 2);
  CHECK(checkpoint.has_lm_head);
  CHECK_FALSE(checkpoint.largest_layer);
  CHECK_FALSE(checkpoint.has_mtp_prefix);
}

TEST_CASE("files without an index tell by their names which are missing") {
  const Folder folder;
  folder.write(kSecond, second_file());
  const Checkpoint checkpoint = checkpoint_of(folder);
  CHECK(checkpoint.missing == Names{kFirst});
  CHECK(checkpoint.files == Names{kSecond});
  CHECK(checkpoint.total_from == SizeSource::PresentFiles);
  CHECK(checkpoint.tensors == 3);
}

TEST_CASE("a folder without a checkpoint, or with a broken file of one, is an error") {
  const Folder folder;
  Diagnostics diagnostics;
  CHECK_FALSE(read_checkpoint(folder.path(), diagnostics));
  CHECK(render(diagnostics) == folder.path() +
                                   ": error: neither model.safetensors.index.json nor a "
                                   ".safetensors file in this folder\n");
  folder.write("model.safetensors", "x");
  Diagnostics broken;
  CHECK_FALSE(read_checkpoint(folder.path(), broken));
  CHECK_THAT(render(broken), ContainsSubstring("1 bytes are too short"));
  Diagnostics nowhere;
  CHECK_FALSE(read_checkpoint("no/such/folder", nowhere));
  CHECK_THAT(render(nowhere), ContainsSubstring("no/such/folder: error: cannot be listed: "));
}

}  // namespace
}  // namespace fathom::model
