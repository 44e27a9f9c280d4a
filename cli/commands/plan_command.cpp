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

/// A load to plan for: a concurrency for all layouts, or each filled.
struct Workload {
  model::Question question;
  std::string why;  ///< what was taken by default
  bool fill = false;
};

std::string load_text(const Workload& w, const Arguments& arguments) {
  const Inputs& inputs = arguments.inputs;
  const model::Question& q = w.question;
  const bool spread = !input(inputs, "isl_spread").empty() || !input(inputs, "osl_spread").empty();
  const std::string lengths = fmt::format("{}{}/{} tokens{}", spread ? "mean " : "",
                                          show_number(q.isl), show_number(q.osl), w.why);
  if (w.fill) {
    const bool targets = arguments.slo_ttft > 0 || arguments.slo_tpot > 0;
    return fmt::format("as many requests of {} as {}", lengths,
                       targets ? "meet the targets" : "each layout holds");
  }
  return fmt::format("{} concurrent request{} of {}", show_number(q.concurrency),
                     q.concurrency == 1 ? "" : "s", lengths);
}

struct PlanRun {
  model::Plan plan;
  PlanView view;
};

PlanRun make(const BuiltScenario& scenario, const Arguments& arguments, const Workload& workload,
             const model::Objective objective) {
  model::PlanRequest request;
  request.question = workload.question;
  request.question.phase = model::AskedPhase::Serve;
  request.objective = objective;
  request.slo_ttft = arguments.slo_ttft;
  request.slo_tpot = arguments.slo_tpot;
  request.fill = workload.fill;
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
  run.view.load = load_text(workload, arguments);
  run.view.fill = workload.fill;
  return run;
}

/// The workloads to answer for: the one given, or one request and each layout filled.
std::vector<Workload> workloads(const BuiltScenario& scenario, std::string& error) {
  model::Question q = scenario.question;
  q.concurrency = q.concurrency > 0 ? q.concurrency : std::max(q.batch, q.requests);
  const bool has_lengths = q.isl > 0 && q.osl > 0;
  if (q.rate > 0) {
    error = "an arrival rate needs the open-loop model, which is not built yet; give --concurrency";
  } else if (q.concurrency > 0 && !has_lengths) {
    error = "the lengths are missing; give --isl and --osl";
  } else if (!has_lengths && (q.isl > 0 || q.osl > 0)) {
    error = q.isl > 0 ? "the output length is missing; give --osl"
                      : "the input length is missing; give --isl";
  }
  if (!error.empty()) {
    return {};
  }
  if (q.concurrency > 0) {
    return {{q, "", false}};
  }
  if (!has_lengths) {
    q.isl = kDefaultIsl;
    q.osl = kDefaultOsl;
  }
  const std::string why = has_lengths ? "" : " (default lengths)";
  q.concurrency = 1;
  return {{q, why, false}, {q, why, true}};
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
      const std::vector<Row> some = plan_rows(run.plan, context);
      rows.insert(rows.end(), some.begin(), some.end());
    }
    return csv_report(rows);
  }
  // The document answers for the last workload; without one given that is each layout filled.
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
  runs.reserve(asked.size());
  Answer out;
  for (const Workload& workload : asked) {
    runs.push_back(make(scenario, arguments, workload, objective.objective));
  }
  const PlanRun& last = runs.back();
  const bool met = last.plan.choice && last.plan.rows[*last.plan.choice].meets_slo;
  out.status = met ? ExitStatus::Yes : ExitStatus::No;
  out.out = render(scenario, runs, arguments);
  return out;
}

}  // namespace fathom::cli
