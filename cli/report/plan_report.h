#pragma once

#include "cli/report/context.h"
#include "cli/report/document.h"
#include "model/plan/plan.h"

#include <string>

namespace fathom::cli {

/// How a plan is shown.
struct PlanView {
  model::Question question;
  model::Objective objective = model::Objective::OutputRate;
  double slo_ttft = 0;
  double slo_tpot = 0;
  int top = 10;
  bool fill = false;  ///< each layout with its own number of requests
  std::string load;   ///< "512 concurrent requests of mean 128/64 tokens"
};

/// The choice first, then the ranking, why the runner-up lost, what binds next, what is refused.
std::string plan_report(const model::Setup& setup, const model::Plan& plan, const PlanView& view,
                        const ReportContext& context);

/// The same as a document.
Document plan_document(const model::Setup& setup, const model::Plan& plan, const PlanView& view,
                       const ReportContext& context);

/// One row a layout with the predict columns, for CSV and JSON.
std::vector<Row> plan_rows(const model::Plan& plan, const ReportContext& context);

/// Why the runner-up lost, in one sentence; empty without a runner-up.
std::string why_text(const model::Plan& plan, const ReportContext& context);

}  // namespace fathom::cli
