#pragma once

#include "model/plan/objective.h"
#include "model/predict/predict.h"

#include <optional>
#include <vector>

namespace fathom::model {

/// What a plan is asked for.
struct PlanRequest {
  Question question;  ///< a serve question; without concurrency see `plan`
  Objective objective = Objective::OutputRate;
  double slo_ttft = 0;  ///< seconds, 0 = none
  double slo_tpot = 0;
  Count gpus = 0;  ///< 0 = all of the system
  /// Each layout with the most requests that it holds and that meet the targets, in place of one
  /// concurrency for all.
  bool fill = false;
  std::vector<Layout> only;  ///< empty: every layout
};

/// One layout of a plan.
struct PlanRow {
  Layout layout;
  std::optional<Prediction> prediction;
  std::optional<Refusal> refusal;
  double score = 0;
  double concurrency = 0;  ///< requests in flight that it was asked with
  bool meets_slo = true;
};

/// Layouts ranked, best first; those refused last.
struct Plan {
  std::vector<PlanRow> rows;
  std::optional<std::size_t> choice;
  std::optional<std::size_t> runner_up;
  /// Why the runner-up lost: its slower resources, in seconds of the decode step (runner-up minus
  /// choice).
  std::array<double, kTimeResourceCount> lost_seconds{};
  bool any_fits = false;
};

/// Predicts every legal layout and chooses. Ties go to the earlier layout in enumeration order.
Plan make_plan(const Setup& setup, const PlanRequest& request);

}  // namespace fathom::model
