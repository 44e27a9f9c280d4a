#include "cli/commands/common.h"
#include "cli/report/columns.h"
#include "cli/report/refusal_text.h"
#include "cli/report/step_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using model::Depth;
using model::Prediction;
using model::Refusal;

std::vector<std::string> notes_of(const BuiltScenario& scenario, const Prediction& p) {
  std::vector<std::string> notes = scenario.notes;
  if (p.over_engine_budget) {
    notes.push_back(
        fmt::format("beyond the memory budget of engine {} (fraction {}), within the "
                    "device",
                    scenario.setup.engine.id, scenario.setup.engine.memory_fraction));
  }
  if (p.acceptance_is_assumed) {
    notes.push_back(fmt::format("spec_acceptance {} assumed", model::kAssumedAcceptance));
  }
  if (p.limiter.both) {
    notes.push_back(fmt::format("limited by {} and {} within the uncertainty",
                                model::resource_name(p.limiter.resource),
                                model::resource_name(p.limiter.next)));
  }
  return notes;
}

Row answer_case(const Inputs& inputs, Evidence evidence, SpecLibrary& library) {
  hardware::Diagnostics diagnostics;
  const BuildResult built = build_scenario(inputs, evidence, library, diagnostics);
  if (!built.scenario) {
    return refused_predict_columns(built.error);
  }
  const BuiltScenario& scenario = *built.scenario;
  if (!scenario.layout) {
    return refused_predict_columns("layout is missing");
  }
  const auto answer =
      model::predict(scenario.setup, *scenario.layout, scenario.question, Depth::Limits);
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    return refused_predict_columns(refusal_text(*refusal));
  }
  const auto& p = std::get<Prediction>(answer);
  return predict_columns(p, evidence_name(evidence), notes_of(scenario, p));
}

Document document_of(const BuiltScenario& scenario, const Prediction& p,
                     const std::vector<model::PricedOperator>& operators,
                     const ReportContext& context) {
  Document document;
  document.schema = "fathom.predict/1";
  document.columns = {{"model", context.model},
                      {"system", context.system},
                      {"layout", model::print_layout(p.layout, context.moe)}};
  const Row columns = predict_columns(p, context.evidence, context.notes);
  document.columns.insert(document.columns.end(), columns.begin(), columns.end());
  document.objects.emplace_back("elasticities", elasticity_columns(p.elasticities));
  document.objects.emplace_back(
      "next_limiter", Row{{"resource", std::string(model::resource_name(p.limiter.next))},
                          {"factor", p.limiter.factor > 0 ? Cell{p.limiter.factor} : Cell{}}});
  document.tables.emplace_back("operators", operator_rows(operators));
  document.assumptions = assumptions(scenario.setup, scenario.question, context);
  document.sources = context.sources;
  document.warnings = context.notes;
  return document;
}

Answer render(const BuiltScenario& scenario, const Prediction& p, const Arguments& arguments) {
  ReportContext context = report_context(scenario, arguments);
  for (const std::string& note : notes_of(scenario, p)) {
    if (std::find(context.notes.begin(), context.notes.end(), note) == context.notes.end()) {
      context.notes.push_back(note);
    }
  }
  const model::Predictor predictor(scenario.setup.model, scenario.setup.system,
                                   scenario.setup.engine, scenario.setup.coefficients, p.layout,
                                   scenario.question.run);
  const auto operators = predictor.operators(p.shape);
  Answer out;
  if (arguments.format == OutputFormat::Text) {
    out.out = predict_report(scenario.setup, scenario.question, p, operators, context);
  } else {
    out.out = render_document(document_of(scenario, p, operators, context), arguments.format);
  }
  return out;
}

Answer render_refusal(const std::string& reason, const Arguments& arguments) {
  Answer out;
  out.status = ExitStatus::No;
  if (arguments.format == OutputFormat::Text) {
    out.out = "no: " + reason + "\n";
    return out;
  }
  Document document;
  document.schema = "fathom.predict/1";
  document.columns = refused_predict_columns(reason);
  out.out = render_document(document, arguments.format);
  return out;
}

}  // namespace

Answer run_predict(const Arguments& arguments) {
  if (!arguments.cases.empty()) {
    return run_cases(arguments, "fathom.predict/1",
                     [&](const Inputs& inputs, SpecLibrary& library) {
                       return answer_case(inputs, arguments.evidence, library);
                     });
  }
  SpecLibrary library(arguments.config_paths, arguments.overrides);
  const Opened opened = open_scenario(arguments, library);
  if (!opened.scenario) {
    return opened.failure;
  }
  const BuiltScenario& scenario = *opened.scenario;
  if (!scenario.layout) {
    return failure(ExitStatus::Usage,
                   fmt::format("layout is missing; give --layout, for instance --layout tp{} "
                               "(fathom plan searches them)",
                               scenario.setup.system.gpus));
  }
  const auto answer =
      model::predict(scenario.setup, *scenario.layout, scenario.question, Depth::Limits);
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    if (refusal->reason == model::RefusalReason::MissingInput ||
        refusal->reason == model::RefusalReason::Unsupported) {
      return failure(ExitStatus::Usage, refusal->what);
    }
    return render_refusal(refusal_text(*refusal), arguments);
  }
  return render(scenario, std::get<Prediction>(answer), arguments);
}

}  // namespace fathom::cli
