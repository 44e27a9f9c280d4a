#pragma once

#include "hardware/base/diagnostics.h"

#include <optional>
#include <string>

namespace fathom::hardware {

/// The whole text of a file ("-" is standard input), or nothing and a diagnostic.
std::optional<std::string> read_file_text(const std::string& path, Diagnostics& diagnostics);

}  // namespace fathom::hardware
