#include "cli/commands/common.h"
#include "cli/report/columns.h"
#include "cli/report/fit_report.h"
#include "cli/report/refusal_text.h"
#include "model/layout/enumerate.h"

#include <fmt/format.h>

namespace fathom::cli {
namespace {

using model::Ledger;
using model::Refusal;

FitRow fit_one(const BuiltScenario& scenario, const model::Layout& layout) {
  return {layout, model::fit(scenario.setup, layout, scenario.question),
          static_cast<std::size_t>(layout.pp)};
}

Row columns_of(const FitRow& row, const std::vector<std::string>& notes) {
  if (const auto* refusal = std::get_if<Refusal>(&row.answer)) {
    return refused_fit_columns(refusal_text(*refusal));
  }
  return fit_columns(std::get<Ledger>(row.answer), row.stages, notes);
}

/// A length is needed where neither the question nor the model has one.
std::string missing_length(const BuiltScenario& s) {
  const model::Question& q = s.question;
  const bool stated = q.isl > 0 || q.osl > 0 || q.context >= 0 || q.max_model_len > 0;
  return stated || s.setup.model.max_context > 0
             ? std::string()
             : "the model states no longest context; give --isl and --osl, or --max-model-len";
}

std::vector<FitRow> fit_all(const BuiltScenario& scenario) {
  std::vector<FitRow> rows;
  for (const model::Layout& layout :
       model::enumerate_layouts(scenario.setup.model, scenario.setup.system.gpus)) {
    rows.push_back(fit_one(scenario, layout));
  }
  return rows;
}

/// The layout that holds most tokens, or misses least; nothing where none is legal.
std::optional<FitRow> roomiest(const std::vector<FitRow>& rows) {
  std::optional<FitRow> best;
  for (const FitRow& row : rows) {
    const auto* ledger = std::get_if<Ledger>(&row.answer);
    if (ledger == nullptr) {
      continue;
    }
    const auto* held = best ? &std::get<Ledger>(best->answer) : nullptr;
    if (held == nullptr || ledger->kv_tokens > held->kv_tokens ||
        (ledger->kv_tokens == held->kv_tokens && ledger->kv > held->kv)) {
      best = row;
    }
  }
  return best;
}

Row answer_case(const Inputs& inputs, Evidence evidence, SpecLibrary& library) {
  hardware::Diagnostics diagnostics;
  const BuildResult built = build_scenario(inputs, evidence, library, diagnostics);
  if (!built.scenario) {
    return refused_fit_columns(built.error);
  }
  if (built.scenario->layout) {
    return columns_of(fit_one(*built.scenario, *built.scenario->layout), built.scenario->notes);
  }
  const auto best = roomiest(fit_all(*built.scenario));
  if (!best) {
    return refused_fit_columns("no layout of these GPUs is legal");
  }
  std::vector<std::string> notes = built.scenario->notes;
  notes.push_back(
      fmt::format("layout {}, which holds most tokens",
                  model::print_layout(best->layout, built.scenario->setup.model.is_moe())));
  return columns_of(*best, notes);
}

Document document_of(const std::vector<FitRow>& rows, const ReportContext& context, bool single) {
  Document document;
  document.schema = "fathom.fit/1";
  document.columns = {{"model", context.model}, {"system", context.system}};
  std::vector<Row> table;
  for (const FitRow& row : rows) {
    Row out{{"layout", model::print_layout(row.layout, context.moe)}};
    const Row columns = columns_of(row, context.notes);
    out.insert(out.end(), columns.begin(), columns.end());
    table.push_back(std::move(out));
  }
  if (single) {
    document.columns.insert(document.columns.end(), table.front().begin(), table.front().end());
  } else {
    document.tables.emplace_back("layouts", std::move(table));
  }
  document.assumptions = {
      "a generic memory law: usable x fraction - weights - activation peak - "
      "context - graphs"};
  document.sources = context.sources;
  document.warnings = context.notes;
  return document;
}

bool any_fits(const std::vector<FitRow>& rows) {
  for (const FitRow& row : rows) {
    const auto* ledger = std::get_if<Ledger>(&row.answer);
    if (ledger != nullptr && ledger->fits) {
      return true;
    }
  }
  return false;
}

Answer render(const BuiltScenario& scenario, const std::vector<FitRow>& rows,
              const Arguments& arguments) {
  const ReportContext context = report_context(scenario, arguments);
  const bool single = scenario.layout.has_value();
  Answer out;
  out.status = any_fits(rows) ? ExitStatus::Yes : ExitStatus::No;
  const Document document = document_of(rows, context, single);
  switch (arguments.format) {
    case OutputFormat::Text:
      out.out = single ? fit_report(scenario.setup, scenario.question, rows.front(),
                                    arguments.explain, context)
                       : fit_table(scenario.setup, scenario.question, rows, context);
      break;
    case OutputFormat::Json:
      out.out = json_report(document);
      break;
    case OutputFormat::Csv:
      out.out =
          csv_report(single ? std::vector<Row>{document.columns} : document.tables.front().second);
      break;
  }
  return out;
}

}  // namespace

Answer run_fit(const Arguments& arguments) {
  if (!arguments.cases.empty()) {
    return run_cases(arguments, "fathom.fit/1", [&](const Inputs& inputs, SpecLibrary& library) {
      return answer_case(inputs, arguments.evidence, library);
    });
  }
  SpecLibrary library(arguments.config_paths, arguments.overrides);
  const Opened opened = open_scenario(arguments, library);
  if (!opened.scenario) {
    return opened.failure;
  }
  const BuiltScenario& scenario = *opened.scenario;
  if (const std::string missing = missing_length(scenario); !missing.empty()) {
    return failure(ExitStatus::Usage, missing);
  }
  std::vector<FitRow> rows;
  if (scenario.layout) {
    rows.push_back(fit_one(scenario, *scenario.layout));
  } else {
    rows = fit_all(scenario);
  }
  return render(scenario, rows, arguments);
}

}  // namespace fathom::cli
