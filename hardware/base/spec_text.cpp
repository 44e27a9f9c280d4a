#include "hardware/base/spec_text.h"

#include "hardware/base/utf8.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::hardware {
namespace {

constexpr std::string_view kDocumentEnd = "...";

struct Fault {
  std::size_t at = 0;
  std::string message;
  std::string help;
};

std::optional<Fault> character_fault(const std::string& line) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t length = utf8_length(line, at);
    if (length == 0) {
      return Fault{at, "not UTF-8 text", {}};
    }
    const auto byte = static_cast<unsigned char>(line[at]);
    if ((byte < 0x20U && byte != '\t') || byte == 0x7FU) {
      return Fault{at, "a control character; is this a text file?", {}};
    }
    at += length;
  }
  return std::nullopt;
}

/// A tab before the first other character of a line that holds any.
std::optional<Fault> tab_fault(const std::string& line) {
  const std::size_t text = line.find_first_not_of(" \t");
  const std::size_t tab = line.find('\t');
  if (text == std::string::npos || tab > text) {
    return std::nullopt;
  }
  return Fault{tab, "a tab in the indentation", "indent with spaces"};
}

/// A bracket that opens more than kLargestSpecDepth levels. Brackets in quotes and comments count
/// too: to be told from others they would have to be parsed, and no text has so many unclosed ones.
std::optional<Fault> depth_fault(const std::string& line, int& depth) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == ']' || c == '}') {
      depth = std::max(depth - 1, 0);
    } else if ((c == '[' || c == '{') && ++depth > kLargestSpecDepth) {
      return Fault{at, "nested deeper than " + std::to_string(kLargestSpecDepth), {}};
    }
  }
  return std::nullopt;
}

}  // namespace

bool check_spec_lines(const std::shared_ptr<const SourceFile>& file, Diagnostics& diagnostics) {
  int number = 0;
  int depth = 0;
  for (const std::string& line : file->lines) {
    ++number;
    std::optional<Fault> fault = character_fault(line);
    if (!fault) {
      fault = tab_fault(line);
    }
    if (!fault) {
      fault = depth_fault(line, depth);
    }
    if (fault) {
      diagnostics.error({file, number, static_cast<int>(fault->at) + 1}, fault->message,
                        fault->help);
      return false;
    }
  }
  return true;
}

std::string parser_text(const SourceFile& file) {
  std::string text;
  bool ended = false;
  for (const std::string& line : file.lines) {
    text += line;
    text += '\n';
    ended = ended || line.substr(0, kDocumentEnd.size()) == kDocumentEnd;
  }
  if (!ended) {
    text += kDocumentEnd;
    text += '\n';
  }
  return text;
}

}  // namespace fathom::hardware
