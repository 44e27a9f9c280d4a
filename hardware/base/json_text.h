#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::hardware {

/// What is wrong in a JSON text and where.
struct JsonFault {
  std::size_t at = 0;  ///< bytes before the place
  std::string message;
  std::string help;  ///< the likely fix, or empty
};

/// What the parser knows when it gives up.
struct JsonStop {
  std::string_view said;  ///< the parser's message
  std::size_t last = 0;   ///< end of the last token that was understood
  std::size_t read = 0;   ///< bytes read, the end of the text counted as one
  bool finished = false;  ///< the document was whole before
};

/// The parser's message in plain words, the place that a reader should look at and the likely fix.
JsonFault json_fault(std::string_view text, const JsonStop& stop);

/// The text with each bare NaN, Infinity and -Infinity (no JSON, but Python writes them) replaced
/// by a number of the same length, so that places stay right; nothing where there is none.
std::optional<std::string> without_bare_words(std::string_view text);

/// First byte at or behind `at` that is not a blank or a line break; the size where none is.
std::size_t skip_json_blanks(std::string_view text, std::size_t at);

}  // namespace fathom::hardware
