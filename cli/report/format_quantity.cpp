#include "cli/report/format_quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom::cli {
namespace {

std::string with_thousands(double whole) {
  std::string digits = fmt::format("{:.0f}", std::abs(whole));
  for (auto at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return whole < 0 ? "-" + digits : digits;
}

/// Three significant digits without an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) {
    return with_thousands(std::round(value));
  }
  if (value == std::floor(value)) {
    return fmt::format("{:.0f}", value == 0 ? 0 : value);
  }
  const int decimals = size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

struct Scale {
  double size;
  const char* unit;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales) {
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.size * 0.9995) {
      return three_digits(value / scale.size) + " " + scale.unit;
    }
  }
  return three_digits(value / scales.back().size) + " " + scales.back().unit;
}

}  // namespace

std::string show_seconds(double seconds) {
  return scaled(seconds,
                std::array<Scale, 4>{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}});
}

std::string show_milliseconds(double seconds) { return three_digits(seconds * 1e3); }

std::string show_gib(double bytes) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{:.1f} GiB", bytes / kGib);
}

std::string show_kib(double bytes) {
  constexpr double kKib = 1024.0;
  return bytes < kKib * kKib ? fmt::format("{:.1f} KiB", bytes / kKib)
                             : fmt::format("{:.1f} MiB", bytes / kKib / kKib);
}

std::string show_rate(double bytes_per_second) {
  return with_thousands(std::round(bytes_per_second / 1e9)) + " GB/s";
}

std::string show_count(double count) {
  if (std::abs(count) >= 1e9) {
    return fmt::format("{:.1f} B", count / 1e9);
  }
  if (std::abs(count) >= 1e6) {
    return fmt::format("{:.1f} M", count / 1e6);
  }
  return with_thousands(count);
}

std::string show_percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string show_tokens_per_second(double rate) { return three_digits(rate) + " tok/s"; }

std::string show_number(double value) { return three_digits(value); }

}  // namespace fathom::cli
