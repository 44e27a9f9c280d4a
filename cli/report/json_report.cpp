#include "cli/report/document.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace fathom::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Nine digits are more than any input has; they keep documents readable.
double rounded(double value) { return std::strtod(plain_number(value).c_str(), nullptr); }

Json to_json(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<T, double>) {
          if (!std::isfinite(value)) {
            return nullptr;
          }
          const double r = rounded(value);
          constexpr double kExact = 9007199254740992.0;
          if (r == std::floor(r) && std::abs(r) < kExact) {
            return static_cast<std::int64_t>(r);
          }
          return r;
        } else {
          return value;
        }
      },
      cell);
}

Json to_json(const Row& row) {
  Json out = Json::object();
  for (const Column& column : row) {
    out[column.name] = to_json(column.value);
  }
  return out;
}

}  // namespace

std::string json_report(const Document& document) {
  Json out = Json::object();
  out["schema"] = document.schema;
  for (const Column& column : document.columns) {
    out[column.name] = to_json(column.value);
  }
  for (const auto& [name, row] : document.objects) {
    out[name] = to_json(row);
  }
  for (const auto& [name, rows] : document.tables) {
    Json list = Json::array();
    for (const Row& row : rows) {
      list.push_back(to_json(row));
    }
    out[name] = std::move(list);
  }
  out["assumptions"] = document.assumptions;
  out["sources"] = document.sources;
  out["warnings"] = document.warnings;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fathom::cli
