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

/// "link latency, then memory bandwidth (1.2 times less)": the limiter as a sentence says it, both
/// where their intervals overlap.
std::string limiter_sentence(const model::Limiter& limiter, const model::StepTime& step);

}  // namespace fathom::cli
