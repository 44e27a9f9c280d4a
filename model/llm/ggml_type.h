#pragma once

#include "model/llm/model_spec.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::model {

/// How a tensor of a GGUF file is stored: `elements` neighbours of a row in `bytes`.
struct GgmlType {
  std::uint32_t id = 0;
  std::string_view name;
  Count elements = 1;
  Count bytes = 0;
  std::optional<Format> format;  ///< none: integers, F64, and types without a format of ours
};

/// The type of a number in a file, or null. Numbers of types that llama.cpp has removed (4, 5, 31
/// to 33, 36 to 38) are unknown.
const GgmlType* find_ggml_type(std::uint32_t id);

}  // namespace fathom::model
