#pragma once

#include "model/llm/ggml_type.h"
#include "tests/support/gguf_writer.h"

#include <string>
#include <string_view>
#include <vector>

namespace fathom::test {

/// Numbers of ggml's types.
namespace ggml {
constexpr std::uint32_t kF32 = 0;
constexpr std::uint32_t kF16 = 1;
constexpr std::uint32_t kQ8_0 = 8;
constexpr std::uint32_t kQ4K = 12;
constexpr std::uint32_t kQ6K = 14;
constexpr std::uint32_t kQ8K = 15;
constexpr std::uint32_t kMxfp4 = 39;
}  // namespace ggml

/// A small model as a GGUF file: bytes follow from shape and type.
class GgufModel {
 public:
  explicit GgufModel(std::string_view architecture) : architecture_(architecture) {
    writer_.string("general.architecture", architecture);
  }

  GgufModel& key(std::string_view name, std::uint64_t value) {
    writer_.uint32(architecture_ + "." + std::string(name), value);
    return *this;
  }
  GgufModel& keys(std::string_view name, const std::vector<std::uint32_t>& values) {
    writer_.uint32s(architecture_ + "." + std::string(name), values);
    return *this;
  }
  GgufModel& tensor(const std::string& name, const std::vector<std::uint64_t>& dimensions,
                    std::uint32_t type = ggml::kF32) {
    const model::GgmlType& of = *model::find_ggml_type(type);
    std::uint64_t elements = 1;
    for (const std::uint64_t dimension : dimensions) {
      elements *= dimension;
    }
    const std::uint64_t bytes =
        elements / static_cast<std::uint64_t>(of.elements) * static_cast<std::uint64_t>(of.bytes);
    writer_.tensor({name, dimensions, type, bytes});
    data_bytes_ += bytes;
    return *this;
  }
  /// A tensor `blk.index.stem.weight`.
  GgufModel& in(int index, const std::string& stem, const std::vector<std::uint64_t>& dimensions,
                std::uint32_t type = ggml::kF32) {
    return raw_in(index, stem + ".weight", dimensions, type);
  }
  GgufModel& raw_in(int index, const std::string& name,
                    const std::vector<std::uint64_t>& dimensions, std::uint32_t type = ggml::kF32) {
    return tensor("blk." + std::to_string(index) + "." + name, dimensions, type);
  }

  /// Head counts, hidden size 256 and so many layers.
  GgufModel& shape(std::uint64_t layers, std::uint64_t heads, std::uint64_t kv_heads) {
    return key("block_count", layers)
        .key("embedding_length", 256)
        .key("context_length", 4096)
        .key("attention.head_count", heads)
        .key("attention.head_count_kv", kv_heads);
  }
  /// Embedding of 64 tokens, final norm and, unless tied, a head in Q6_K.
  GgufModel& outer(bool tied = false) {
    tensor("token_embd.weight", {256, 64}, ggml::kQ4K).tensor("output_norm.weight", {256});
    return tied ? *this : tensor("output.weight", {256, 64}, ggml::kQ6K);
  }
  /// Two norms and attention of 4 heads and 2 KV heads of 64 in Q4_K, values in `value`.
  GgufModel& attention(int index, std::uint32_t value = ggml::kQ4K) {
    in(index, "attn_norm", {256}).in(index, "attn_q", {256, 256}, ggml::kQ4K);
    in(index, "attn_k", {256, 128}, ggml::kQ4K).in(index, "attn_v", {256, 128}, value);
    return in(index, "attn_output", {256, 256}, ggml::kQ4K);
  }
  /// A norm and a gated FFN of 512 in Q4_K, `down` apart.
  GgufModel& ffn(int index, std::uint32_t down = ggml::kQ4K) {
    in(index, "ffn_norm", {256}).in(index, "ffn_gate", {256, 512}, ggml::kQ4K);
    in(index, "ffn_up", {256, 512}, ggml::kQ4K);
    return in(index, "ffn_down", {512, 256}, down);
  }

  [[nodiscard]] GgufWriter& writer() { return writer_; }
  [[nodiscard]] std::string file() const { return writer_.file(); }
  [[nodiscard]] double data_bytes() const { return static_cast<double>(data_bytes_); }

 private:
  std::string architecture_;
  GgufWriter writer_;
  std::uint64_t data_bytes_ = 0;
};

/// A Llama of three layers, mixed as Q4_K_M is: the middle one has values and down in Q4_K.
inline GgufModel mixed_llama_gguf() {
  GgufModel m("llama");
  m.writer().string("general.basename", "Tiny-Llama").string("general.size_label", "2M");
  m.writer().uint32("general.file_type", 15);
  m.shape(3, 4, 2).outer();
  for (const int i : {0, 1, 2}) {
    const std::uint32_t type = i == 1 ? ggml::kQ4K : ggml::kQ6K;
    m.attention(i, type).ffn(i, type);
  }
  return m;
}

}  // namespace fathom::test
