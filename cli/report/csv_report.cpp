#include "cli/report/document.h"
#include "hardware/base/csv_reader.h"

#include <fmt/format.h>

#include <cmath>

namespace fathom::cli {
namespace {

std::string cell_text(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<T, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, double>) {
          return plain_number(value);
        } else if constexpr (std::is_same_v<T, hardware::Count>) {
          return fmt::format("{}", value);
        } else {
          return value;
        }
      },
      cell);
}

}  // namespace

Cell blank_if_negative(double value) { return value < 0 ? Cell{} : Cell{value}; }

Cell text_or_blank(const std::string& text) { return text.empty() ? Cell{} : Cell{text}; }

std::string plain_number(double value) {
  if (!std::isfinite(value)) {
    return {};
  }
  constexpr double kWhole = 1e15;
  if (value == std::floor(value) && std::abs(value) < kWhole) {
    return fmt::format("{:.0f}", value == 0 ? 0 : value);
  }
  return fmt::format("{:.9g}", value);
}

std::string csv_report(const std::vector<Row>& rows) {
  std::string out;
  const auto line = [&out](const Row& row, bool header) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += i == 0 ? "" : ",";
      out += hardware::csv_cell(header ? row[i].name : cell_text(row[i].value));
    }
    out += "\n";
  };
  if (!rows.empty()) {
    line(rows.front(), true);
  }
  for (const Row& row : rows) {
    line(row, false);
  }
  return out;
}

}  // namespace fathom::cli
