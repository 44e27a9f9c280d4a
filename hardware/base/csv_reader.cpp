#include "hardware/base/csv_reader.h"

#include "hardware/base/file_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fathom::hardware {
namespace {

/// One cell of the text and where it begins.
struct Cell {
  std::string text;
  int line = 0;
  int column = 0;
  bool quoted = false;
};

/// Walks the lines of a file; a quoted cell may run over several.
struct Cursor {
  const SourceFile* file = nullptr;
  std::size_t line = 0;
  std::size_t at = 0;

  [[nodiscard]] bool done() const { return line >= file->lines.size(); }
  [[nodiscard]] const std::string& text() const { return file->lines[line]; }
  [[nodiscard]] bool line_done() const { return at >= text().size(); }
};

enum class CellEnd { Comma, Line, Wrong };

Mark mark_at(const CsvTable& table, int line, int column) { return {table.file, line, column}; }

/// Appends the quoted text to the cell; false where the quote never closes.
bool read_quoted(Cursor& cursor, std::string& text) {
  while (true) {
    const std::size_t quote = cursor.text().find('"', cursor.at);
    if (quote == std::string::npos) {
      text.append(cursor.text(), cursor.at);
      ++cursor.line;
      cursor.at = 0;
      if (cursor.done()) {
        return false;
      }
      text += '\n';
      continue;
    }
    text.append(cursor.text(), cursor.at, quote - cursor.at);
    cursor.at = quote + 1;
    if (cursor.line_done() || cursor.text()[cursor.at] != '"') {
      return true;
    }
    text += '"';
    ++cursor.at;
  }
}

/// Reads one cell and the comma or line end behind it.
CellEnd read_cell(Cursor& cursor, Cell& cell, const CsvTable& table, Diagnostics& diagnostics) {
  cell.line = static_cast<int>(cursor.line) + 1;
  cell.column = static_cast<int>(cursor.at) + 1;
  if (!cursor.line_done() && cursor.text()[cursor.at] == '"') {
    cell.quoted = true;
    ++cursor.at;
    if (!read_quoted(cursor, cell.text)) {
      diagnostics.error(mark_at(table, cell.line, cell.column), "the quote is never closed",
                        "a quote inside a quoted cell is written twice");
      return CellEnd::Wrong;
    }
    if (!cursor.line_done() && cursor.text()[cursor.at] != ',') {
      diagnostics.error(
          mark_at(table, static_cast<int>(cursor.line) + 1, static_cast<int>(cursor.at) + 1),
          "text after the closing quote of a cell",
          "a quote inside a quoted cell is written twice");
      return CellEnd::Wrong;
    }
  } else {
    const std::size_t end = std::min(cursor.text().find(',', cursor.at), cursor.text().size());
    cell.text.assign(cursor.text(), cursor.at, end - cursor.at);
    cursor.at = end;
  }
  if (cursor.line_done()) {
    ++cursor.line;
    cursor.at = 0;
    return CellEnd::Line;
  }
  ++cursor.at;
  return CellEnd::Comma;
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t") == std::string::npos;
}

/// The next row that is not blank; none at the end or after an error that leaves the rest in doubt.
std::optional<std::vector<Cell>> read_row(Cursor& cursor, const CsvTable& table,
                                          Diagnostics& diagnostics) {
  while (!cursor.done() && is_blank(cursor.text())) {
    ++cursor.line;
  }
  if (cursor.done()) {
    return std::nullopt;
  }
  std::vector<Cell> cells;
  while (true) {
    switch (read_cell(cursor, cells.emplace_back(), table, diagnostics)) {
      case CellEnd::Comma:
        break;
      case CellEnd::Line:
        return cells;
      case CellEnd::Wrong:
        return std::nullopt;
    }
  }
}

void read_header(const std::vector<Cell>& cells, CsvTable& table, Diagnostics& diagnostics) {
  for (const Cell& cell : cells) {
    if (is_blank(cell.text)) {
      diagnostics.error(mark_at(table, cell.line, cell.column), "a column without a name");
    }
    const auto earlier = std::find(table.columns.begin(), table.columns.end(), cell.text);
    if (earlier != table.columns.end() && !is_blank(cell.text)) {
      const Cell& first = cells[static_cast<std::size_t>(earlier - table.columns.begin())];
      diagnostics
          .error(mark_at(table, cell.line, cell.column),
                 fmt::format("the column '{}' is given twice", cell.text))
          .notes.push_back({mark_at(table, first.line, first.column), "first given here"});
    }
    table.columns.push_back(cell.text);
  }
}

void add_row(std::vector<Cell> cells, CsvTable& table, Diagnostics& diagnostics) {
  if (cells.size() > table.columns.size()) {
    const Cell& extra = cells[table.columns.size()];
    diagnostics.error(
        mark_at(table, extra.line, extra.column),
        fmt::format("{} cells in a row of {} columns", cells.size(), table.columns.size()),
        "a cell that holds a comma is written in quotes");
    return;
  }
  CsvTable::Row& row = table.rows.emplace_back();
  row.line = cells.front().line;
  row.cells.reserve(table.columns.size());
  for (Cell& cell : cells) {
    row.cells.push_back(std::move(cell.text));
  }
  row.cells.resize(table.columns.size());
}

}  // namespace

std::optional<CsvTable> read_csv_text(std::string_view text, const std::string& name,
                                      Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.all().size();
  CsvTable table;
  table.file = make_source(name, text);
  Cursor cursor{table.file.get(), 0, 0};
  if (const auto header = read_row(cursor, table, diagnostics)) {
    read_header(*header, table, diagnostics);
    while (auto row = read_row(cursor, table, diagnostics)) {
      add_row(std::move(*row), table, diagnostics);
    }
  } else if (diagnostics.all().size() == before) {
    diagnostics.error({table.file, 0, 0}, "no header: the file is empty",
                      "the first line names the columns");
  }
  if (diagnostics.all().size() != before) {
    return std::nullopt;
  }
  return table;
}

std::optional<CsvTable> read_csv_file(const std::string& path, Diagnostics& diagnostics) {
  const auto text = read_file_text(path, diagnostics);
  return text ? read_csv_text(*text, path, diagnostics) : std::nullopt;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string cell = "\"";
  for (const char c : text) {
    cell += c;
    if (c == '"') {
      cell += '"';
    }
  }
  return cell + "\"";
}

}  // namespace fathom::hardware
