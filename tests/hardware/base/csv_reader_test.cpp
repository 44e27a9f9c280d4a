#include "hardware/base/csv_reader.h"

#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

using Cells = std::vector<std::string>;

CsvTable table_of(std::string_view text) {
  Diagnostics diagnostics;
  auto table = read_csv_text(text, "t.csv", diagnostics);
  INFO(render(diagnostics));
  REQUIRE(table);
  return *table;
}

std::string faults_of(std::string_view text) {
  Diagnostics diagnostics;
  CHECK_FALSE(read_csv_text(text, "t.csv", diagnostics));
  return render(diagnostics);
}

TEST_CASE("rows keep their cells and their lines") {
  const CsvTable table = table_of("a,b\n1,2\n\n3,\n");
  CHECK(table.columns == Cells{"a", "b"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells == Cells{"1", "2"});
  CHECK(table.rows[1].cells == Cells{"3", ""});
  CHECK(table.rows[1].line == 4);
}

TEST_CASE("a quoted cell holds commas, quotes and line breaks") {
  const CsvTable table = table_of("a,b\n\"x, \"\"y\"\"\nz\",2\n3,4\n");
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells == Cells{"x, \"y\"\nz", "2"});
  CHECK(table.rows[1].line == 4);
}

TEST_CASE("a byte-order mark, CRLF and a last line without an end are read") {
  const CsvTable table = table_of(
      "\xEF\xBB\xBF"
      "a,b\r\n1,2\r\n\r\n3,4");
  CHECK(table.columns == Cells{"a", "b"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[1].cells == Cells{"3", "4"});
}

TEST_CASE("a short row has its missing cells blank") {
  CHECK(table_of("a,b,c\n1\n").rows[0].cells == Cells{"1", "", ""});
}

TEST_CASE("a quote inside an unquoted cell is a character") {
  CHECK(table_of("a\n5\" disk\n").rows[0].cells == Cells{"5\" disk"});
}

TEST_CASE("a row with more cells than columns is an error") {
  CHECK(faults_of("a,b\n1,2,3\n") ==
        "t.csv:2:5: error: 3 cells in a row of 2 columns\n"
        "    2 | 1,2,3\n"
        "      |     ^\n"
        "       help: a cell that holds a comma is written in quotes\n");
}

TEST_CASE("a quote that never closes is an error at the quote") {
  CHECK(faults_of("a,b\n1,\"2\n3,4\n") ==
        "t.csv:2:3: error: the quote is never closed\n"
        "    2 | 1,\"2\n"
        "      |   ^\n"
        "       help: a quote inside a quoted cell is written twice\n");
}

TEST_CASE("text behind a closing quote is an error") {
  CHECK_THAT(faults_of("a\n\"x\"y\n"), ContainsSubstring("t.csv:2:4: error: text after"));
}

TEST_CASE("column names are there and differ") {
  CHECK(faults_of("\n\n") ==
        "t.csv: error: no header: the file is empty\n"
        "       help: the first line names the columns\n");
  CHECK(faults_of("a,,a\n") ==
        "t.csv:1:3: error: a column without a name\n"
        "    1 | a,,a\n"
        "      |   ^\n"
        "t.csv:1:4: error: the column 'a' is given twice\n"
        "    1 | a,,a\n"
        "      |    ^\n"
        "t.csv:1:1: note: first given here\n"
        "2 errors\n");
}

TEST_CASE("a missing file is an error") {
  Diagnostics diagnostics;
  CHECK_FALSE(read_csv_file("no/such.csv", diagnostics));
  CHECK(render(diagnostics) == "no/such.csv: error: no such file\n");
}

TEST_CASE("a written cell is read back") {
  for (const char* text : {"plain", "", "a,b", "say \"x\"", "two\nlines", " blanks "}) {
    const CsvTable table = table_of("a,b\n" + csv_cell(text) + ",1\n");
    CHECK(table.rows[0].cells == Cells{text, "1"});
  }
  CHECK(csv_cell("plain") == "plain");
  CHECK(csv_cell("a\"b") == "\"a\"\"b\"");
}

}  // namespace
}  // namespace fathom::hardware
