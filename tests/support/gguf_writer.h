#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::test {

/// Builds a small GGUF file in memory: keys and tensors in the order of the calls, data of zeros.
/// Nothing is checked, so that wrong files can be built too.
class GgufWriter {
 public:
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dimensions;  ///< the row length first
    std::uint32_t type = 0;
    std::uint64_t bytes = 0;
  };

  void set_version(std::uint32_t version) { version_ = version; }
  /// Of the data; the key `general.alignment` is the caller's.
  void set_alignment(std::uint64_t alignment) { alignment_ = alignment; }
  /// Keys and tensors that are said to be there and are not.
  void claim_more_keys(std::uint64_t count) { key_count_ += count; }
  void claim_more_tensors(std::uint64_t count) { tensor_count_ += count; }

  static std::string little(std::uint64_t value, int width) {
    std::string out;
    for (int i = 0; i < width; ++i) {
      out += static_cast<char>(value >> (8U * static_cast<unsigned>(i)) & 0xffU);
    }
    return out;
  }
  static std::string text(std::string_view value) {
    return little(value.size(), 8) + std::string(value);
  }

  /// A key whose value is written out by the caller.
  GgufWriter& raw(std::string_view key, std::uint32_t type, const std::string& value) {
    keys_ += text(key) + little(type, 4) + value;
    ++key_count_;
    return *this;
  }
  GgufWriter& uint16(std::string_view key, std::uint64_t v) { return raw(key, 2, little(v, 2)); }
  GgufWriter& uint32(std::string_view key, std::uint64_t v) { return raw(key, 4, little(v, 4)); }
  GgufWriter& float32(std::string_view key, float v) {
    return raw(key, 6, little(std::bit_cast<std::uint32_t>(v), 4));
  }
  GgufWriter& string(std::string_view key, std::string_view v) { return raw(key, 8, text(v)); }
  GgufWriter& strings(std::string_view key, const std::vector<std::string>& values) {
    std::string out = little(8, 4) + little(values.size(), 8);
    for (const std::string& value : values) {
      out += text(value);
    }
    return raw(key, 9, out);
  }
  GgufWriter& uint32s(std::string_view key, const std::vector<std::uint32_t>& values) {
    std::string out = little(4, 4) + little(values.size(), 8);
    for (const std::uint32_t value : values) {
      out += little(value, 4);
    }
    return raw(key, 9, out);
  }

  /// A tensor behind the ones before it, at the next multiple of the alignment.
  GgufWriter& tensor(const Tensor& t) {
    const std::uint64_t offset = (end_ + alignment_ - 1) / alignment_ * alignment_;
    end_ = offset + t.bytes;
    return tensor_at(t, offset);
  }
  GgufWriter& tensor_at(const Tensor& t, std::uint64_t offset) {
    tensors_ += text(t.name) + little(t.dimensions.size(), 4);
    for (const std::uint64_t dimension : t.dimensions) {
      tensors_ += little(dimension, 8);
    }
    tensors_ += little(t.type, 4) + little(offset, 8);
    ++tensor_count_;
    return *this;
  }

  [[nodiscard]] std::string header() const {
    return "GGUF" + little(version_, 4) + little(tensor_count_, 8) + little(key_count_, 8) + keys_ +
           tensors_;
  }
  [[nodiscard]] std::string file() const {
    std::string out = header();
    if (end_ > 0) {
      out.resize((out.size() + alignment_ - 1) / alignment_ * alignment_ + end_, '\0');
    }
    return out;
  }

 private:
  std::uint32_t version_ = 3;
  std::uint64_t alignment_ = 32;
  std::string keys_;
  std::string tensors_;
  std::uint64_t key_count_ = 0;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t end_ = 0;
};

/// Six keys and three tensors (Q4_K, F32, Q8_0) of a model of width 256.
inline GgufWriter small_llama_gguf() {
  GgufWriter w;
  w.string("general.architecture", "llama").uint32("llama.block_count", 1);
  w.uint32("llama.embedding_length", 256).float32("llama.rope.freq_base", 10000.5F);
  w.uint32s("llama.attention.head_count_kv", {2, 4, 8});
  w.strings("tokenizer.ggml.tokens", {"<s>", "", "a"});
  w.tensor({"token_embd.weight", {256, 3}, 12, 432});
  w.tensor({"blk.0.attn_norm.weight", {256}, 0, 1024});
  w.tensor({"blk.0.attn_q.weight", {256, 2}, 8, 544});
  return w;
}

}  // namespace fathom::test
