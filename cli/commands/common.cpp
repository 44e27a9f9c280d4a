#include "cli/commands/common.h"

#include "hardware/base/csv_reader.h"
#include "hardware/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::cli {
namespace {

Inputs row_inputs(const hardware::CsvTable& table, const hardware::CsvTable::Row& row,
                  const Inputs& flags) {
  Inputs inputs = flags;
  for (std::size_t i = 0; i < table.columns.size() && i < row.cells.size(); ++i) {
    if (!row.cells[i].empty()) {
      inputs[table.columns[i]] = row.cells[i];
    }
  }
  return inputs;
}

Row echoed(const hardware::CsvTable& table, const hardware::CsvTable::Row& row,
           std::size_t number) {
  Row out;
  const bool has_id =
      std::find(table.columns.begin(), table.columns.end(), "id") != table.columns.end();
  if (!has_id) {
    out.push_back({"id", static_cast<hardware::Count>(number)});
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::string cell = i < row.cells.size() ? row.cells[i] : "";
    if (table.columns[i] == "id" && cell.empty()) {
      cell = fmt::format("{}", number);
    }
    out.push_back({table.columns[i], text_or_blank(cell)});
  }
  return out;
}

}  // namespace

void check_case_columns(const hardware::CsvTable& table, hardware::Diagnostics& diagnostics) {
  const std::vector<std::string>& known = input_columns();
  int at = 1;
  for (const std::string& column : table.columns) {
    if (std::find(known.begin(), known.end(), column) == known.end()) {
      diagnostics.error({table.file, 1, at}, fmt::format("unknown column '{}'", column),
                        hardware::did_you_mean(column, known));
    }
    at += static_cast<int>(column.size()) + 1;
  }
}

Answer failure(ExitStatus status, const std::string& message) {
  return {status, {}, "fathom: " + message + "\n"};
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
    context.notes.push_back("--set " + change.change.written);
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
  BuildResult built = build_scenario(inputs, arguments.evidence, library, diagnostics);
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

Answer run_cases(const Arguments& arguments, const std::string& schema, const CaseAnswer& answer) {
  hardware::Diagnostics diagnostics;
  const auto table = hardware::read_csv_file(arguments.cases, diagnostics);
  if (table) {
    check_case_columns(*table, diagnostics);
  }
  if (!table || diagnostics.has_errors()) {
    return spec_failure(diagnostics);
  }
  Inputs flags = arguments.inputs;
  const std::string error = take_names(arguments, flags);
  if (!error.empty()) {
    return failure(ExitStatus::Usage, error);
  }
  SpecLibrary library(arguments.config_paths, arguments.overrides);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    Row row = echoed(*table, table->rows[i], i + 1);
    const Row result = answer(row_inputs(*table, table->rows[i], flags), library);
    row.insert(row.end(), result.begin(), result.end());
    rows.push_back(std::move(row));
  }
  Answer out;
  if (arguments.format == OutputFormat::Json) {
    Document document;
    document.schema = schema;
    document.tables.emplace_back("cases", std::move(rows));
    out.out = json_report(document);
  } else {
    out.out = csv_report(rows);
  }
  return out;
}

}  // namespace fathom::cli
