#pragma once

#include "model/predict/scenario.h"

#include <string>
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

/// Tokens of the sequence that must fit: prompt and output, or context and new tokens; 0 = not
/// said.
double fit_length(const Question& question);

/// The refusal of an input that is missing or wrong.
Refusal refuse_input(RefusalReason reason, std::string what);

}  // namespace fathom::model
