#include "model/llm/gguf_summary.h"

#include <algorithm>

namespace fathom::model {
namespace {

constexpr std::array<std::string_view, kGgufClassCount> kNames{
    "token_embd",     "output", "attention", "dense_ffn",   "routed_experts",
    "shared_experts", "router", "norm",      "state_space", "other"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// `blk.3.ffn_up.weight` without block and kind: `ffn_up`.
std::string_view stem(std::string_view name) {
  if (name.starts_with("blk.")) {
    const std::size_t dot = name.find('.', std::string_view("blk.").size());
    name = dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
  }
  for (const std::string_view tail : {".weight", ".bias", ".input_scale", ".scale"}) {
    if (name.ends_with(tail)) {
      return name.substr(0, name.size() - tail.size());
    }
  }
  return name;
}

/// attn_norm, attn_q_norm, post_ffw_norm_1.
bool is_norm(std::string_view stem) {
  if (stem.size() > 2 && is_digit(stem.back()) && stem[stem.size() - 2] == '_') {
    stem.remove_suffix(2);
  }
  return stem.ends_with("norm");
}

/// ffn_up_exps; one tensor for each expert, as files of 2023 have them: ffn_up.7.
bool is_routed(std::string_view stem) {
  const std::size_t dot = stem.find('.');
  return contains(stem, "exps") ||
         (stem.starts_with("ffn_") && dot != std::string_view::npos &&
          std::all_of(stem.begin() + static_cast<std::ptrdiff_t>(dot) + 1, stem.end(), is_digit));
}

}  // namespace

std::string_view gguf_class_name(GgufClass kind) { return kNames[static_cast<std::size_t>(kind)]; }

GgufClass gguf_class(std::string_view name) {
  const std::string_view s = stem(name);
  if (is_norm(s)) {
    return GgufClass::Norm;
  }
  if (s == "token_embd") {
    return GgufClass::TokenEmbedding;
  }
  if (s == "output") {
    return GgufClass::Output;
  }
  if (contains(s, "_shexp")) {  // before the router: ffn_gate_inp_shexp is the shared expert's gate
    return GgufClass::SharedExperts;
  }
  if (s == "ffn_gate_inp" || s == "exp_probs_b") {
    return GgufClass::Router;
  }
  if (is_routed(s)) {
    return GgufClass::RoutedExperts;
  }
  if (s.starts_with("ffn_")) {
    return GgufClass::DenseFfn;
  }
  if (s.starts_with("attn_") || s.starts_with("indexer.")) {
    return GgufClass::AttentionWeights;
  }
  return s.starts_with("ssm_") ? GgufClass::StateSpace : GgufClass::Other;
}

GgufSummary summarize(const GgufFile& file) {
  GgufSummary summary;
  for (const GgufTensor& tensor : file.tensors) {
    const auto kind = static_cast<std::size_t>(gguf_class(tensor.name));
    const Bytes bytes(static_cast<double>(tensor.bytes));
    summary.bytes += bytes;
    summary.bytes_by_class[kind] += bytes;
    if (tensor.type.format) {
      summary.bytes_by_format[static_cast<std::size_t>(*tensor.type.format)] += bytes;
    } else {
      summary.bytes_without_format += bytes;
    }
    const std::string_view name = tensor.name;
    if (!name.ends_with(".scale") && !name.ends_with(".input_scale")) {
      summary.parameters += tensor.elements;
      summary.parameters_by_class[kind] += tensor.elements;
    }
  }
  return summary;
}

}  // namespace fathom::model
