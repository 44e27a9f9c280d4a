#pragma once

#include "hardware/base/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace fathom::hardware {

/// Why a text is not a quantity of the wanted dimension.
struct UnitError {
  std::string message;  ///< what is wrong
  std::string help;     ///< the corrected value, or empty
};

/// A value or the reason that there is none.
struct ParsedNumber {
  std::optional<double> base;  ///< in base units
  UnitError error;             ///< filled where base is empty
};

/// Reads "96 GiB", "1792 GB/s", "2.4 GHz", "3.4 us", "600 W", "1.14 pJ/FLOP" into base units of
/// dimension `dim`. A space between number and unit is optional. A bare number is an error with
/// the fix in it, except 0. `b` and `B` are told apart: bits are refused. GB is 1e9, GiB is 2^30.
/// Negative, infinite and NaN values are refused.
ParsedNumber parse_quantity(std::string_view text, Dim dim);

/// The typed form of parse_quantity; empty where the text is wrong.
template <Dim D>
std::optional<Quantity<D>> parse(std::string_view text) {
  const ParsedNumber parsed = parse_quantity(text, D);
  if (!parsed.base) {
    return std::nullopt;
  }
  return Quantity<D>(*parsed.base);
}

/// The dimension's name in words ("bytes", "bytes per second"), and an example ("96 GiB").
std::string dimension_name(Dim dim);
std::string dimension_example(Dim dim);

/// Shortest text that parse() reads back to the same number, in the dimension's customary unit
/// with a decimal prefix ("1.597 TB/s"); used where files are written.
std::string print_quantity(double base, Dim dim);

/// A number with or without a unit times `factor`, the unit kept as written: "80 GB/s" by 2 is
/// "160 GB/s". Nothing where the text is not such a number.
std::optional<std::string> scale_number_text(std::string_view text, double factor);

/// The shortest text that parse_number() reads back to the same finite number: "0.79", "744".
std::string print_number(double value);

/// Parses a plain decimal number ("744e9", "0.79"); whole text, no sign-less oddities, no inf/nan,
/// no octal, no hexadecimal. Locale plays no part.
std::optional<double> parse_number(std::string_view text);

/// Parses a whole number that fits 64 bits ("256", "744e9" when whole).
std::optional<Count> parse_count(std::string_view text);

}  // namespace fathom::hardware
