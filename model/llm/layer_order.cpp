#include "model/llm/layer_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fathom::model {
namespace {

using Order = std::vector<std::uint16_t>;

constexpr std::size_t kMostLayers = 10'000;
constexpr std::size_t kLongestPattern = 64;

/// Reads the text from left to right; `error` is empty while all is well.
struct OrderParser {
  std::string_view rest;
  const std::vector<std::string>* names = nullptr;
  std::string* error = nullptr;

  void skip_spaces() {
    const auto at = rest.find_first_not_of(" \t");
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at);
  }

  /// N of "N*"; 1 where there is none.
  std::size_t times() {
    std::size_t count = 1;
    const char* end = rest.data() + rest.size();
    const auto [stop, status] = std::from_chars(rest.data(), end, count);
    const auto digits = static_cast<std::size_t>(stop - rest.data());
    if (digits == 0 || digits >= rest.size() || rest[digits] != '*') {
      return 1;
    }
    if (status != std::errc{} || count == 0 || count > kMostLayers) {
      *error = fmt::format("'{}' is no count of layers", rest.substr(0, digits));
    }
    rest.remove_prefix(digits + 1);
    return count;
  }

  void name(Order& into) {
    const auto end = std::min(rest.find_first_of(" \t()*"), rest.size());
    const std::string_view word = rest.substr(0, end);
    const auto found = std::find(names->begin(), names->end(), word);
    if (word.empty()) {
      *error = rest.empty()
                   ? "a layer kind's name is expected at the end"
                   : fmt::format("a layer kind's name is expected before '{}'", rest.substr(0, 1));
    } else if (found == names->end()) {
      *error = fmt::format("'{}' names no layer kind", word);
    } else {
      into.push_back(static_cast<std::uint16_t>(found - names->begin()));
    }
    rest.remove_prefix(end);
  }

  /// The names up to the closing bracket.
  Order group() {
    Order inside;
    rest.remove_prefix(1);
    for (skip_spaces(); error->empty() && !rest.empty() && rest.front() != ')'; skip_spaces()) {
      name(inside);
    }
    if (rest.empty()) {
      *error = "a bracket is not closed";
    } else if (error->empty()) {
      rest.remove_prefix(1);
    }
    return inside;
  }

  void item(Order& out) {
    const std::size_t count = times();
    Order one;
    if (!rest.empty() && rest.front() == '(') {
      one = group();
    } else {
      name(one);
    }
    if (error->empty() && out.size() + one.size() * count > kMostLayers) {
      *error = fmt::format("more than {} layers", kMostLayers);
    }
    for (std::size_t i = 0; error->empty() && i < count; ++i) {
      out.insert(out.end(), one.begin(), one.end());
    }
  }
};

struct Repeat {
  std::size_t period = 1;
  std::size_t times = 1;
};

/// The pattern at `at` that covers most layers by repeating; the shortest of equals.
Repeat best_repeat(const Order& order, std::size_t at) {
  Repeat best;
  const std::size_t left = order.size() - at;
  for (std::size_t period = 1; period <= std::min(kLongestPattern, left / 2); ++period) {
    std::size_t times = 1;
    while ((times + 1) * period <= left &&
           std::equal(order.begin() + static_cast<std::ptrdiff_t>(at),
                      order.begin() + static_cast<std::ptrdiff_t>(at + period),
                      order.begin() + static_cast<std::ptrdiff_t>(at + times * period))) {
      ++times;
    }
    if (times > 1 && times * period > best.times * best.period) {
      best = {period, times};
    }
  }
  return best;
}

}  // namespace

std::optional<Order> parse_order(std::string_view text, const std::vector<std::string>& names,
                                 std::string& error) {
  error.clear();
  Order out;
  OrderParser parser{text, &names, &error};
  for (parser.skip_spaces(); error.empty() && !parser.rest.empty(); parser.skip_spaces()) {
    parser.item(out);
  }
  return error.empty() ? std::optional<Order>(out) : std::nullopt;
}

std::string print_order(const Order& order, const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t at = 0; at < order.size();) {
    const Repeat repeat = best_repeat(order, at);
    std::string pattern;
    for (std::size_t i = 0; i < repeat.period; ++i) {
      pattern += (i == 0 ? "" : " ") + names.at(order.at(at + i));
    }
    out += out.empty() ? "" : " ";
    if (repeat.times == 1) {
      out += pattern;
    } else if (repeat.period == 1) {
      out += fmt::format("{}*{}", repeat.times, pattern);
    } else {
      out += fmt::format("{}*({})", repeat.times, pattern);
    }
    at += repeat.period * repeat.times;
  }
  return out;
}

}  // namespace fathom::model
