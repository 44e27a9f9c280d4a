#include "cli/commands/command.h"
#include "cli/commands/common.h"
#include "cli/commands/config_folders.h"
#include "cli/report/show_model_report.h"
#include "hardware/base/spec_reader.h"
#include "model/llm/gguf_part.h"
#include "model/llm/import_model.h"
#include "model/llm/read_model.h"
#include "model/llm/write_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fathom::cli {
namespace {

using hardware::Diagnostics;

/// The fields that the importer missed, by its messages; empty where anything else is wrong.
std::vector<std::string> missing_fields(const Diagnostics& diagnostics) {
  constexpr std::string_view kStart = "missing field ";
  std::vector<std::string> out;
  for (const hardware::Diagnostic& d : diagnostics.all()) {
    if (d.severity != hardware::Diagnostic::Severity::Error) {
      continue;
    }
    if (d.message.rfind(kStart, 0) != 0) {
      return {};
    }
    out.push_back(d.message.substr(kStart.size()));
  }
  return out;
}

Document import_document(const std::string& format, std::vector<Row> records,
                         const std::vector<std::string>& missing) {
  Document document;
  document.schema = "fathom.import/1";
  document.columns = {{"format", format}, {"kind", std::string("model")}};
  document.tables.emplace_back("records", std::move(records));
  std::vector<Row> rows;
  rows.reserve(missing.size());
  for (const std::string& field : missing) {
    rows.push_back({{"field", field}});
  }
  document.tables.emplace_back("missing", std::move(rows));
  return document;
}

/// Recognised, but something is needed that the file does not say.
Answer incomplete(const std::string& format, const std::vector<std::string>& missing,
                  const Diagnostics& diagnostics, OutputFormat output) {
  Answer answer;
  answer.status = ExitStatus::No;
  answer.error = hardware::render(diagnostics);
  if (output != OutputFormat::Text) {
    answer.out = render_document(import_document(format, {}, missing), output);
  }
  return answer;
}

}  // namespace

Answer run_import(const Arguments& arguments) {
  if (arguments.positional.size() != 1) {
    return failure(ExitStatus::Usage,
                   "import takes one file: fathom import config.json, or a folder with one");
  }
  if (!arguments.overrides.empty()) {
    return failure(ExitStatus::Usage,
                   "import takes no --set: write the spec with --output, then change it there");
  }
  const std::string& name = arguments.positional.front();
  const std::string inside =
      name == "-" || is_file(name) ? std::string() : model::model_file_in(name);
  const std::string path = inside.empty() ? name : inside;
  if (std::error_code failed; std::filesystem::equivalent(path, arguments.output, failed)) {
    return failure(
        ExitStatus::Usage,
        fmt::format("--output {} is the file that is read: it would be lost", arguments.output));
  }
  Diagnostics diagnostics;
  const std::string format(model::foreign_model_name(model::recognise_model(path)));
  auto imported = model::import_model(path, diagnostics);
  if (!imported) {
    const auto missing = missing_fields(diagnostics);
    return missing.empty() ? spec_failure(diagnostics)
                           : incomplete(format, missing, diagnostics, arguments.format);
  }
  if (!arguments.name.empty()) {
    imported->spec.id = model::printable(arguments.name);
  }
  Answer answer;
  answer.error = diagnostics.all().empty() ? std::string() : hardware::render(diagnostics);
  const std::string text = model::write_model(*imported);
  if (arguments.format == OutputFormat::Text) {
    answer.out = text;
    return answer;
  }
  ReportContext context;
  context.width = arguments.width;
  Document document =
      import_document(format, {model_document(imported->spec, context).columns}, {});
  document.sources = {imported->source};
  document.assumptions = imported->notes;
  answer.out = render_document(document, arguments.format);
  return answer;
}

}  // namespace fathom::cli
