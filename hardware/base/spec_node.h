#pragma once

#include "hardware/base/diagnostics.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::hardware {

/// A located tree: what YAML and JSON files become. Scalars keep their text; nothing is guessed.
struct SpecNode {
  enum class Kind { Null, Scalar, List, Map };
  struct Entry;

  Kind kind = Kind::Null;
  Mark mark;
  std::string text;             ///< of a scalar; of a null that is written out ("null", "~")
  bool quoted = false;          ///< a scalar in quotes is text, never a number
  std::vector<SpecNode> items;  ///< of a list
  std::vector<Entry> entries;   ///< of a map, in file order, keys unique

  /// The value of a key, or null.
  [[nodiscard]] const SpecNode* find(std::string_view key) const;
  [[nodiscard]] SpecNode* find(std::string_view key);
};

struct SpecNode::Entry {
  std::string key;
  Mark key_mark;
  SpecNode value;
};

/// A change asked for on the command line: PATH=VALUE, the path without its root
/// (`link.bandwidth`), the value as in a file (`80 GB/s`) or a factor (`x2`).
struct Override {
  std::string path;
  std::string value;
  std::string written;  ///< as the user wrote it, for messages
};

/// Sets the value at a dotted path (`link.bandwidth`, `layers.0.count`). Missing keys are created,
/// so that the reader's own unknown-key check names the nearest; a factor multiplies each number
/// found at or below the path (`value`, `low`, `high`; never `source` and `note`), and is an error
/// where there is none. What is set has the mark 1:1 of a file named `--set` that holds `written`.
bool apply_override(SpecNode& root, const Override& override_, Diagnostics& diagnostics);

}  // namespace fathom::hardware
