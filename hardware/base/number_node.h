#pragma once

#include "hardware/base/quantity.h"
#include "hardware/base/spec_node.h"

#include <optional>
#include <string>
#include <string_view>

namespace fathom::hardware {

/// What a key's value should be, for messages.
struct Wanted {
  std::string key;      ///< "bandwidth"
  std::string words;    ///< "bytes per second are wanted"
  std::string example;  ///< "1792 GB/s"
};

/// The scalars of a number: one twice, or the ends of an interval.
struct NumberNodes {
  const SpecNode* low = nullptr;
  const SpecNode* high = nullptr;
  [[nodiscard]] bool interval() const { return low != high; }
};

/// Finds the scalars in `96 GiB`, `{value: 96 GiB, source: ...}` and `{low: ..., high: ...}`; a
/// diagnostic where the node is none of these or a scalar is in quotes.
std::optional<NumberNodes> number_nodes(const SpecNode& node, const Wanted& wanted,
                                        Diagnostics& diagnostics);

/// The ends of a number in base units.
struct NumberEnds {
  double low = 0;
  double high = 0;
  bool interval = false;
};
std::optional<NumberEnds> read_number(const SpecNode& node, const std::string& key, Dim dim,
                                      Diagnostics& diagnostics);

/// The ends of a whole number.
struct CountEnds {
  Count low = 0;
  Count high = 0;
  bool interval = false;
};
std::optional<CountEnds> read_count(const SpecNode& node, const std::string& key,
                                    Diagnostics& diagnostics);

/// What a node is, in words: "a list", "a map", "empty", "null", "a single value", "text".
std::string_view kind_words(const SpecNode& node);

/// "for example 'bandwidth: 1792 GB/s'", or empty without an example.
std::string example_line(std::string_view key, std::string_view example);

}  // namespace fathom::hardware
