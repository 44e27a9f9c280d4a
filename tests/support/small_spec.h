#pragma once

#include "tests/support/specs.h"

namespace fathom::test {

/// A model of eleven lines: 3 layers of hidden 8, with 2872 parameters.
inline constexpr const char* kModel =
    "model: small\n"
    "hidden: 8\n"
    "vocabulary: 32\n"
    "max_context: 1000\n"
    "tied_embeddings: false\n"
    "attention: {kind: grouped, heads: 4, kv_heads: 2, head: 4, qk_norm: none}\n"
    "layers:\n"
    "  - count: 3\n"
    "    ffn: {kind: dense, width: 16}\n"
    "formats: {embedding: bf16, attention: bf16, dense_ffn: bf16, norm: bf16, lm_head: bf16, "
    "kv_cache: fp8}\n"
    "published: {total_parameters: 2872}\n";

inline std::string changed(const std::string& from, const std::string& to) {
  std::string text = kModel;
  text.replace(text.find(from), from.size(), to);
  return text;
}

inline std::optional<model::ModelSpec> read(const std::string& text,
                                            hardware::Diagnostics& diagnostics) {
  return model::read_model(tree_of(text), diagnostics);
}

inline std::string errors_of(const std::string& text) {
  hardware::Diagnostics diagnostics;
  CHECK_FALSE(read(text, diagnostics));
  return render(diagnostics);
}

}  // namespace fathom::test
