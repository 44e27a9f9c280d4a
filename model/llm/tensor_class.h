#pragma once

#include <cstdint>
#include <string_view>

namespace fathom::model {

/// What a tensor of a checkpoint is for, as its Hugging Face name tells.
enum class TensorClass : std::uint8_t {
  Embedding,
  LmHead,
  AttentionWeights,
  Indexer,  ///< of sparse attention
  Router,
  RoutedExperts,
  SharedExperts,
  DenseFfn,
  Norm,
  Recurrent,   ///< Mamba and linear attention
  Mtp,         ///< multi-token prediction
  Multimodal,  ///< vision, audio and their projectors
  Other,
};
inline constexpr int kTensorClassCount = 13;

/// The name in reports: embedding, lm_head, routed experts ...
std::string_view tensor_class_name(TensorClass tensor_class);

/// Classifies by parts of the name, the most telling first: whatever lies in a vision tower is
/// Multimodal, a norm inside the attention is Norm, a gate of shared experts is SharedExperts.
/// Scales of quantized weights fall in the class of their weight.
TensorClass tensor_class(std::string_view name);

}  // namespace fathom::model
