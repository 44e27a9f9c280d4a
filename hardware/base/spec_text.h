#pragma once

#include "hardware/base/diagnostics.h"

#include <memory>
#include <string>

namespace fathom::hardware {

/// Levels of maps and lists that a spec may have.
inline constexpr int kLargestSpecDepth = 64;

/// Refuses, before any parser sees the lines, what no spec holds: bytes that are not UTF-8, control
/// characters, a tab in the indentation, nesting so deep that a parser would overrun its stack.
/// Reports the first fault only. True where there is none.
bool check_spec_lines(const std::shared_ptr<const SourceFile>& file, Diagnostics& diagnostics);

/// Lines joined with LF, so that the parser sees neither a byte-order mark nor CRLF, and an end of
/// document behind them: without it the parser takes a quote that is never closed.
std::string parser_text(const SourceFile& file);

}  // namespace fathom::hardware
