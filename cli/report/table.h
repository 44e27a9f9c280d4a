#pragma once

#include <string>
#include <vector>

namespace fathom::cli {

/// Lays out cells in columns two spaces apart; columns named in `right` are right-aligned. Lines
/// are indented by two spaces and have no trailing blanks. Width counts code points.
class Table {
 public:
  explicit Table(std::vector<std::string> header, std::vector<bool> right = {});
  void add(std::vector<std::string> cells);
  /// Columns are one space apart where two would exceed `width`.
  [[nodiscard]] std::string text(int width = 100) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  std::vector<std::string> header_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

/// Breaks a text at blanks so that no line exceeds `width`; further lines start with `indent`
/// blanks.
std::string wrap(const std::string& text, int width, int indent);

/// Code points of a UTF-8 text.
std::size_t text_width(const std::string& text);

}  // namespace fathom::cli
