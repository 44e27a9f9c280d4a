#pragma once

#include "hardware/base/diagnostics.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::hardware {

/// A table as read: header names and rows of cells with their places. RFC 4180: quoted cells may
/// hold commas, quotes ("") and line breaks; a byte-order mark and CRLF are accepted; blank lines
/// are skipped. A short row has its missing cells blank; a longer one is an error.
struct CsvTable {
  struct Row {
    int line = 0;  ///< of its first character
    std::vector<std::string> cells;
  };
  std::shared_ptr<const SourceFile> file;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// Reads a whole CSV file ("-" is standard input). Errors: no header, an empty or repeated column
/// name, a quote that never closes, a row with more cells than columns.
std::optional<CsvTable> read_csv_file(const std::string& path, Diagnostics& diagnostics);
std::optional<CsvTable> read_csv_text(std::string_view text, const std::string& name,
                                      Diagnostics& diagnostics);

/// A cell as RFC 4180 writes it: quoted when it holds a comma, a quote or a line break.
std::string csv_cell(std::string_view text);

}  // namespace fathom::hardware
