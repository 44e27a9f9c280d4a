#pragma once

#include "model/llm/traps.h"

#include <string>

namespace fathom::cli {

/// One trap in a sentence with its amounts.
std::string trap_text(const model::Trap& trap);

}  // namespace fathom::cli
