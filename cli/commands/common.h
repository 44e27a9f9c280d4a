#pragma once

#include "cli/commands/command.h"
#include "cli/report/context.h"
#include "cli/report/document.h"
#include "hardware/base/csv_reader.h"

#include <functional>
#include <optional>
#include <string>

namespace fathom::cli {

/// What a report says of a scenario beside the result.
ReportContext report_context(const BuiltScenario& scenario, const Arguments& arguments);

std::string evidence_name(Evidence evidence);

/// MODEL and SYSTEM from the positional arguments into the inputs; an error text when there are
/// too many or too few (a `--cases` file may bring them).
std::string take_names(const Arguments& arguments, Inputs& inputs);

/// A scenario from the command line, or the answer that says why there is none.
struct Opened {
  std::optional<BuiltScenario> scenario;
  Answer failure;
};
Opened open_scenario(const Arguments& arguments, SpecLibrary& library);

/// Checks the header of a case file; a diagnostic for each unknown column.
void check_case_columns(const hardware::CsvTable& table, hardware::Diagnostics& diagnostics);

/// Turns inputs into one answer row of a case file.
using CaseAnswer = std::function<Row(const Inputs&, SpecLibrary&)>;

/// Answers each row of `--cases`: input cells as given, then the answer's columns. Flags fill
/// blank cells.
Answer run_cases(const Arguments& arguments, const std::string& schema, const CaseAnswer& answer);

/// The document in the asked format; text is made by the caller.
std::string render_document(const Document& document, OutputFormat format);

}  // namespace fathom::cli
