#pragma once

#include "hardware/base/file_text.h"
#include "hardware/base/spec_node.h"

#include <optional>
#include <string>
#include <string_view>

namespace fathom::hardware {

/// Reads a YAML file into a located tree. Errors: cannot be read, not YAML, duplicate keys, more
/// than one document, anchors and merge keys, tabs, nesting deeper than 64, larger than 8 MiB,
/// not UTF-8. No exception leaves this function.
std::optional<SpecNode> read_spec_file(const std::string& path, Diagnostics& diagnostics);

/// The same from memory; `name` is used in messages.
std::optional<SpecNode> read_spec_text(std::string_view text, const std::string& name,
                                       Diagnostics& diagnostics);

}  // namespace fathom::hardware
