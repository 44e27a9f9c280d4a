#pragma once

#include "model/llm/import_safetensors.h"

namespace fathom::model {

/// A model.safetensors.index.json: which file holds which tensor. The names lie in one text, so
/// that 200,000 of them cost their characters and 8 bytes each.
struct SafetensorsIndex {
  struct Entry {
    std::uint32_t name_end = 0;  ///< in `names`, where the name before it ends it begins
    std::uint32_t file = 0;      ///< in `files`
  };
  std::optional<Bytes> total_size;  ///< of the data, as the index says
  std::vector<std::string> files;   ///< distinct, in the order of their first mention
  std::vector<Entry> entries;       ///< in the order of the file
  std::string names;

  [[nodiscard]] std::string_view name(std::size_t entry) const;
};

/// Reads an index. `total_size` may be a whole or a decimal number or absent; 0 is a warning and
/// counts as absent. Errors: those of a JSON file but for size (256 MiB here), no weight_map, an
/// entry that does not name a .safetensors file beside the index.
std::optional<SafetensorsIndex> read_safetensors_index(const std::string& path,
                                                       hardware::Diagnostics& diagnostics);

/// The same from memory; `name` is used in messages.
std::optional<SafetensorsIndex> read_safetensors_index_text(std::string_view text,
                                                            const std::string& name,
                                                            hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
