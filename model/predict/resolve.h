#pragma once

#include "model/predict/scenario.h"

#include <variant>

namespace fathom::model {

/// The batch and lengths of the step that is asked for.
struct Resolved {
  StepShape shape;
  double length = 0;   ///< tokens of one sequence at its longest
  double running = 0;  ///< sequences that hold cache at once
};

/// The step that a question asks about, or which input is missing. decode: batch and context;
/// prefill: new_tokens or isl; serve: isl, osl and a concurrency.
std::variant<Resolved, Refusal> resolve(const Question& question);

}  // namespace fathom::model
