#include "model/llm/gguf_summary.h"

#include "tests/support/catch.h"

namespace fathom::model {
namespace {

TEST_CASE("a ggml type with a format of ours takes the bytes of that format") {
  int with_format = 0;
  for (std::uint32_t id = 0; id < 64; ++id) {
    const GgmlType* type = find_ggml_type(id);
    if (type == nullptr || !type->format) {
      continue;
    }
    INFO(type->name);
    ++with_format;
    // Scalars of a whole tensor (NVFP4) are tensors of their own in a GGUF file.
    const Count scalars = hardware::numeric_format(*type->format).tensor_bytes;
    CHECK(hardware::stored_bytes(*type->format, 1, 4 * type->elements) ==
          Bytes(static_cast<double>(4 * type->bytes + scalars)));
  }
  CHECK(with_format == 26);  // 21 of GGUF alone, FP32, FP16, BF16, MXFP4 and NVFP4
  CHECK(find_ggml_type(31) == nullptr);
}

TEST_CASE("tensors are classed by their names in llama.cpp") {
  CHECK(gguf_class("token_embd.weight") == GgufClass::TokenEmbedding);
  CHECK(gguf_class("output.weight") == GgufClass::Output);
  for (const char* name : {"output_norm.weight", "token_embd_norm.weight", "blk.3.attn_norm.weight",
                           "blk.3.attn_kv_a_norm.weight", "blk.3.post_ffw_norm_1.weight",
                           "blk.3.ssm_norm.weight", "blk.3.indexer.k_norm.bias"}) {
    INFO(name);
    CHECK(gguf_class(name) == GgufClass::Norm);
  }
  CHECK(gguf_class("blk.12.attn_q.weight") == GgufClass::AttentionWeights);
  CHECK(gguf_class("blk.12.attn_sinks.weight") == GgufClass::AttentionWeights);
  CHECK(gguf_class("blk.12.indexer.attn_k.weight") == GgufClass::AttentionWeights);
  CHECK(gguf_class("blk.0.ffn_down.weight") == GgufClass::DenseFfn);
  CHECK(gguf_class("blk.0.ffn_down_exps.weight") == GgufClass::RoutedExperts);
  CHECK(gguf_class("blk.0.ffn_gate_up_exps.weight") == GgufClass::RoutedExperts);
  CHECK(gguf_class("blk.0.ffn_gate.7.weight") == GgufClass::RoutedExperts);
  CHECK(gguf_class("blk.0.ffn_up_shexp.weight") == GgufClass::SharedExperts);
  CHECK(gguf_class("blk.0.ffn_gate_inp_shexp.weight") == GgufClass::SharedExperts);
  CHECK(gguf_class("blk.0.ffn_gate_inp.weight") == GgufClass::Router);
  CHECK(gguf_class("blk.0.exp_probs_b.bias") == GgufClass::Router);
  CHECK(gguf_class("blk.0.ssm_a") == GgufClass::StateSpace);
  CHECK(gguf_class("rope_freqs.weight") == GgufClass::Other);
  CHECK(gguf_class("blk.") == GgufClass::Other);
  CHECK(gguf_class("") == GgufClass::Other);
}

GgufTensor tensor(const std::string& name, std::uint32_t type, Count blocks) {
  const GgmlType& t = *find_ggml_type(type);
  return {.name = name,
          .dimensions = {blocks * t.elements},
          .type = t,
          .elements = blocks * t.elements,
          .bytes = blocks * t.bytes};
}

TEST_CASE("bytes and parameters of a file are summed by class and format") {
  GgufFile file;
  file.tensors = {tensor("token_embd.weight", 12, 2), tensor("blk.0.ffn_up_exps.weight", 12, 3),
                  tensor("blk.0.attn_q.weight", 40, 1), tensor("blk.0.attn_q.scale", 0, 5),
                  tensor("ids", 26, 7)};
  const GgufSummary s = summarize(file);
  const auto of_class = [](const auto& by, GgufClass kind) {
    return by[static_cast<std::size_t>(kind)];
  };
  CHECK(s.bytes == Bytes(5 * 144 + 36 + 20 + 28));
  CHECK(s.parameters == Count{5} * 256 + 64 + 7);
  CHECK(s.bytes_by_format[static_cast<std::size_t>(Format::Q4K)] == Bytes(5 * 144));
  CHECK(s.bytes_by_format[static_cast<std::size_t>(Format::Nvfp4)] == Bytes(36));
  CHECK(s.bytes_without_format == Bytes(28));
  CHECK(of_class(s.bytes_by_class, GgufClass::TokenEmbedding) == Bytes(2 * 144));
  CHECK(of_class(s.bytes_by_class, GgufClass::AttentionWeights) == Bytes(36 + 20));
  CHECK(of_class(s.parameters_by_class, GgufClass::AttentionWeights) == 64);  // scales are none
  CHECK(of_class(s.parameters_by_class, GgufClass::RoutedExperts) == 768);
  CHECK(of_class(s.parameters_by_class, GgufClass::Other) == 7);
  CHECK(gguf_class_name(GgufClass::RoutedExperts) == "routed_experts");
}

}  // namespace
}  // namespace fathom::model
