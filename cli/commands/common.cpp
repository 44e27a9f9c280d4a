#include "cli/commands/common.h"

#include "cli/report/table.h"

#include <fmt/format.h>

namespace fathom::cli {

Answer failure(ExitStatus status, const std::string& message) {
  constexpr int kWidth = 100;
  return {status, {}, wrap("fathom: " + message, kWidth, 8) + "\n"};
}

Answer spec_failure(const hardware::Diagnostics& diagnostics) {
  return {ExitStatus::Spec, {}, hardware::render(diagnostics)};
}

std::string evidence_name(Evidence evidence) {
  return evidence == Evidence::Bound ? "bound" : "default";
}

ReportContext report_context(const BuiltScenario& scenario, const Arguments& arguments) {
  ReportContext context;
  context.model = scenario.setup.model.id;
  context.system = scenario.system_name;
  context.moe = scenario.setup.model.is_moe();
  context.evidence = evidence_name(scenario.evidence);
  context.notes = scenario.notes;
  for (const RootedOverride& change : arguments.overrides) {
    context.notes.push_back("--set " + change.change.written +
                            (change.root == "model" ? " (published totals are not checked)" : ""));
  }
  context.sources = scenario.sources;
  context.width = arguments.width;
  context.verbose = arguments.verbose;
  return context;
}

std::string take_names(const Arguments& arguments, Inputs& inputs) {
  const auto& names = arguments.positional;
  if (names.size() > 2) {
    return fmt::format("'{}' is one name too many; {} takes MODEL SYSTEM", names[2],
                       arguments.command);
  }
  if (!names.empty()) {
    inputs["model"] = names[0];
  }
  if (names.size() > 1) {
    inputs["system"] = names[1];
  }
  if (arguments.cases.empty() && (inputs["model"].empty() || inputs["system"].empty())) {
    return fmt::format(
        "{} takes MODEL SYSTEM, for instance: fathom {} glm-5-nvfp4 "
        "8x-rtx-pro-6000-se",
        arguments.command, arguments.command);
  }
  return {};
}

Opened open_scenario(const Arguments& arguments, SpecLibrary& library) {
  Inputs inputs = arguments.inputs;
  if (const std::string error = take_names(arguments, inputs); !error.empty()) {
    return {std::nullopt, failure(ExitStatus::Usage, error)};
  }
  hardware::Diagnostics diagnostics;
  BuildResult built =
      build_scenario(inputs, arguments.evidence, library, diagnostics, NamedBy::Flag);
  if (diagnostics.has_errors()) {
    return {std::nullopt, spec_failure(diagnostics)};
  }
  if (!built.scenario) {
    return {std::nullopt, failure(ExitStatus::Usage, built.error)};
  }
  return {std::move(built.scenario), {}};
}

std::string render_document(const Document& document, OutputFormat format) {
  return format == OutputFormat::Json ? json_report(document) : csv_report({document.columns});
}

}  // namespace fathom::cli
