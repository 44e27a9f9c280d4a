#include "hardware/base/diagnostics.h"

#include "hardware/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fathom::hardware {
namespace {

constexpr std::size_t kLineColumns = 160;
constexpr std::size_t kCaretFrom = kLineColumns / 2;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// One character as a terminal may show it: control characters (C0, DEL, C1) become '?'.
std::string_view shown(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (lead == '\t') {
    return " ";
  }
  const bool control = lead < 0x20U || lead == 0x7FU;
  const bool high_control = lead == 0xC2U && static_cast<unsigned char>(character[1]) < 0xA0U;
  return control || high_control ? "?" : character;
}

struct ShownLine {
  std::vector<std::string_view> characters;
  std::size_t caret = 0;  ///< index among the characters
};

/// Characters of a line and the one that byte column `column` (from 1) falls on.
ShownLine show(std::string_view line, int column) {
  ShownLine result;
  const std::size_t byte = column > 0 ? static_cast<std::size_t>(column) - 1 : 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t length = utf8_length(line, at);
    if (at <= byte) {
      result.caret = result.characters.size();
    }
    result.characters.push_back(length == 0 ? "?" : shown(line.substr(at, length)));
    at += std::max<std::size_t>(length, 1);
  }
  if (byte >= line.size()) {
    result.caret = result.characters.size();
  }
  return result;
}

/// Keeps kLineColumns characters around the caret; dots stand for what is cut.
ShownLine cut(ShownLine line) {
  const std::size_t size = line.characters.size();
  if (size <= kLineColumns) {
    return line;
  }
  const std::size_t from =
      std::min(line.caret > kCaretFrom ? line.caret - kCaretFrom : 0, size - kLineColumns);
  const auto first = line.characters.begin() + static_cast<std::ptrdiff_t>(from);
  ShownLine result{{first, first + static_cast<std::ptrdiff_t>(kLineColumns)}, line.caret - from};
  if (from > 0) {
    std::fill_n(result.characters.begin(), 3, ".");
  }
  if (from + kLineColumns < size) {
    std::fill_n(result.characters.rbegin(), 3, ".");
  }
  return result;
}

/// Of a very long line (a JSON file is often one) the part around the caret, more than is shown.
ShownLine show_around(std::string_view line, int column) {
  constexpr std::size_t kBytes = 8 * kLineColumns;  // a character has 4 at most
  const std::size_t byte =
      std::min(column > 0 ? static_cast<std::size_t>(column) - 1 : 0, line.size());
  std::size_t from = byte > kBytes ? byte - kBytes : 0;
  while (from > 0 && from < byte && (static_cast<unsigned char>(line[from]) & 0xC0U) == 0x80U) {
    ++from;
  }
  const std::string_view part = line.substr(from, byte - from + kBytes);
  return cut(show(part, static_cast<int>(byte - from) + 1));
}

std::string join(const std::vector<std::string_view>& characters) {
  std::string text;
  for (const std::string_view character : characters) {
    text += character;
  }
  return text;
}

/// A message without characters that steer a terminal or start a line.
std::string clean(std::string_view text) {
  constexpr std::size_t kMost = 4096;  // what it quotes may be a whole file
  const bool whole = text.size() <= kMost;
  return join(show(text.substr(0, kMost), 0).characters) + (whole ? "" : "...");
}

/// "file:line:column: ", as far as each is known.
std::string place(const Mark& mark) {
  std::string text;
  if (mark.file != nullptr) {
    text = clean(mark.file->name) + ":";
    if (mark.line > 0) {
      text += fmt::format("{}:", mark.line);
      if (mark.column > 0) {
        text += fmt::format("{}:", mark.column);
      }
    }
    text += " ";
  }
  return text;
}

std::string excerpt(const Mark& mark) {
  if (mark.file == nullptr || mark.line <= 0 ||
      static_cast<std::size_t>(mark.line) > mark.file->lines.size()) {
    return {};
  }
  const std::string& line = mark.file->lines[static_cast<std::size_t>(mark.line) - 1];
  const ShownLine shown_line = show_around(line, mark.column);
  std::string text = fmt::format("{:>5} | {}\n", mark.line, join(shown_line.characters));
  if (mark.column > 0) {
    text += fmt::format("      | {:>{}}\n", "^", shown_line.caret + 1);
  }
  return text;
}

/// "       help: ..." broken at blanks to 100 columns; further lines start below the text.
std::string help_lines(std::string_view help) {
  constexpr std::size_t kColumns = 100;
  constexpr std::size_t kIndent = 13;
  std::string text = "       help:";
  std::size_t column = text.size();
  while (!help.empty()) {
    const std::string_view word = help.substr(0, help.find(' '));
    help.remove_prefix(std::min(word.size() + 1, help.size()));
    if (column > kIndent && column + 1 + word.size() > kColumns) {
      text += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text + "\n";
}

std::string_view severity_name(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::Error:
      return "error";
    case Diagnostic::Severity::Warning:
      return "warning";
  }
  return {};
}

}  // namespace

std::shared_ptr<const SourceFile> make_source(std::string name, std::string_view text) {
  auto file = std::make_shared<SourceFile>();
  file->name = std::move(name);
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  file->lines.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    file->lines.emplace_back(line);
  }
  return file;
}

Diagnostic& Diagnostics::error(Mark mark, std::string message, std::string help) {
  return all_.emplace_back(Diagnostic{
      Diagnostic::Severity::Error, std::move(mark), std::move(message), std::move(help), {}});
}

Diagnostic& Diagnostics::warning(Mark mark, std::string message, std::string help) {
  return all_.emplace_back(Diagnostic{
      Diagnostic::Severity::Warning, std::move(mark), std::move(message), std::move(help), {}});
}

bool Diagnostics::has_errors() const {
  return std::any_of(all_.begin(), all_.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Diagnostic::Severity::Error;
  });
}

std::string render(const Diagnostic& diagnostic) {
  std::string text =
      fmt::format("{}{}: {}\n{}", place(diagnostic.mark), severity_name(diagnostic.severity),
                  clean(diagnostic.message), excerpt(diagnostic.mark));
  for (const Diagnostic::Note& note : diagnostic.notes) {
    text += fmt::format("{}note: {}\n", place(note.mark), clean(note.message));
  }
  if (!diagnostic.help.empty()) {
    text += help_lines(clean(diagnostic.help));
  }
  return text;
}

std::string render(const Diagnostics& diagnostics) {
  std::string text;
  constexpr std::size_t kMostShown = 100;
  std::size_t shown = 0;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (shown == kMostShown) {
      text += fmt::format("and {} more\n", diagnostics.all().size() - shown);
      break;
    }
    text += render(diagnostic);
    ++shown;
  }
  const auto errors = std::count_if(diagnostics.all().begin(), diagnostics.all().end(),
                                    [](const Diagnostic& diagnostic) {
                                      return diagnostic.severity == Diagnostic::Severity::Error;
                                    });
  if (errors > 1) {
    text += fmt::format("{} errors\n", errors);
  }
  return text;
}

}  // namespace fathom::hardware
