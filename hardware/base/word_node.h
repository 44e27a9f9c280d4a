#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/spec_node.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fathom::hardware {

/// The text of a scalar, quoted or not; a diagnostic where the node is a list or a map.
std::optional<std::string> read_text(const SpecNode& node, const std::string& key,
                                     Diagnostics& diagnostics);

/// `true` or `false` without quotes; the other words of YAML 1.1 are refused with the fix.
std::optional<bool> read_truth(const SpecNode& node, const std::string& key,
                               Diagnostics& diagnostics);

/// Index into `choices` of the scalar's text; an unknown word names the nearest, else all.
std::optional<std::size_t> read_choice(const SpecNode& node, const std::string& key,
                                       const std::vector<std::string>& choices,
                                       Diagnostics& diagnostics);

/// A number format by its name.
std::optional<Format> read_format(const SpecNode& node, const std::string& key,
                                  Diagnostics& diagnostics);

}  // namespace fathom::hardware
