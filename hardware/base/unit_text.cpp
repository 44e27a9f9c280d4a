#include "hardware/base/unit_text.h"

#include "hardware/base/decimal.h"
#include "hardware/base/unit_error.h"
#include "hardware/base/unit_table.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>

namespace fathom::hardware {
namespace {

constexpr int kCountDigits = 19;

/// number * 10^decimal * 2^binary: the power of ten is added to the exponent as written, so that
/// "3.4 us" is the double nearest to 3.4e-6. Nothing where it is no finite number.
std::optional<double> in_base_units(Decimal number, const Unit& unit) {
  number.exponent += unit.decimal;
  const std::optional<double> value = to_double(number);
  if (!value) {
    return std::nullopt;
  }
  const double scaled = std::ldexp(*value, unit.binary);
  return std::isfinite(scaled) ? std::optional<double>(scaled) : std::nullopt;
}

ParsedNumber parse_plain(std::string_view text) {
  const QuantityText parts = split_quantity(text);
  if (parts.number && parts.unit.empty()) {
    if (const auto value = to_double(*parts.number)) {
      return {value, {}};
    }
  }
  return {std::nullopt, explain_number(parts)};
}

/// The largest of the dimension's prefixes that leaves at least 1 before the decimal point, else
/// the smallest that there is.
std::string prefixed(Decimal number, const Dimension& row) {
  const int magnitude = static_cast<int>(number.digits.size()) + number.exponent - 1;
  char best = '.';
  int best_exponent = 0;
  for (const char prefix : row.prefixes) {
    const int exponent = decimal_prefix_exponent(prefix);
    const bool fits = exponent <= magnitude;
    const bool best_fits = best_exponent <= magnitude;
    const bool better =
        fits ? !best_fits || exponent > best_exponent : !best_fits && exponent < best_exponent;
    if (better) {
      best = prefix;
      best_exponent = exponent;
    }
  }
  number.exponent -= best_exponent;
  const std::string unit(row.unit);
  return decimal_text(number) + " " + (best == '.' ? unit : best + unit);
}

}  // namespace

ParsedNumber parse_quantity(std::string_view text, Dim dim) {
  if (dim == Dim{}) {
    return parse_plain(text);
  }
  const QuantityText parts = split_quantity(text);
  const std::optional<Unit> unit = find_unit(parts.unit);
  if (parts.number && !parts.number->negative) {
    if (parts.unit.empty() && parts.number->zero()) {
      return {0, {}};
    }
    if (unit && unit->dim == dim) {
      if (const auto base = in_base_units(*parts.number, *unit)) {
        return {base, {}};
      }
    }
  }
  return {std::nullopt, explain_quantity(parts, unit, dim)};
}

std::string dimension_name(Dim dim) {
  if (dim == Dim{}) {
    return "plain numbers";
  }
  const Dimension* row = find_dimension(dim);
  return row != nullptr ? std::string(row->name) : "numbers of another dimension";
}

std::string dimension_example(Dim dim) {
  const Dimension* row = find_dimension(dim);
  return row != nullptr ? std::string(row->example) : "0.5";
}

std::string print_quantity(double base, Dim dim) {
  const Dimension* row = find_dimension(dim);
  if (row == nullptr) {
    return print_number(base);
  }
  const Decimal number = shortest_decimal(base);
  return number.zero() ? "0 " + std::string(row->unit) : prefixed(number, *row);
}

std::string print_number(double value) { return decimal_text(shortest_decimal(value)); }

std::optional<std::string> scale_number_text(std::string_view text, double factor) {
  const QuantityText parts = split_quantity(text);
  if (!parts.number || (!parts.unit.empty() && !find_unit(parts.unit))) {
    return std::nullopt;
  }
  const double scaled = to_double(*parts.number).value_or(NAN) * factor;
  if (!std::isfinite(scaled)) {
    return std::nullopt;
  }
  const std::string number = print_number(scaled);
  return parts.unit.empty() ? number : number + " " + std::string(parts.unit);
}

std::optional<double> parse_number(std::string_view text) {
  const DecimalPrefix prefix = decimal_prefix(text);
  if (!prefix.number || prefix.length != text.size()) {
    return std::nullopt;
  }
  return to_double(*prefix.number);
}

std::optional<Count> parse_count(std::string_view text) {
  const DecimalPrefix prefix = decimal_prefix(text);
  if (!prefix.number || prefix.length != text.size()) {
    return std::nullopt;
  }
  std::string digits = prefix.number->digits;
  int exponent = prefix.number->exponent;
  while (exponent < 0 && digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  if (prefix.number->zero()) {
    return 0;
  }
  if (exponent < 0 || exponent > kCountDigits) {
    return std::nullopt;
  }
  digits = (prefix.number->negative ? "-" : "") + digits +
           std::string(static_cast<std::size_t>(exponent), '0');
  Count count = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return result.ec == std::errc{} ? std::optional<Count>(count) : std::nullopt;
}

}  // namespace fathom::hardware
