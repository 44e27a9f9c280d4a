#pragma once

#include "model/predict/scenario.h"

#include <string>

namespace fathom::cli {

/// Why a layout is illegal, with its numbers: "64 query heads do not divide by TP 48".
std::string illegal_text(const model::Illegal& illegal);

/// Why there is no number, with the amount.
std::string refusal_text(const model::Refusal& refusal);

/// The same without amounts that differ from layout to layout, to group by.
std::string refusal_kind(const model::Refusal& refusal);

}  // namespace fathom::cli
