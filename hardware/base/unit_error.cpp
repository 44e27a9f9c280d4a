#include "hardware/base/unit_error.h"

#include "hardware/base/foreign_words.h"
#include "hardware/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace fathom::hardware {
namespace {

constexpr double kBitsPerByte = 8;
constexpr double kPerCent = 100;
constexpr Dim kBytes{.byte = 1};
constexpr Dim kBytesPerSecond{.byte = 1, .second = -1};

/// Endings that people write (in lower case) and what they mean; longer ones first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kSpellings{{
    {"bytes/s", "b/s"}, {"flops/s", "flop/s"}, {"flops", "flop/s"}, {"op/s", "flop/s"},
    {"ops", "flop/s"},  {"tokens/s", "tok/s"}, {"tokens", "tok"},   {"token", "tok"},
    {"tps", "tok/s"},   {"bps", "b/s"},        {"b/sec", "b/s"},    {"bytes", "b"},
    {"byte", "b"},      {"seconds", "s"},      {"second", "s"},     {"secs", "s"},
    {"sec", "s"},       {"watts", "w"},        {"watt", "w"},       {"joules", "j"},
}};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string fold(std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return folded;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// "bytes are wanted".
std::string wanted_text(Dim wanted) { return dimension_name(wanted) + " are wanted"; }

std::string example_help(Dim wanted) {
  return fmt::format("for example '{}'", dimension_example(wanted));
}

std::string write_help(std::string_view digits, std::string_view unit) {
  return fmt::format("write '{} {}'", digits, unit);
}

UnitError no_number(const QuantityText& text, Dim wanted) {
  UnitError error{
      fmt::format("'{}' is not a number with a unit; {}", text.whole, wanted_text(wanted)),
      example_help(wanted)};
  if (!text.digits.empty() && text.unit.find_first_of(",_'") == 0) {
    error.help = "write the number without separators, with a decimal point";
  }
  return error;
}

UnitError no_unit(const QuantityText& text, Dim wanted) {
  UnitError error{fmt::format("'{}' has no unit; {}", text.whole, wanted_text(wanted)), {}};
  if (const Dimension* row = find_dimension(wanted)) {
    error.help = write_help(text.digits, row->usual);
    if (!row->also_usual.empty()) {
      error.help += fmt::format(" or '{} {}'", text.digits, row->also_usual);
    }
  }
  return error;
}

UnitError wrong_dimension(const QuantityText& text, Dim found, Dim wanted) {
  UnitError error{
      fmt::format("'{}' is {}; {}", text.whole, dimension_name(found), wanted_text(wanted)),
      example_help(wanted)};
  const std::string rate = std::string(text.unit) + "/s";
  const std::string amount(text.unit.substr(0, text.unit.find('/')));
  for (const std::string& candidate : {rate, amount}) {
    const std::optional<Unit> unit = find_unit(candidate);
    if (unit && unit->dim == wanted) {
      error.help = write_help(text.digits, candidate);
    }
  }
  return error;
}

/// Bits where bytes are wanted: `Gb`, `Gb/s`, `Gbps`, `Gbit/s`. Nothing for `gb`: its prefix is
/// none, so it is careless writing of GB.
std::optional<UnitError> bits(const QuantityText& text, Dim wanted) {
  const std::size_t at = text.unit.find('b');
  if ((wanted != kBytes && wanted != kBytesPerSecond) || at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view end = text.unit.substr(at + 1);
  const bool rate = end == "/s" || end == "ps" || end == "it/s" || end == "its/s";
  const bool amount = end.empty() || end == "it" || end == "its";
  const std::string bytes = std::string(text.unit.substr(0, at)) + "B";
  const std::optional<double> number = to_double(*text.number);
  if ((!rate && !amount) || !find_unit(bytes) || !number) {
    return std::nullopt;
  }
  UnitError error{
      fmt::format("'{}' is bits{}; {}", text.whole, rate ? " per second" : "", wanted_text(wanted)),
      example_help(wanted)};
  const std::string converted = print_number(*number / kBitsPerByte);
  if (wanted == kBytesPerSecond) {
    error.help = write_help(converted, bytes + "/s");
  } else if (amount) {
    error.help = fmt::format("{}, or '{} {}' if bits are meant", write_help(text.digits, bytes),
                             converted, bytes);
  }
  return error;
}

/// The unit of the wanted dimension that `unit` is another spelling of, or empty.
std::string respelled(std::string_view unit, Dim wanted) {
  std::string plain = fold(unit);
  std::vector<std::string> guesses{plain};
  for (const auto& [spelling, meaning] : kSpellings) {
    if (ends_with(plain, spelling)) {
      plain.replace(plain.size() - spelling.size(), spelling.size(), meaning);
      guesses.push_back(plain);
      break;
    }
  }
  guesses.push_back(plain + "/s");
  guesses.push_back(plain.substr(0, plain.find('/')));
  const std::vector<std::string> names = unit_names(wanted);
  for (const std::string& guess : guesses) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& name) { return fold(name) == guess; });
    if (found != names.end()) {
      return *found;
    }
  }
  return nearest(unit, names, 1);
}

UnitError unknown_unit(const QuantityText& text, Dim wanted) {
  UnitError error{
      fmt::format("unknown unit '{}' in '{}'; {}", text.unit, text.whole, wanted_text(wanted)),
      example_help(wanted)};
  const std::string unit = respelled(text.unit, wanted);
  if (!unit.empty()) {
    error.help = write_help(text.digits, unit);
  }
  return error;
}

/// True where what follows the number is not even the beginning of a unit ("1,792", "1.2.3").
bool broken_number(const QuantityText& text) {
  return !text.number || text.unit.find_first_of(",._'-+0123456789") == 0;
}

}  // namespace

QuantityText split_quantity(std::string_view text) {
  QuantityText result;
  result.whole = trim(text);
  const DecimalPrefix prefix = decimal_prefix(result.whole);
  result.number = prefix.number;
  result.digits = result.whole.substr(0, prefix.length);
  result.unit = trim(result.whole.substr(prefix.length));
  return result;
}

UnitError explain_quantity(const QuantityText& text, const std::optional<Unit>& unit, Dim wanted) {
  if (broken_number(text)) {
    return no_number(text, wanted);
  }
  if (text.number->negative) {
    return {fmt::format("'{}' is negative", text.whole), {}};
  }
  if (text.unit.empty()) {
    return no_unit(text, wanted);
  }
  if (unit) {
    return unit->dim == wanted ? UnitError{fmt::format("'{}' is out of range", text.whole), {}}
                               : wrong_dimension(text, unit->dim, wanted);
  }
  return bits(text, wanted).value_or(unknown_unit(text, wanted));
}

UnitError explain_number(const QuantityText& text) {
  if (broken_number(text)) {
    UnitError error{fmt::format("'{}' is not a number", text.whole), {}};
    if (!text.digits.empty() && text.unit.find_first_of(",_'") == 0) {
      error.help = "write the number without separators, with a decimal point";
    }
    return error;
  }
  const std::optional<double> number = to_double(*text.number);
  if (!number) {
    return {fmt::format("'{}' is out of range", text.whole), {}};
  }
  if (text.unit == "%") {
    return {fmt::format("'{}' is not a plain number", text.whole),
            fmt::format("write {}", print_number(*number / kPerCent))};
  }
  if (const std::string help = plain_number_help(text.whole); !help.empty()) {
    return {fmt::format("'{}' is not a plain number", text.whole), help};
  }
  return {fmt::format("'{}' has a unit; a plain number is wanted", text.whole),
          fmt::format("write {}", text.digits)};
}

}  // namespace fathom::hardware
