#pragma once

#include "model/llm/import_safetensors.h"

namespace fathom::model {

/// Reads the JSON of a header. Each tensor is whole and its offsets are its size; where they lie in
/// the file is not looked at. `path` is used in messages.
std::optional<SafetensorsHeader> parse_safetensors_header(std::string_view json,
                                                          const std::string& path,
                                                          hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
