#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::hardware {

/// A decimal number as written: digits * 10^exponent. Kept as digits, so that a change of prefix
/// ("1.597 TB" to bytes) costs no rounding.
struct Decimal {
  bool negative = false;
  std::string digits;  ///< at least one, no leading zeros but a lone "0"
  int exponent = 0;

  [[nodiscard]] bool zero() const { return digits == "0"; }
};

/// Reads the number that `text` begins with: `12`, `-0.5`, `744e9`. Nothing for a leading zero
/// (`010`), a bare point (`.5`, `5.`), `+5`, `inf`, `nan`, or an exponent past 9999. `length` is
/// how much was read.
struct DecimalPrefix {
  std::optional<Decimal> number;
  std::size_t length = 0;
};
DecimalPrefix decimal_prefix(std::string_view text);

/// The nearest double; nothing where it would overflow or vanish.
std::optional<double> to_double(const Decimal& number);

/// The shortest digits that read back to a finite `value`.
Decimal shortest_decimal(double value);

/// As text without an exponent where that stays readable ("1.597", "0.00005", "744000000000").
std::string decimal_text(const Decimal& number);

}  // namespace fathom::hardware
