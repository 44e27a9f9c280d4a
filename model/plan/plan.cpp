#include "model/plan/plan.h"

#include "model/layout/enumerate.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

double score_of(const Prediction& p, Objective objective, double osl) {
  switch (objective) {
    case Objective::OutputRate:
      return p.output_tok_s;
    case Objective::UserRate:
      // Waiting counts: a fast token after a long queue is no fast answer.
      return p.serving && p.serving->e2e > 0 ? osl / p.serving->e2e : 0;
    case Objective::FirstToken:
      return p.ttft > 0 ? 1 / p.ttft : 0;
  }
  return 0;
}

bool meets(const Prediction& p, const PlanRequest& request) {
  return (request.slo_ttft <= 0 || p.ttft <= request.slo_ttft) &&
         (request.slo_tpot <= 0 || p.tpot <= request.slo_tpot);
}

std::variant<Prediction, Refusal> ask(const Setup& setup, const Layout& layout,
                                      const PlanRequest& request, double concurrency, Depth depth) {
  Question question = request.question;
  question.concurrency = concurrency;
  return predict(setup, layout, question, depth);
}

/// The most requests that the layout holds and, of those, the most that meet the targets: by
/// bisection, since more requests never shorten a wait. At least 1.
double most_requests(const Setup& setup, const Layout& layout, const PlanRequest& request) {
  const auto fits = fit(setup, layout, request.question);
  const auto* ledger = std::get_if<Ledger>(&fits);
  double high = ledger == nullptr ? 1 : std::max(1.0, ledger->max_concurrency);
  const auto good = [&](double concurrency) {
    const auto answer = ask(setup, layout, request, concurrency, Depth::Times);
    const auto* p = std::get_if<Prediction>(&answer);
    return p != nullptr && meets(*p, request);
  };
  if ((request.slo_ttft <= 0 && request.slo_tpot <= 0) || good(high)) {
    return high;
  }
  double low = 1;
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    (good(middle) ? low : high) = middle;
  }
  return low;
}

PlanRow make_row(const Setup& setup, const Layout& layout, const PlanRequest& request) {
  PlanRow row;
  row.layout = layout;
  row.concurrency =
      request.fill ? most_requests(setup, layout, request) : request.question.concurrency;
  auto answer = ask(setup, layout, request, row.concurrency, Depth::Limits);
  if (auto* refusal = std::get_if<Refusal>(&answer)) {
    row.refusal = std::move(*refusal);
    return row;
  }
  const auto& p = std::get<Prediction>(answer);
  // A plan is for a server: the engine's own budget must hold at least one sequence.
  if (p.ledger.max_concurrency < 1) {
    Refusal refusal;
    refusal.reason = RefusalReason::DoesNotFit;
    refusal.ledger = p.ledger;
    refusal.missing = p.ledger.missing;
    row.refusal = refusal;
    return row;
  }
  row.score = score_of(p, request.objective, request.question.osl);
  row.meets_slo = meets(p, request);
  row.prediction = p;
  return row;
}

/// 0 meets the targets, 1 fits, 2 is refused for memory, 3 for anything else.
int rank_class(const PlanRow& row) {
  if (row.prediction) {
    return row.meets_slo ? 0 : 1;
  }
  return row.refusal->reason == RefusalReason::DoesNotFit ? 2 : 3;
}

}  // namespace

const char* objective_name(Objective objective) {
  switch (objective) {
    case Objective::OutputRate:
      return "output tokens/s";
    case Objective::UserRate:
      return "tokens/s per user";
    case Objective::FirstToken:
      return "time to first token";
  }
  return "";
}

Plan make_plan(const Setup& setup, const PlanRequest& request) {
  Plan plan;
  const Count gpus = request.gpus > 0 ? request.gpus : setup.system.gpus;
  std::vector<Layout> layouts = request.only;
  if (layouts.empty()) {
    layouts = enumerate_layouts(setup.model, gpus);
  }
  for (const Layout& layout : layouts) {
    plan.rows.push_back(make_row(setup, layout, request));
  }
  std::stable_sort(plan.rows.begin(), plan.rows.end(), [](const PlanRow& a, const PlanRow& b) {
    const int ra = rank_class(a);
    const int rb = rank_class(b);
    return ra != rb ? ra < rb : a.score > b.score;
  });
  for (std::size_t i = 0; i < plan.rows.size() && i < 2; ++i) {
    if (rank_class(plan.rows[i]) > 1) {
      break;
    }
    plan.any_fits = true;
    (i == 0 ? plan.choice : plan.runner_up) = i;
  }
  if (plan.choice && plan.runner_up) {
    const StepTime& best = plan.rows[*plan.choice].prediction->step;
    const StepTime& second = plan.rows[*plan.runner_up].prediction->step;
    for (int i = 0; i < kTimeResourceCount; ++i) {
      const auto resource = static_cast<Resource>(i);
      plan.lost_seconds.at(static_cast<std::size_t>(i)) =
          seconds_of(second, resource) - seconds_of(best, resource);
    }
  }
  return plan;
}

}  // namespace fathom::model
