#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::model {

/// Reads the order of layers: names of layer kinds, `N*name`, and `N*(name name ...)`, separated by
/// spaces ("3*dense 18*(window full)"). Gives the index of each layer's kind, or a message in
/// `error`: an unknown name, a count that is no number, brackets that do not match, more than
/// 10,000 layers.
std::optional<std::vector<std::uint16_t>> parse_order(std::string_view text,
                                                      const std::vector<std::string>& names,
                                                      std::string& error);

/// Such a text with the repeats that cover most layers from left to right; parse_order reads it
/// back.
std::string print_order(const std::vector<std::uint16_t>& order,
                        const std::vector<std::string>& names);

}  // namespace fathom::model
