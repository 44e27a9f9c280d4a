#pragma once

#include "hardware/base/decimal.h"
#include "hardware/base/unit_table.h"
#include "hardware/base/unit_text.h"

#include <optional>
#include <string_view>

namespace fathom::hardware {

/// A text cut into number and unit, blanks around both removed. `number` is empty where the text
/// does not begin with one.
struct QuantityText {
  std::string_view whole;
  std::string_view digits;
  std::string_view unit;
  std::optional<Decimal> number;
};

QuantityText split_quantity(std::string_view text);

/// Why `text` is no quantity of dimension `wanted`, with the corrected value where one is at hand.
/// `unit` is what its unit means, if anything.
UnitError explain_quantity(const QuantityText& text, const std::optional<Unit>& unit, Dim wanted);

/// Why `text` is no plain number ("79 %", "80 GB").
UnitError explain_number(const QuantityText& text);

}  // namespace fathom::hardware
