#include "hardware/base/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace fathom::hardware {
namespace {

constexpr int kLargestExponent = 9999;
constexpr int kReadableZeros = 21;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return text.substr(at, end - at);
}

/// Reads `e9`, `E-12`; an `E` without digits is no exponent (EFLOP). Nothing where it is too large.
std::optional<int> read_exponent(std::string_view text, std::size_t& at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) {
    return 0;
  }
  std::size_t from = at + 1;
  const bool negative = from < text.size() && text[from] == '-';
  if (from < text.size() && (text[from] == '-' || text[from] == '+')) {
    ++from;
  }
  const std::string_view digits = digits_at(text, from);
  if (digits.empty()) {
    return 0;
  }
  at = from + digits.size();
  int exponent = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (result.ec != std::errc{} || exponent > kLargestExponent) {
    return std::nullopt;
  }
  return negative ? -exponent : exponent;
}

void drop_leading_zeros(std::string& digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

}  // namespace

DecimalPrefix decimal_prefix(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  if (!text.empty() && text[0] == '-') {
    number.negative = true;
    at = 1;
  }
  const std::string_view whole = digits_at(text, at);
  at += whole.size();
  std::string_view fraction;
  const bool point = at < text.size() && text[at] == '.';
  if (point) {
    fraction = digits_at(text, at + 1);
    at += 1 + fraction.size();
  }
  const bool leading_zero = whole.size() > 1 && whole[0] == '0';
  const std::optional<int> exponent = read_exponent(text, at);
  if (whole.empty() || leading_zero || (point && fraction.empty()) || !exponent) {
    return {std::nullopt, at};
  }
  number.digits = std::string(whole) + std::string(fraction);
  drop_leading_zeros(number.digits);
  number.exponent = *exponent - static_cast<int>(fraction.size());
  return {number, at};
}

std::optional<double> to_double(const Decimal& number) {
  if (number.zero()) {
    return 0;
  }
  const std::string text = number.digits + "e" + std::to_string(number.exponent);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || value == 0) {
    return std::nullopt;
  }
  return number.negative ? -value : value;
}

Decimal shortest_decimal(double value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  Decimal number = decimal_prefix(text).number.value_or(Decimal{.digits = "0"});
  const std::size_t last = number.digits.find_last_not_of('0');
  if (last == std::string::npos) {
    return {.digits = "0"};
  }
  number.exponent += static_cast<int>(number.digits.size() - last - 1);
  number.digits.resize(last + 1);
  return number;
}

std::string decimal_text(const Decimal& number) {
  const std::string sign = number.negative ? "-" : "";
  if (number.zero()) {
    return "0";
  }
  const int size = static_cast<int>(number.digits.size());
  const int point = size + number.exponent;  // digits before the decimal point
  if (point > kReadableZeros || point < -kReadableZeros) {
    return sign + number.digits + "e" + std::to_string(number.exponent);
  }
  if (number.exponent >= 0) {
    return sign + number.digits + std::string(static_cast<std::size_t>(number.exponent), '0');
  }
  if (point <= 0) {
    return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + number.digits;
  }
  const auto whole = static_cast<std::size_t>(point);
  return sign + number.digits.substr(0, whole) + "." + number.digits.substr(whole);
}

}  // namespace fathom::hardware
