#pragma once

#include "cli/report/context.h"

#include <string>
#include <vector>

namespace fathom::cli {

/// One layout in depth: the answer, resources with shares, operators, next limiter, assumptions.
std::string predict_report(const model::Setup& setup, const model::Question& question,
                           const model::Prediction& prediction,
                           const std::vector<model::PricedOperator>& operators,
                           const ReportContext& context);

/// "link latency (37 % of the step), and memory bandwidth within the uncertainty (margin 1.2x)".
/// A served load is limited by what its output rate answers to: the elasticity is named, not a
/// share.
std::string limiter_sentence(const model::Prediction& prediction);

/// "memory bandwidth, once link latency is 1.2 times better".
std::string next_text(const model::Limiter& limiter);

/// "156 ms: decode step 25.5 ms and 130 ms for prompts of others; 6.41 tok/s per user".
std::string tpot_text(const model::Prediction& prediction);

}  // namespace fathom::cli
