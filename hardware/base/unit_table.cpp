#include "hardware/base/unit_table.h"

#include <array>
#include <cstddef>

namespace fathom::hardware {
namespace {

/// Decimal prefixes, each a thousand times the one before; '.' stands for none.
constexpr std::string_view kDecimalPrefixes = "pnum.kMGTPE";
/// Binary prefixes (with an `i` behind), each 1024 times the one before; '.' stands for none.
constexpr std::string_view kBinaryPrefixes = ".KMGTP";

constexpr int decimal_exponent(char prefix) {
  const auto at = static_cast<int>(kDecimalPrefixes.find(prefix));
  return 3 * (at - static_cast<int>(kDecimalPrefixes.find('.')));
}

constexpr int binary_exponent(char prefix) {
  return 10 * static_cast<int>(kBinaryPrefixes.find(prefix));
}

static_assert(decimal_exponent('p') == -12 && decimal_exponent('E') == 18);
static_assert(decimal_exponent('m') == -3 && decimal_exponent('k') == 3);
static_assert(binary_exponent('K') == 10 && binary_exponent('P') == 50);

struct BaseUnit {
  std::string_view symbol;
  Dim dim;
  std::string_view decimal;  ///< prefixes that it takes
  std::string_view binary;
};

constexpr std::array<BaseUnit, 7> kBaseUnits{{
    {"B", {.byte = 1}, "kMGTP", "KMGTP"},
    {"FLOP", {.flop = 1}, "kMGTPE", ""},
    {"s", {.second = 1}, "num", ""},
    {"W", {.second = -1, .joule = 1}, "mkM", ""},
    {"Hz", {.second = -1}, "kMG", ""},
    {"J", {.joule = 1}, "pnumkM", ""},
    {"tok", {.token = 1}, "", ""},
}};

constexpr std::array<std::string_view, 4> kDivisors{"s", "B", "FLOP", "tok"};

constexpr std::array<Dimension, 16> kDimensions{{
    {{.byte = 1}, "bytes", "96 GiB", "B", "kMGTP", "GiB", "GB"},
    {{.byte = 1, .second = -1}, "bytes per second", "1792 GB/s", "B/s", "kMGTP", "GB/s", ""},
    {{.flop = 1}, "FLOP", "2 TFLOP", "FLOP", "kMGTPE", "TFLOP", ""},
    {{.flop = 1, .second = -1},
     "FLOP per second",
     "500 TFLOP/s",
     "FLOP/s",
     "kMGTPE",
     "TFLOP/s",
     ""},
    {{.second = 1}, "seconds", "5 us", "s", "num", "us", "ms"},
    {{.second = -1}, "hertz", "2.4 GHz", "Hz", "kMG", "MHz", "GHz"},
    {{.second = -1, .joule = 1}, "watts", "600 W", "W", "mkM", "W", ""},
    {{.joule = 1}, "joules", "3 J", "J", "pnumkM", "J", ""},
    {{.token = 1}, "tokens", "8192 tok", "tok", "", "tok", ""},
    {{.second = -1, .token = 1}, "tokens per second", "100 tok/s", "tok/s", "", "tok/s", ""},
    {{.byte = -1, .flop = 1}, "FLOP per byte", "280 FLOP/B", "FLOP/B", "", "FLOP/B", ""},
    {{.byte = -1, .joule = 1}, "joules per byte", "60 pJ/B", "J/B", "pnum", "pJ/B", ""},
    {{.flop = -1, .joule = 1}, "joules per FLOP", "1.14 pJ/FLOP", "J/FLOP", "pnum", "pJ/FLOP", ""},
    {{.byte = 1, .token = -1}, "bytes per token", "70 kB/tok", "B/tok", "kMGTP", "kB/tok", ""},
    {{.flop = 1, .token = -1},
     "FLOP per token",
     "80 GFLOP/tok",
     "FLOP/tok",
     "kMGTPE",
     "GFLOP/tok",
     ""},
    {{.joule = 1, .token = -1}, "joules per token", "2 J/tok", "J/tok", "pnumkM", "J/tok", ""},
}};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// A unit without a divisor: a prefix, if any, and a symbol.
std::optional<Unit> find_simple(std::string_view text) {
  for (const BaseUnit& base : kBaseUnits) {
    if (!ends_with(text, base.symbol)) {
      continue;
    }
    const std::string_view prefix = text.substr(0, text.size() - base.symbol.size());
    if (prefix.empty()) {
      return Unit{base.dim, 0, 0};
    }
    if (prefix.size() == 1 && base.decimal.find(prefix[0]) != std::string_view::npos) {
      return Unit{base.dim, decimal_exponent(prefix[0]), 0};
    }
    if (prefix.size() == 2 && prefix[1] == 'i' &&
        base.binary.find(prefix[0]) != std::string_view::npos) {
      return Unit{base.dim, 0, binary_exponent(prefix[0])};
    }
  }
  return std::nullopt;
}

std::optional<Dim> divisor_dim(std::string_view text) {
  for (const std::string_view divisor : kDivisors) {
    if (divisor == text) {
      return find_simple(divisor)->dim;
    }
  }
  return std::nullopt;
}

/// The micro sign (U+00B5) and the Greek letter mu (U+03BC) are both in use for 'u'.
std::string plain_micro(std::string_view text) {
  for (const std::string_view micro : {"\xC2\xB5", "\xCE\xBC"}) {
    if (text.substr(0, micro.size()) == micro) {
      return "u" + std::string(text.substr(micro.size()));
    }
  }
  return std::string(text);
}

void append_names(const BaseUnit& base, const std::string& end, std::vector<std::string>& names) {
  for (const char prefix : kDecimalPrefixes) {
    if (prefix == '.') {
      names.push_back(std::string(base.symbol) + end);
    } else if (base.decimal.find(prefix) != std::string_view::npos) {
      names.push_back(prefix + std::string(base.symbol) + end);
    }
  }
  for (const char prefix : base.binary) {
    names.push_back(std::string{prefix, 'i'} + std::string(base.symbol) + end);
  }
}

}  // namespace

int decimal_prefix_exponent(char prefix) { return decimal_exponent(prefix); }

std::optional<Unit> find_unit(std::string_view text) {
  const std::string plain = plain_micro(text);
  const std::size_t slash = plain.find('/');
  std::optional<Unit> unit = find_simple(std::string_view(plain).substr(0, slash));
  if (!unit || slash == std::string::npos) {
    return unit;
  }
  const std::optional<Dim> divisor = divisor_dim(std::string_view(plain).substr(slash + 1));
  if (!divisor) {
    return std::nullopt;
  }
  unit->dim = unit->dim - *divisor;
  return find_dimension(unit->dim) != nullptr ? unit : std::nullopt;
}

std::vector<std::string> unit_names(Dim dim) {
  std::vector<std::string> names;
  for (const BaseUnit& base : kBaseUnits) {
    if (base.dim == dim) {
      append_names(base, "", names);
    }
    for (const std::string_view divisor : kDivisors) {
      if (base.dim - divisor_dim(divisor).value_or(Dim{}) == dim) {
        append_names(base, "/" + std::string(divisor), names);
      }
    }
  }
  return names;
}

const Dimension* find_dimension(Dim dim) {
  for (const Dimension& row : kDimensions) {
    if (row.dim == dim) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace fathom::hardware
