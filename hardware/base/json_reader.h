#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::hardware {

/// One token of a JSON document, in the order of the text.
struct JsonEvent {
  enum class Kind : std::uint8_t {
    MapStart,
    MapEnd,
    ListStart,
    ListEnd,
    Key,
    Text,    ///< a value in quotes
    Number,  ///< NaN, Infinity and -Infinity too
    Bool,
    Null,
  };
  Kind kind = Kind::Null;
  std::string_view text;  ///< keys and texts unescaped, all else as written; valid during the visit
  int depth = 0;          ///< maps and lists around it; of a start or end, around the map or list
  int line = 0;           ///< from 1
  int column = 0;         ///< from 1, in bytes, of the first character
};

/// Called for each token; false stops the scan.
using JsonVisit = std::function<bool(const JsonEvent&)>;

/// Walks through a JSON document without keeping it: beside the text it holds only the keys of the
/// maps that are open. The same faults as read_json_text, but for size (1 GiB here). False after an
/// error, which may come behind visits, or where `visit` stopped the scan. No exception leaves this
/// function; one of `visit` becomes an error.
bool scan_json(std::string_view text, const std::string& name, const JsonVisit& visit,
               Diagnostics& diagnostics);

/// Reads a JSON file ("-" is standard input) into the same located tree as YAML: a text is a quoted
/// scalar, a number or a truth value keeps its source text ("1e-05", "true"), null is Null. NaN,
/// Infinity and -Infinity are accepted as numbers, a byte-order mark and CRLF too. Errors: cannot
/// be read, empty, not JSON, duplicate keys, text after the document, nesting deeper than 64,
/// larger than 64 MiB, 4,000,000 lines or 4,000,000 values (a tree takes about 130 bytes a value),
/// not UTF-8. No exception leaves this function.
std::optional<SpecNode> read_json_file(const std::string& path, Diagnostics& diagnostics);

/// The same from memory; `name` is used in messages.
std::optional<SpecNode> read_json_text(std::string_view text, const std::string& name,
                                       Diagnostics& diagnostics);

}  // namespace fathom::hardware
