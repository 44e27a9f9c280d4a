#include "model/llm/import_gguf.h"
#include "tests/support/catch.h"
#include "tests/support/folder.h"
#include "tests/support/gguf_writer.h"

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using test::Folder;
using test::GgufWriter;

/// The first message about a file that is refused.
std::string refused(const std::string& bytes) {
  const Folder folder;
  Diagnostics diagnostics;
  CHECK_FALSE(read_gguf_header(folder.write("m.gguf", bytes), diagnostics));
  REQUIRE(diagnostics.has_errors());
  CHECK_THAT(render(diagnostics.all().front()), ContainsSubstring("m.gguf: error: "));
  return diagnostics.all().front().message;
}

TEST_CASE("a file that ends anywhere is refused with a reason") {
  const std::string whole = test::small_llama_gguf().file();
  const Folder folder;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    Diagnostics diagnostics;
    const std::string path = folder.write("m.gguf", whole.substr(0, size));
    CHECK_FALSE(read_gguf_header(path, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    const std::string& message = diagnostics.all().front().message;
    if (size < test::small_llama_gguf().header().size()) {
      CHECK_THAT(message,
                 ContainsSubstring("the file ends in ") || ContainsSubstring("the file has "));
    } else {
      CHECK_THAT(message, ContainsSubstring("is the download complete?"));
    }
  }
  CHECK_THAT(refused(whole.substr(0, whole.size() - 5)),
             ContainsSubstring(", 5 are missing of the data of 1 tensors, the last "
                               "'blk.0.attn_q.weight': is the download complete?"));
  CHECK(refused(whole.substr(0, 10)) ==
        "the file ends in the number of tensors: 8 bytes are wanted at byte 8, 2 are left");
}

TEST_CASE("what is no GGUF of ours is refused by name") {
  CHECK(refused("PK\x03\x04 and more") ==
        "not a GGUF file: the number at byte 0 is 04034b50, not 46554747 ('GGUF')");
  CHECK_THAT(refused("version https://git-lfs.github.com/spec/v1\n"),
             ContainsSubstring("it looks like a Git LFS pointer"));
  GgufWriter w = test::small_llama_gguf();
  w.set_version(1);
  CHECK(refused(w.file()) == "GGUF version 1 at byte 4; versions 2 and 3 are read");
  w.set_version(0x03000000);
  CHECK(refused(w.file()) == "big-endian at byte 4; only little-endian files are read");
  Diagnostics diagnostics;
  CHECK_FALSE(read_gguf_header("tests/no-such.gguf", diagnostics));
  CHECK(diagnostics.all().front().message == "no such file");
}

TEST_CASE("counts and lengths beyond reason are refused before anything is stored") {
  GgufWriter tensors = test::small_llama_gguf();
  tensors.claim_more_tensors(1ULL << 40U);
  CHECK_THAT(refused(tensors.file()), ContainsSubstring("the number of tensors is 1099511627779 at "
                                                        "byte 8; more than 1000000"));
  GgufWriter keys = test::small_llama_gguf();
  keys.claim_more_keys(~0ULL - 6);
  CHECK_THAT(refused(keys.file()),
             ContainsSubstring("the number of metadata keys is 18446744073709"));
  const auto little = [](std::uint64_t value, int width) {
    return GgufWriter::little(value, width);
  };
  GgufWriter text;
  text.raw("a", 8, little(~0ULL, 8));
  CHECK(refused(text.file()) ==
        "the file ends in the value of 'a': 18446744073709551615 bytes are "
        "wanted at byte 45, 0 are left");
  GgufWriter array;
  array.raw("a", 9, little(8, 4) + little(1ULL << 62U, 8));
  CHECK_THAT(refused(array.file()),
             ContainsSubstring("is said to have 4611686018427387904 entries"));
  GgufWriter numbers;
  numbers.raw("a", 9, little(10, 4) + little(1ULL << 61U, 8));
  CHECK_THAT(refused(numbers.file()), ContainsSubstring("'a' is said to have 2305843009213693952"));
  GgufWriter deep;
  std::string nested;
  for (int i = 0; i < 100'000; ++i) {
    nested += little(9, 4) + little(1, 8);
  }
  deep.raw("a", 9, nested);
  CHECK_THAT(refused(deep.file()), ContainsSubstring("nests arrays deeper than 8"));
  GgufWriter long_key;
  long_key.uint32(std::string(65'536, 'k'), 1);
  CHECK_THAT(refused(long_key.file()), ContainsSubstring("key 1 at byte 24 has 65536 bytes"));
}

TEST_CASE("metadata that contradicts the format is refused") {
  GgufWriter type;
  type.raw("a", 13, "");
  CHECK(refused(type.file()) ==
        "the value of 'a' has value type 13 at byte 33; the types are 0 to 12");
  GgufWriter truth;
  truth.raw("a", 7, "\x02");
  CHECK(refused(truth.file()) == "the value of 'a' is 2 at byte 37; a truth is 0 or 1");
  GgufWriter twice = test::small_llama_gguf();
  twice.uint32("llama.block_count", 1);
  CHECK(refused(twice.file()) == "key 'llama.block_count' stands twice in the metadata");
  for (const std::uint64_t alignment : {0U, 48U}) {
    GgufWriter w = test::small_llama_gguf();
    w.uint32("general.alignment", alignment);
    CHECK(refused(w.file()) == "'general.alignment' is no power of two");
  }
}

TEST_CASE("a tensor of unknown type, impossible shape or place is refused") {
  const auto with = [](const GgufWriter::Tensor& tensor) {
    return GgufWriter().tensor(tensor).file();
  };
  CHECK(refused(with({"t", {32}, 31, 4})) ==
        "tensor 't' has ggml type 31 at byte 45, which is unknown");
  CHECK(refused(with({"t", {33, 2}, 8, 68})) ==
        "tensor 't' has rows of 33 elements, no multiple of the 32 of Q8_0");
  CHECK(refused(with({"t", {1, 1, 1, 1, 1}, 0, 4})) ==
        "tensor 't' has 5 dimensions at byte 33; at most 4 are allowed");
  CHECK_THAT(refused(with({"t", {1ULL << 32U, 1ULL << 32U}, 0, 4})),
             ContainsSubstring("more elements than any file holds"));
  CHECK_THAT(refused(with({"t", {~0ULL}, 24, 4})),
             ContainsSubstring("more elements than any file holds"));
  GgufWriter odd;
  odd.tensor_at({"t", {8}, 0, 32}, 8);
  CHECK(refused(odd.file()) == "tensor 't' has offset 8, no multiple of the alignment 32");
  GgufWriter far;
  far.tensor_at({"t", {8}, 0, 32}, (~0ULL >> 1U) - 31);
  CHECK_THAT(refused(far.file()), ContainsSubstring("is the download complete?"));
  GgufWriter overlap;
  overlap.tensor({"a", {64}, 0, 256}).tensor_at({"b", {8}, 0, 32}, 224);
  CHECK(refused(overlap.file()) ==
        "tensors 'a' and 'b' overlap: offset 0 with 256 bytes, offset 224");
  GgufWriter twice;
  twice.tensor({"t\n", {8}, 0, 32}).tensor({"t\n", {8}, 0, 32});
  CHECK(refused(twice.file()) == "tensor 't?' is there twice");
}

TEST_CASE("a file with many wrong tensors is given up after twenty") {
  GgufWriter w;
  for (int i = 0; i < 50; ++i) {
    w.tensor({"t" + std::to_string(i), {8}, 99, 32});
  }
  const Folder folder;
  Diagnostics diagnostics;
  CHECK_FALSE(read_gguf_header(folder.write("m.gguf", w.file()), diagnostics));
  CHECK(diagnostics.all().size() == 20);
}

TEST_CASE("no byte of a header turned over brings the reader down") {
  const std::string whole = test::small_llama_gguf().file();
  const Folder folder;
  for (std::size_t i = 0; i < test::small_llama_gguf().header().size(); ++i) {
    for (const char mask : {'\x01', '\x80', '\xff'}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ mask);
      Diagnostics diagnostics;
      const auto file = read_gguf_header(folder.write("m.gguf", changed), diagnostics);
      CHECK(file.has_value() != diagnostics.has_errors());
    }
  }
}

}  // namespace
}  // namespace fathom::model
