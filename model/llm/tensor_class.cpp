#include "model/llm/tensor_class.h"

#include <array>

namespace fathom::model {
namespace {

/// A part of a name and what it tells. `^` and `$` at the ends stand for the ends of the name.
struct Rule {
  std::string_view part;
  TensorClass tensor_class = TensorClass::Other;
};

constexpr std::size_t kRuleCount = 61;
/// The first that fits counts, so the order is part of the meaning: "post_attention_layernorm" is a
/// norm, "mlp.shared_expert_gate" no router, "linear_attn" no attention.
constexpr std::array<Rule, kRuleCount> kRules{{
    {"visual", TensorClass::Multimodal},
    {"vision", TensorClass::Multimodal},
    {"audio", TensorClass::Multimodal},
    {"mm_projector", TensorClass::Multimodal},
    {"multi_modal_projector", TensorClass::Multimodal},
    {"image_newline", TensorClass::Multimodal},
    {"^mtp.", TensorClass::Mtp},
    {".mtp.", TensorClass::Mtp},
    {".mtp_", TensorClass::Mtp},
    // DeepSeek's MTP layer has an ordinary number; these parts are in no other layer.
    {".eh_proj.", TensorClass::Mtp},
    {".enorm.", TensorClass::Mtp},
    {".hnorm.", TensorClass::Mtp},
    {".shared_head.", TensorClass::Mtp},
    {"indexer", TensorClass::Indexer},
    {"mamba", TensorClass::Recurrent},
    {"linear_attn", TensorClass::Recurrent},
    {".ssm", TensorClass::Recurrent},
    {"shared_expert", TensorClass::SharedExperts},
    {"router", TensorClass::Router},
    {".gate.", TensorClass::Router},
    {"e_score_correction_bias", TensorClass::Router},
    {"experts.", TensorClass::RoutedExperts},
    // Nemotron-H calls whatever a layer does its mixer.
    {"mixer.q_proj", TensorClass::AttentionWeights},
    {"mixer.k_proj", TensorClass::AttentionWeights},
    {"mixer.v_proj", TensorClass::AttentionWeights},
    {"mixer.o_proj", TensorClass::AttentionWeights},
    {"mixer.up_proj", TensorClass::DenseFfn},
    {"mixer.down_proj", TensorClass::DenseFfn},
    {"mixer", TensorClass::Recurrent},
    {"norm", TensorClass::Norm},
    {".ln_", TensorClass::Norm},
    {"^ln_", TensorClass::Norm},
    {"embed_tokens", TensorClass::Embedding},
    {"word_embeddings", TensorClass::Embedding},
    {"tok_embeddings", TensorClass::Embedding},
    {"^wte.", TensorClass::Embedding},
    {".wte.", TensorClass::Embedding},
    {"^wpe.", TensorClass::Embedding},
    {".wpe.", TensorClass::Embedding},
    {"embed_in.", TensorClass::Embedding},
    {"^embed.", TensorClass::Embedding},
    {"embeddings.weight$", TensorClass::Embedding},
    {"embedding.weight$", TensorClass::Embedding},
    {"lm_head", TensorClass::LmHead},
    {"embed_out.", TensorClass::LmHead},
    {"output_layer.", TensorClass::LmHead},
    {"^output.", TensorClass::LmHead},
    {"^model.output.weight$", TensorClass::LmHead},
    {"^head.", TensorClass::LmHead},
    {"attention", TensorClass::AttentionWeights},
    {"attn", TensorClass::AttentionWeights},
    {"feed_forward", TensorClass::DenseFfn},
    {"mlp", TensorClass::DenseFfn},
    {"ffn", TensorClass::DenseFfn},
    // Names inside an attention or FFN that the folder of the name does not tell.
    {".q_proj.", TensorClass::AttentionWeights},
    {".k_proj.", TensorClass::AttentionWeights},
    {".v_proj.", TensorClass::AttentionWeights},
    {".o_proj.", TensorClass::AttentionWeights},
    {".gate_proj.", TensorClass::DenseFfn},
    {".up_proj.", TensorClass::DenseFfn},
    {".down_proj.", TensorClass::DenseFfn},
}};

bool fits(std::string_view name, std::string_view part) {
  const bool from_start = part.front() == '^';
  const bool to_end = part.back() == '$';
  part.remove_prefix(from_start ? 1 : 0);
  part.remove_suffix(to_end ? 1 : 0);
  if (from_start) {
    return to_end ? name == part : name.starts_with(part);
  }
  return to_end ? name.ends_with(part) : name.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view tensor_class_name(TensorClass tensor_class) {
  switch (tensor_class) {
    case TensorClass::Embedding:
      return "embedding";
    case TensorClass::LmHead:
      return "lm_head";
    case TensorClass::AttentionWeights:
      return "attention";
    case TensorClass::Indexer:
      return "indexer";
    case TensorClass::Router:
      return "router";
    case TensorClass::RoutedExperts:
      return "routed experts";
    case TensorClass::SharedExperts:
      return "shared experts";
    case TensorClass::DenseFfn:
      return "dense ffn";
    case TensorClass::Norm:
      return "norm";
    case TensorClass::Recurrent:
      return "recurrent";
    case TensorClass::Mtp:
      return "mtp";
    case TensorClass::Multimodal:
      return "vision, audio, projector";
    case TensorClass::Other:
      return "other";
  }
  return {};
}

TensorClass tensor_class(std::string_view name) {
  for (const Rule& rule : kRules) {
    if (fits(name, rule.part)) {
      return rule.tensor_class;
    }
  }
  return TensorClass::Other;
}

}  // namespace fathom::model
