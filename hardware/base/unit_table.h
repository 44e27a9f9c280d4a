#pragma once

#include "hardware/base/quantity.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::hardware {

/// One unit as written: 10^decimal * 2^binary base units of `dim`. GB has decimal 9, GiB binary 30.
struct Unit {
  Dim dim;
  int decimal = 0;
  int binary = 0;
};

/// What is said of a dimension in messages, and the unit in which it is printed.
struct Dimension {
  Dim dim;
  std::string_view name;        ///< "bytes per second"
  std::string_view example;     ///< "1792 GB/s"
  std::string_view unit;        ///< without a prefix: "B/s"
  std::string_view prefixes;    ///< decimal prefixes used in print
  std::string_view usual;       ///< offered where a unit is missing: "GiB"
  std::string_view also_usual;  ///< a second one, or empty
};

/// The unit of that exact spelling ("GiB", "pJ/B", "µs").
std::optional<Unit> find_unit(std::string_view text);

/// Every spelling of a dimension's units, smallest first.
std::vector<std::string> unit_names(Dim dim);

/// The row of a dimension; null for one that has no unit here.
const Dimension* find_dimension(Dim dim);

/// The power of ten of a decimal prefix ('k' 3, 'm' -3).
int decimal_prefix_exponent(char prefix);

}  // namespace fathom::hardware
