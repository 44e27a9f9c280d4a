#include "cli/commands/common.h"
#include "cli/commands/unknown_name.h"
#include "hardware/base/csv_reader.h"
#include "hardware/base/suggest.h"
#include "hardware/base/unit_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::cli {
namespace {

bool has_column(const hardware::CsvTable& table, const std::string& name) {
  return std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
}

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

/// As given; in JSON what reads as a number is one. An id stays text.
Cell echo(const std::string& column, const std::string& text, OutputFormat format) {
  const auto value =
      format == OutputFormat::Json && column != "id" ? hardware::parse_number(text) : std::nullopt;
  return value ? Cell{*value} : text_or_blank(text);
}

/// The row's cells as given, then the flags that no column of the file brings, so that the answer
/// stands alone.
Row echoed(const hardware::CsvTable& table, const std::vector<std::string>& cells,
           std::size_t number, const Inputs& flags, OutputFormat format) {
  Row out;
  if (!has_column(table, "id")) {
    out.push_back({"id", static_cast<hardware::Count>(number)});
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::string cell = i < cells.size() ? cells[i] : "";
    if (table.columns[i] == "id" && cell.empty()) {
      cell = fmt::format("{}", number);
    }
    out.push_back({table.columns[i], echo(table.columns[i], cell, format)});
  }
  for (const std::string& column : input_columns()) {
    const std::string text = input(flags, column);
    if (!text.empty() && !has_column(table, column)) {
      out.push_back({column, echo(column, text, format)});
    }
  }
  return out;
}

/// One long name of a file whose cells are separated by something else than commas.
bool wrong_separator(const hardware::CsvTable& table) {
  return table.columns.size() == 1 && table.columns[0].find_first_of(";\t|") != std::string::npos;
}

std::string render_cases(const std::string& schema, std::vector<Row> rows, bool header_only,
                         OutputFormat format) {
  if (format == OutputFormat::Json) {
    Document document;
    document.schema = schema;
    document.tables.emplace_back("cases", header_only ? std::vector<Row>() : std::move(rows));
    return json_report(document);
  }
  const std::string text = csv_report(rows);
  return header_only ? text.substr(0, text.find('\n') + 1) : text;
}

}  // namespace

void check_case_columns(const hardware::CsvTable& table, hardware::Diagnostics& diagnostics) {
  const std::vector<std::string>& known = input_columns();
  if (wrong_separator(table)) {
    diagnostics.error({table.file, 1, 1}, "the header is one long column", "separate with commas");
    return;
  }
  int at = 1;
  for (const std::string& column : table.columns) {
    if (std::find(known.begin(), known.end(), column) == known.end()) {
      const std::string near = hardware::did_you_mean(column, known);
      diagnostics.error(
          {table.file, 1, at}, fmt::format("unknown column '{}'", column),
          near.empty() ? fmt::format("the columns are {}", fmt::join(known, ", ")) : near);
    }
    at += static_cast<int>(column.size()) + 1;
  }
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
  if (const std::string error = take_names(arguments, flags); !error.empty()) {
    return failure(ExitStatus::Usage, error);
  }
  SpecLibrary library(arguments.config_paths, arguments.overrides);
  if (library.folders().empty()) {
    report_no_library(library, diagnostics);
    return spec_failure(diagnostics);
  }
  // A table without rows is answered by its header, which a row of blanks brings.
  const bool header_only = table->rows.empty();
  const auto asked = header_only ? std::vector<hardware::CsvTable::Row>(1) : table->rows;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Row row = echoed(*table, asked[i].cells, i + 1, flags, arguments.format);
    const Row result = answer(row_inputs(*table, asked[i], flags), library);
    row.insert(row.end(), result.begin(), result.end());
    rows.push_back(std::move(row));
  }
  return {
      ExitStatus::Yes, render_cases(schema, std::move(rows), header_only, arguments.format), {}};
}

}  // namespace fathom::cli
