#include "hardware/base/json_text.h"

#include "hardware/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fathom::hardware {
namespace {

struct BareWord {
  std::string_view word;
  std::string_view number;  ///< as long as the word
};

constexpr std::array<BareWord, 3> kBareWords{{
    {"NaN", "1e0"},
    {"Infinity", "10000000"},
    {"-Infinity", "-10000000"},
}};

/// The parser's names of tokens, and plain ones.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPlainNames{{
    {"'[', '{', or a literal", "a value"},
    {"string literal", "text in quotes"},
    {"number literal", "a number"},
    {"true literal", "true"},
    {"false literal", "false"},
    {"null literal", "null"},
}};

/// Letters, digits and what else a word or number may hold; without locale.
bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '+' || c == '-' || c == '.';
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && in_word(text[end])) {
    ++end;
  }
  return text.substr(at, end - at);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Drops everything up to and including `mark`, where it is.
void drop_through(std::string_view& text, std::string_view mark) {
  if (const std::size_t at = text.find(mark); at != std::string_view::npos) {
    text.remove_prefix(at + mark.size());
  }
}

/// "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while parsing
/// value - unexpected '}'; expected string literal" without what comes before "unexpected".
std::string plain_words(std::string_view said) {
  drop_through(said, "] ");
  if (said.starts_with("parse error")) {
    drop_through(said, ": ");
  }
  if (said.starts_with("syntax error")) {
    drop_through(said, " - ");
  }
  std::string words(said.substr(0, said.find("; last read: '")));
  for (const auto& [name, plain] : kPlainNames) {
    if (const std::size_t at = words.find(name); at != std::string::npos) {
      words.replace(at, name.size(), plain);
    }
  }
  return words;
}

/// Start of the last token before `end`; separators behind the last understood token are passed
/// over where something follows.
std::size_t token_start(std::string_view text, std::size_t last, std::size_t end) {
  std::size_t at = skip_json_blanks(text, last);
  while (at < end && (text[at] == ',' || text[at] == ':')) {
    const std::size_t next = skip_json_blanks(text, at + 1);
    if (next >= end) {
      break;
    }
    at = next;
  }
  return at;
}

/// The last character before `at` that is no blank, or NUL.
char before(std::string_view text, std::size_t at) {
  const std::size_t found = text.substr(0, at).find_last_not_of(" \t\r\n");
  return found == std::string_view::npos ? '\0' : text[found];
}

std::string word_help(std::string_view word) {
  if (word == "True" || word == "False") {
    return word == "True" ? "write true" : "write false";
  }
  if (word == "None" || word == "nil" || word == "undefined") {
    return "write null";
  }
  if (word == "nan" || word == "inf" || word == "-inf") {
    return fmt::format("write {}", word == "nan"   ? "NaN"
                                   : word == "inf" ? "Infinity"
                                                   : "-Infinity");
  }
  return {};
}

/// The likely fix of an unexpected token or literal at `at`.
std::string likely_fix(std::string_view text, std::size_t at, std::size_t last) {
  if (at >= text.size()) {
    return {};
  }
  const char c = text[at];
  if ((c == '}' || c == ']') && before(text, at) == ',') {
    return "take out the comma before it";
  }
  if (c == '\'') {
    return "text is written in double quotes";
  }
  if (c == '#' || c == '/') {
    return "JSON has no comments; take it out";
  }
  const std::string_view word = word_at(text, at);
  if (std::string help = word_help(word); !help.empty()) {
    return help;
  }
  if (at == last && at > 0 && text[at - 1] == '0' && c >= '0' && c <= '9') {
    return "a number does not start with 0";
  }
  const char previous = before(text, at);
  const bool opens = c == '"' || c == '{' || c == '[';
  if ((opens || !word.empty()) && previous != ',' && previous != ':' && previous != '{' &&
      previous != '[' && previous != '\0') {
    return "is a ',' or ':' missing before it?";
  }
  return word.empty() || c == '-' || (c >= '0' && c <= '9') ? "" : "text is written in quotes";
}

std::size_t first_bad_byte(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      return at;
    }
    at += length;
  }
  return text.size();
}

/// Where the text stops too early: behind its last character.
JsonFault early_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return {last == std::string_view::npos ? 0 : last + 1, "not JSON: the text ends too early",
          "was the file copied whole?"};
}

/// A fault of one text or number, which the parser names itself; empty message where it is none.
JsonFault scalar_fault(std::string_view text, const JsonStop& stop, std::size_t from,
                       std::size_t end) {
  const std::string words = plain_words(stop.said);
  if (contains(words, "missing closing quote")) {
    return {from, "not JSON: a quote is never closed", "was the file copied whole?"};
  }
  if (contains(words, "number overflow")) {
    return {from, fmt::format("the number '{}' is too large", word_at(text, from)), {}};
  }
  if (words.starts_with("invalid number") || words.starts_with("invalid string")) {
    const bool line_end = contains(words, "(LF)") || contains(words, "(CR)");
    return {end - 1, "not JSON: " + words,
            line_end ? "is the closing quote missing on this line?" : ""};
  }
  return {};
}

}  // namespace

std::size_t skip_json_blanks(std::string_view text, std::size_t at) {
  const std::size_t found = text.find_first_not_of(" \t\r\n", at);
  return std::min(found, text.size());
}

JsonFault json_fault(std::string_view text, const JsonStop& stop) {
  const std::size_t end = std::min(stop.read, text.size());
  const std::size_t from = token_start(text, stop.last, end);
  if (const std::size_t bad = first_bad_byte(text.substr(0, end), from); bad < end) {
    return {bad, "not UTF-8 text", {}};
  }
  if (from < text.size() && text[from] == '\0') {
    return {from, "a control character; is this a text file?", {}};
  }
  if (stop.finished) {
    return {from, "text after the end of the document",
            "a file holds one document; is it one document a line (JSON Lines)?"};
  }
  if (JsonFault fault = scalar_fault(text, stop, from, end); !fault.message.empty()) {
    return stop.read > text.size() && contains(stop.said, "invalid number") ? early_end(text)
                                                                            : fault;
  }
  if (stop.read > text.size()) {
    return early_end(text);
  }
  std::string words = plain_words(stop.said);
  if (words == "invalid literal" && !word_at(text, from).empty()) {
    words = fmt::format("unexpected '{}'", word_at(text, from).substr(0, 40));
  } else if (words == "invalid literal") {
    words = fmt::format("unexpected '{}'", text.substr(from, utf8_length(text, from)));
  }
  return {from, "not JSON: " + words, likely_fix(text, from, stop.last)};
}

std::optional<std::string> without_bare_words(std::string_view text) {
  if (!contains(text, kBareWords[0].word) && !contains(text, kBareWords[1].word)) {
    return std::nullopt;
  }
  std::string out(text);
  bool in_quotes = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      in_quotes = !in_quotes;
    } else if (in_quotes) {
      at += text[at] == '\\' ? 1 : 0;
    } else if (const std::string_view word = word_at(text, at); !word.empty()) {
      for (const BareWord& bare : kBareWords) {
        if (word == bare.word) {
          out.replace(at, word.size(), bare.number);
        }
      }
      at += word.size() - 1;
    }
    ++at;
  }
  return out;
}

}  // namespace fathom::hardware
