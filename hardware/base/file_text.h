#pragma once

#include "hardware/base/diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::hardware {

/// The whole text of a file ("-" is standard input), or nothing and a diagnostic.
std::optional<std::string> read_file_text(const std::string& path, Diagnostics& diagnostics);

/// The first bytes of a file, which may be far larger.
struct FileStart {
  std::string bytes;       ///< fewer than asked for where the file is shorter
  std::uint64_t size = 0;  ///< of the whole file; of standard input, of the bytes read
};

/// Reads at most `most` bytes from the start of a file ("-" is standard input), or nothing and a
/// diagnostic.
std::optional<FileStart> read_file_start(const std::string& path, std::size_t most,
                                         Diagnostics& diagnostics);

/// Names of the files in a folder, sorted, folders in it left out; nothing and a diagnostic where
/// it cannot be read.
std::optional<std::vector<std::string>> list_files(const std::string& folder,
                                                   Diagnostics& diagnostics);

/// Whether there is a file of this name; whether it may be read is another question.
bool is_file(const std::string& path);

}  // namespace fathom::hardware
