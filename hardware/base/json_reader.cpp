#include "hardware/base/json_reader.h"

#include "hardware/base/file_text.h"
#include "hardware/base/json_text.h"
#include "hardware/base/json_tree.h"
#include "hardware/base/spec_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fathom::hardware {
namespace {

constexpr int kMostFaults = 100;
constexpr std::size_t kLargestTree = std::size_t{64} << 20U;
constexpr std::size_t kMostValues = 4'000'000;
constexpr std::size_t kLargestScan = std::size_t{1} << 30U;
constexpr std::ptrdiff_t kMostLines = 4'000'000;  // each costs a string where a fault is shown
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

using Kind = JsonEvent::Kind;

/// Walks over the text and tells how far the parser has read, which its events do not.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  explicit CountingIterator(const char* at, const char** reached = nullptr)
      : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  const char* at_ = nullptr;
  const char** reached_ = nullptr;
};

/// The keys of an open map and where each stands. Keys without escapes are views of the text.
struct OpenMap {
  std::unordered_map<std::string_view, std::size_t> keys;
  std::list<std::string> unescaped;
};

/// Turns the parser's events into ours: adds places and refuses what it takes.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name, const JsonVisit& visit,
          Diagnostics& diagnostics)
      : text_(text), name_(name), visit_(visit), diagnostics_(&diagnostics) {}

  /// Runs the parser over `parsed`, which is the text or as long as it.
  bool run(std::string_view parsed) {
    const char* const begin = parsed.data();
    parsed_ = parsed;
    reached_ = begin;
    const bool whole = nlohmann::json::sax_parse(CountingIterator(begin, &reached_),
                                                 CountingIterator(begin + parsed.size()), this);
    // To the parser a NUL is the end of the text, wherever it stands.
    if (whole && skip_json_blanks(text_, last_) < text_.size()) {
      refuse(json_fault(text_, {"", last_, text_.size(), true}));
    }
    return whole && faults_ == 0;
  }

  // Names and signatures are those that nlohmann's parser calls.
  bool null() { return value(Kind::Null, 4); }
  bool boolean(bool value_) { return value(Kind::Bool, value_ ? 4 : 5); }
  bool number_integer(std::int64_t) { return number(); }
  bool number_unsigned(std::uint64_t) { return number(); }
  bool number_float(double, const std::string&) { return number(); }
  bool string(const std::string& unescaped) {
    go_to_token();
    return give(Kind::Text, quoted(unescaped));
  }
  static bool binary(const nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) {
    maps_.emplace_back();
    return start(Kind::MapStart);
  }
  bool start_array(std::size_t) {
    maps_.emplace_back();
    return start(Kind::ListStart);
  }
  bool end_object() { return end(Kind::MapEnd); }
  bool end_array() { return end(Kind::ListEnd); }

  bool key(const std::string& unescaped) {
    go_to_token();
    const std::string_view key = quoted(unescaped);
    OpenMap& map = maps_.back();
    const bool escaped = key.data() == unescaped.data();
    const std::string_view kept = escaped ? map.unescaped.emplace_back(key) : key;
    const auto [first, added] = map.keys.try_emplace(kept, start_);
    if (!added) {
      JsonFault fault{start_, fmt::format("the key '{}' is given twice", key), {}};
      refuse(std::move(fault)).notes.push_back({mark_of(first->second), "first given here"});
    }
    return faults_ < kMostFaults && give(Kind::Key, key);
  }

  bool parse_error(std::size_t read, const std::string&, const nlohmann::json::exception& said) {
    const bool finished = last_ > 0 && maps_.empty();
    refuse(json_fault(text_, {said.what(), last_, read, finished}));
    return false;
  }

 private:
  Diagnostic& refuse(JsonFault fault) {
    ++faults_;
    return diagnostics_->error(mark_of(fault.at), std::move(fault.message), std::move(fault.help));
  }

  /// A place found by counting lines from the start: for messages.
  [[nodiscard]] Mark mark_of(std::size_t at) {
    if (file_ == nullptr) {
      file_ = make_source(name_, text_);
    }
    const std::string_view head = text_.substr(0, at);
    const std::size_t line_end = head.rfind('\n');
    const std::size_t column = line_end == std::string_view::npos ? at : at - line_end - 1;
    return {file_, static_cast<int>(std::count(head.begin(), head.end(), '\n')) + 1,
            static_cast<int>(column) + 1};
  }

  /// Goes from the end of the last token to the start of this one.
  void go_to_token() {
    start_ = last_;
    for (; start_ < text_.size(); ++start_) {
      const char c = text_[start_];
      if (c == '\n') {
        ++line_;
        line_start_ = start_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r' && c != ',' && c != ':') {
        return;
      }
    }
  }

  /// The text between the quotes of this token: of the file where it has no escapes (each of which
  /// is longer than what it stands for), else as unescaped.
  std::string_view quoted(const std::string& unescaped) {
    last_ = static_cast<std::size_t>(reached_ - parsed_.data());
    const std::string_view raw = text_.substr(start_ + 1, last_ - start_ - 2);
    return raw.size() == unescaped.size() ? raw : std::string_view(unescaped);
  }

  bool value(Kind kind, std::size_t length) {
    go_to_token();
    last_ = start_ + length;
    return give(kind, text_.substr(start_, length));
  }

  /// The parser has read one character past a number, unless the text ends with it.
  bool number() {
    go_to_token();
    last_ = static_cast<std::size_t>(reached_ - parsed_.data());
    const bool digit_last = parsed_[last_ - 1] >= '0' && parsed_[last_ - 1] <= '9';
    last_ -= last_ == parsed_.size() && digit_last ? 0 : 1;
    return give(Kind::Number, text_.substr(start_, last_ - start_));
  }

  bool start(Kind kind) {
    go_to_token();
    if (maps_.size() > static_cast<std::size_t>(kLargestSpecDepth)) {
      refuse({start_, fmt::format("nested deeper than {}", kLargestSpecDepth), {}});
      return false;
    }
    last_ = start_ + 1;
    return give(kind, text_.substr(start_, 1), 1);
  }

  bool end(Kind kind) {
    const bool go_on = value(kind, 1);
    maps_.pop_back();
    return go_on;
  }

  bool give(Kind kind, std::string_view text, std::size_t inside = 0) {
    const bool bracket = kind == Kind::MapEnd || kind == Kind::ListEnd;
    const std::size_t depth = maps_.size() - (bracket ? 1 : inside);
    return visit_(
        {kind, text, static_cast<int>(depth), line_, static_cast<int>(start_ - line_start_) + 1});
  }

  std::string_view text_;
  std::string_view parsed_;
  const std::string& name_;
  const JsonVisit& visit_;
  Diagnostics* diagnostics_ = nullptr;
  std::shared_ptr<const SourceFile> file_;  ///< made for the first message
  std::vector<OpenMap> maps_;               ///< of a list there are no keys
  const char* reached_ = nullptr;
  std::size_t last_ = 0;   ///< end of the last token
  std::size_t start_ = 0;  ///< of this token
  std::size_t line_start_ = 0;
  int line_ = 1;
  int faults_ = 0;
};

/// A text without its byte-order mark; nothing and a diagnostic where there is nothing to parse.
std::optional<std::string_view> checked_text(std::string_view text, const std::string& name,
                                             Diagnostics& diagnostics) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (text.size() > kLargestScan) {
    diagnostics.error({make_source(name, {}), 0, 0}, "larger than 1 GiB");
    return std::nullopt;
  }
  if (std::count(text.begin(), text.end(), '\n') > kMostLines) {
    diagnostics.error({make_source(name, {}), 0, 0}, fmt::format("more than {} lines", kMostLines));
    return std::nullopt;
  }
  if (skip_json_blanks(text, 0) == text.size()) {
    diagnostics.error({make_source(name, {}), 0, 0}, "empty file");
    return std::nullopt;
  }
  return text;
}

}  // namespace

bool scan_json(std::string_view text, const std::string& name, const JsonVisit& visit,
               Diagnostics& diagnostics) {
  const std::optional<std::string_view> checked = checked_text(text, name, diagnostics);
  if (!checked) {
    return false;
  }
  try {
    const std::optional<std::string> replaced = without_bare_words(*checked);
    Scanner scanner(*checked, name, visit, diagnostics);
    return scanner.run(replaced ? *replaced : *checked);
  } catch (const std::exception& exception) {
    diagnostics.error({make_source(name, {}), 0, 0},
                      fmt::format("cannot be parsed: {}", exception.what()));
    return false;
  }
}

std::optional<SpecNode> read_json_text(std::string_view text, const std::string& name,
                                       Diagnostics& diagnostics) {
  if (text.size() > kLargestTree) {
    diagnostics.error({make_source(name, {}), 0, 0}, "larger than 64 MiB");
    return std::nullopt;
  }
  if (!checked_text(text, name, diagnostics)) {
    return std::nullopt;
  }
  const std::shared_ptr<const SourceFile> file = make_source(name, text);
  JsonTree tree(file);
  const auto take = [&](const JsonEvent& event) {
    if (tree.size() == kMostValues) {
      diagnostics.error({file, event.line, event.column},
                        fmt::format("more than {} keys and values", kMostValues));
      return false;
    }
    tree.take(event);
    return true;
  };
  return scan_json(text, name, take, diagnostics) ? tree.root() : std::nullopt;
}

std::optional<SpecNode> read_json_file(const std::string& path, Diagnostics& diagnostics) {
  // One byte more than is read tells a file that is too large, whatever its size.
  const std::optional<FileStart> start = read_file_start(path, kLargestTree + 1, diagnostics);
  return start ? read_json_text(start->bytes, path, diagnostics) : std::nullopt;
}

}  // namespace fathom::hardware
