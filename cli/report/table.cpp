#include "cli/report/table.h"

#include <algorithm>

namespace fathom::cli {

std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

Table::Table(std::vector<std::string> header, std::vector<bool> right)
    : header_(std::move(header)), right_(std::move(right)) {
  right_.resize(header_.size(), false);
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(header_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(int width) const {
  std::vector<std::size_t> widths(header_.size(), 0);
  const auto widen = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], text_width(row[i]));
    }
  };
  widen(header_);
  std::for_each(rows_.begin(), rows_.end(), widen);
  std::size_t all = 2;
  for (const std::size_t w : widths) {
    all += w + 2;
  }
  // The last column has no gap behind it.
  const std::string gap(all - 2 > static_cast<std::size_t>(width) ? 1 : 2, ' ');
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - text_width(row[i]), ' ');
      text += (i == 0 ? "" : gap) + (right_[i] ? pad + row[i] : row[i] + pad);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  if (std::any_of(header_.begin(), header_.end(), [](const auto& h) { return !h.empty(); })) {
    line(header_);
  }
  std::for_each(rows_.begin(), rows_.end(), line);
  return out;
}

std::string wrap(const std::string& text, int width, int indent) {
  std::string out;
  std::size_t column = 0;
  std::size_t at = 0;
  const auto limit = static_cast<std::size_t>(std::max(20, width));
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t size = text_width(word);
    if (column > 0 && column + 1 + size > limit) {
      out += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
      column = static_cast<std::size_t>(indent);
    } else if (at > 0) {
      out += " ";
      ++column;
    }
    out += word;
    column += size;
    at = end + 1;
  }
  return out;
}

}  // namespace fathom::cli
