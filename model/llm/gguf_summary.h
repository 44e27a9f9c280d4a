#pragma once

#include "model/llm/import_gguf.h"

#include <array>
#include <string_view>

namespace fathom::model {

/// Classes of tensors, by their names in llama.cpp.
enum class GgufClass : std::uint8_t {
  TokenEmbedding,    ///< token_embd
  Output,            ///< output: the head; absent where it is tied to the embedding
  AttentionWeights,  ///< attn_*, and the indexer of sparse attention
  DenseFfn,          ///< ffn_*
  RoutedExperts,     ///< ffn_*_exps, and the older ffn_up.0, ffn_up.1 ...
  SharedExperts,     ///< ffn_*_shexp
  Router,            ///< ffn_gate_inp, exp_probs_b
  Norm,              ///< *_norm
  StateSpace,        ///< ssm_*
  Other,
};
inline constexpr int kGgufClassCount = 10;

std::string_view gguf_class_name(GgufClass kind);

/// The class of a tensor name such as `blk.3.ffn_down_exps.weight`.
GgufClass gguf_class(std::string_view name);

/// Bytes and parameters of a file. Scales that stand as tensors of their own (`.scale`,
/// `.input_scale` of NVFP4) have bytes but are no parameters.
struct GgufSummary {
  Bytes bytes;
  Count parameters = 0;
  std::array<Bytes, hardware::kFormatCount> bytes_by_format{};
  Bytes bytes_without_format;  ///< of integers, F64, and types that have no format of ours
  std::array<Bytes, kGgufClassCount> bytes_by_class{};
  std::array<Count, kGgufClassCount> parameters_by_class{};
};

GgufSummary summarize(const GgufFile& file);

}  // namespace fathom::model
