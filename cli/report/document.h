#pragma once

#include "hardware/base/quantity.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fathom::cli {

/// A value of an answer; monostate = not applicable (blank in CSV, null in JSON).
using Cell = std::variant<std::monostate, bool, double, hardware::Count, std::string>;

struct Column {
  std::string name;
  Cell value;
};
using Row = std::vector<Column>;

/// A cell of a number that is blank when negative.
Cell blank_if_negative(double value);
Cell text_or_blank(const std::string& text);

/// An answer, whatever the format: columns, lists of rows and objects, and what every document
/// carries.
struct Document {
  std::string schema;
  Row columns;
  std::vector<std::pair<std::string, Row>> objects;
  std::vector<std::pair<std::string, std::vector<Row>>> tables;
  std::vector<std::string> assumptions;
  std::vector<std::string> sources;
  std::vector<std::string> warnings;
};

/// One JSON document, keys in the order given, two spaces of indentation.
std::string json_report(const Document& document);

/// RFC 4180: a header line and the rows, which all have the same columns.
std::string csv_report(const std::vector<Row>& rows);

/// A number as files hold it: shortest text of nine significant digits, no locale.
std::string plain_number(double value);

}  // namespace fathom::cli
