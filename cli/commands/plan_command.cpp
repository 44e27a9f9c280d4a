#include "cli/commands/common.h"
#include "cli/report/format_quantity.h"
#include "cli/report/plan_report.h"
#include "hardware/base/suggest.h"
#include "model/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace fathom::cli {
namespace {

constexpr double kDefaultIsl = 1024;
constexpr double kDefaultOsl = 256;

const std::vector<std::string>& objective_names() {
  static const std::vector<std::string> names{"throughput", "user", "ttft"};
  return names;
}

struct ObjectiveChoice {
  model::Objective objective = model::Objective::OutputRate;
  std::string error;
};

ObjectiveChoice read_objective(const std::string& text) {
  const auto& names = objective_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) {
      return {static_cast<model::Objective>(i), {}};
    }
  }
  if (text.empty()) {
    return {};
  }
  const std::string hint = hardware::did_you_mean(text, names);
  return {{},
          fmt::format("objective '{}' is none of {}{}", text, fmt::join(names, ", "),
                      hint.empty() ? "" : "; " + hint)};
}

std::string load_text(const model::Question& q, const Inputs& inputs, const std::string& why) {
  const bool spread = !input(inputs, "isl_spread").empty() || !input(inputs, "osl_spread").empty();
  const double concurrency = q.concurrency > 0 ? q.concurrency : std::max(q.batch, q.requests);
  return fmt::format("{} concurrent request{} of {}{}/{} tokens{}", show_number(concurrency),
                     concurrency == 1 ? "" : "s", spread ? "mean " : "", show_number(q.isl),
                     show_number(q.osl), why);
}

struct PlanRun {
  model::Plan plan;
  PlanView view;
};

PlanRun make(const BuiltScenario& scenario, const Arguments& arguments, const model::Question& q,
             const model::Objective objective, const std::string& why) {
  model::PlanRequest request;
  request.question = q;
  request.question.phase = model::AskedPhase::Serve;
  request.objective = objective;
  request.slo_ttft = arguments.slo_ttft;
  request.slo_tpot = arguments.slo_tpot;
  if (scenario.layout) {
    request.only = {*scenario.layout};
  }
  PlanRun run;
  run.plan = model::make_plan(scenario.setup, request);
  run.view.question = request.question;
  run.view.objective = objective;
  run.view.slo_ttft = arguments.slo_ttft;
  run.view.slo_tpot = arguments.slo_tpot;
  run.view.top = arguments.top;
  run.view.load = load_text(request.question, arguments.inputs, why);
  return run;
}

/// The workloads to answer for: the one given, or the two defaults.
std::vector<std::pair<model::Question, std::string>> workloads(const BuiltScenario& scenario,
                                                               std::string& error) {
  model::Question q = scenario.question;
  const bool has_load = q.concurrency > 0 || q.rate > 0 || q.batch > 0 || q.requests > 0;
  const bool has_lengths = q.isl > 0 && q.osl > 0;
  if (q.rate > 0) {
    error = "an arrival rate needs the open-loop model, which is not built yet; give --concurrency";
    return {};
  }
  if (has_load && !has_lengths) {
    error = "the lengths are missing; give --isl and --osl";
    return {};
  }
  if (has_load) {
    return {{q, ""}};
  }
  if (!has_lengths && (q.isl > 0 || q.osl > 0)) {
    error = q.isl > 0 ? "the output length is missing; give --osl"
                      : "the input length is missing; give --isl";
    return {};
  }
  const std::string taken = has_lengths ? "" : " (default lengths)";
  if (!has_lengths) {
    q.isl = kDefaultIsl;
    q.osl = kDefaultOsl;
  }
  std::vector<std::pair<model::Question, std::string>> out;
  q.concurrency = 1;
  out.emplace_back(q, taken);
  const double largest = model::largest_concurrency(scenario.setup, q);
  if (largest > 1) {
    q.concurrency = largest;
    out.emplace_back(
        q, taken.empty() ? " (the most that fit)" : " (default lengths, the most that fit)");
  }
  return out;
}

std::string render(const BuiltScenario& scenario, const std::vector<PlanRun>& runs,
                   const Arguments& arguments) {
  const ReportContext context = report_context(scenario, arguments);
  std::string out;
  if (arguments.format == OutputFormat::Text) {
    for (const PlanRun& run : runs) {
      out += (out.empty() ? "" : "\n") + plan_report(scenario.setup, run.plan, run.view, context);
    }
    return out;
  }
  if (arguments.format == OutputFormat::Csv) {
    std::vector<Row> rows;
    for (const PlanRun& run : runs) {
      for (Row row : plan_rows(run.plan, context)) {
        row.insert(row.begin(), {"concurrency", run.view.question.concurrency});
        rows.push_back(std::move(row));
      }
    }
    return csv_report(rows);
  }
  // The document answers for the last workload; without one given that is the largest that fits.
  Document document = plan_document(scenario.setup, runs.back().plan, runs.back().view, context);
  if (runs.size() > 1) {
    document.tables.emplace_back("layouts_at_concurrency_1", plan_rows(runs.front().plan, context));
  }
  return json_report(document);
}

}  // namespace

Answer run_plan(const Arguments& arguments) {
  const ObjectiveChoice objective = read_objective(arguments.objective);
  if (!objective.error.empty()) {
    return failure(ExitStatus::Usage, objective.error);
  }
  SpecLibrary library(arguments.config_paths, arguments.overrides);
  const Opened opened = open_scenario(arguments, library);
  if (!opened.scenario) {
    return opened.failure;
  }
  const BuiltScenario& scenario = *opened.scenario;
  std::string error;
  const auto asked = workloads(scenario, error);
  if (!error.empty()) {
    return failure(ExitStatus::Usage, error);
  }
  std::vector<PlanRun> runs;
  Answer out;
  for (const auto& [question, why] : asked) {
    runs.push_back(make(scenario, arguments, question, objective.objective, why));
  }
  const PlanRun& last = runs.back();
  const bool met = last.plan.choice && last.plan.rows[*last.plan.choice].meets_slo;
  out.status = met ? ExitStatus::Yes : ExitStatus::No;
  out.out = render(scenario, runs, arguments);
  return out;
}

}  // namespace fathom::cli
