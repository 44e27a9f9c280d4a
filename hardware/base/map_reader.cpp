#include "hardware/base/map_reader.h"

#include "hardware/base/foreign_words.h"
#include "hardware/base/number_node.h"
#include "hardware/base/unit_text.h"
#include "hardware/base/word_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fathom::hardware {
namespace {

constexpr double kInfinity = HUGE_VAL;

/// A null that is written out ("null", JSON's too) says the same as an absent key.
bool is_absent(const SpecNode* node) {
  return node == nullptr || (node->kind == SpecNode::Kind::Null && !node->text.empty());
}

std::string range_words(double low, double high) {
  if (high == kInfinity) {
    return "less than " + print_number(low);
  }
  if (low == -kInfinity) {
    return "more than " + print_number(high);
  }
  return fmt::format("outside {} to {}", print_number(low), print_number(high));
}

}  // namespace

MapReader::MapReader(const SpecNode& node, std::string what, Diagnostics& diagnostics,
                     IntervalEnd end)
    : node_(&node),
      what_(std::move(what)),
      diagnostics_(&diagnostics),
      end_(end),
      valid_(node.kind == SpecNode::Kind::Map) {
  if (!valid_) {
    diagnostics_->error(node.mark,
                        fmt::format("'{}' is {}; a map is wanted", what_, kind_words(node)));
  }
}

void MapReader::know(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
    asked_.emplace_back(key);
  }
}

bool MapReader::has(std::string_view key) {
  know(key);
  return valid_ && !is_absent(node_->find(key));
}

/// The value of a key; null where it is absent, with a diagnostic when it is required.
const SpecNode* MapReader::look_up(std::string_view key, Need need, std::string_view example) {
  know(key);
  if (!valid_) {
    return nullptr;
  }
  const SpecNode* node = node_->find(key);
  if (!is_absent(node)) {
    return node;
  }
  switch (need) {
    case Need::Optional:
      break;
    case Need::Required:
      diagnostics_->error(mark(key),
                          node == nullptr ? fmt::format("missing key '{}' in '{}'", key, what_)
                                          : fmt::format("'{}' is null; it is needed", key),
                          example_line(key, example));
      break;
  }
  return nullptr;
}

/// As look_up; a key without a value (`bandwidth:`) is an error, needed or not.
const SpecNode* MapReader::filled(std::string_view key, Need need, std::string_view example) {
  const SpecNode* node = look_up(key, need, example);
  if (node != nullptr && node->kind == SpecNode::Kind::Null) {
    diagnostics_->error(node->mark, fmt::format("'{}' has no value", key),
                        example_line(key, example));
    return nullptr;
  }
  return node;
}

double MapReader::pick(double low, double high, Better better) {
  if (low == high) {
    return low;
  }
  const bool higher = better == Better::Higher;
  switch (end_) {
    case IntervalEnd::Slow:
      return higher ? low : high;
    case IntervalEnd::Fast:
      return higher ? high : low;
    case IntervalEnd::Point:
      break;
  }
  return low <= 0 ? (low + high) / 2 : std::sqrt(low) * std::sqrt(high);
}

std::optional<double> MapReader::number(std::string_view key, Dim dim, Better better, Need need) {
  const SpecNode* node = filled(key, need, dimension_example(dim));
  if (node == nullptr) {
    return std::nullopt;
  }
  const auto ends = read_number(*node, std::string(key), dim, *diagnostics_);
  if (!ends) {
    return std::nullopt;
  }
  saw_interval_ = saw_interval_ || ends->interval;
  return pick(ends->low, ends->high, better);
}

std::optional<double> MapReader::bounded(std::string_view key, double low, double high,
                                         Better better, Need need) {
  const SpecNode* node = filled(key, need, print_number(std::clamp(0.5, low, high)));
  if (node == nullptr) {
    return std::nullopt;
  }
  const auto ends = read_number(*node, std::string(key), Dim{}, *diagnostics_);
  if (!ends) {
    return std::nullopt;
  }
  for (const double end : {ends->low, ends->high}) {
    if (end < low || end > high) {
      diagnostics_->error(node->mark, fmt::format("'{}' is {}, {}", key, print_number(end),
                                                  range_words(low, high)));
      return std::nullopt;
    }
  }
  saw_interval_ = saw_interval_ || ends->interval;
  return pick(ends->low, ends->high, better);
}

std::optional<Count> MapReader::bounded_count(std::string_view key, Count low, Count high,
                                              Need need) {
  const std::string example = fmt::format("{}", std::clamp<Count>(8, low, high));
  const SpecNode* node = filled(key, need, example);
  if (node == nullptr) {
    return std::nullopt;
  }
  const auto ends = read_count(*node, std::string(key), *diagnostics_);
  if (!ends) {
    return std::nullopt;
  }
  for (const Count end : {ends->low, ends->high}) {
    if (end < low || end > high) {
      diagnostics_->error(node->mark,
                          fmt::format("'{}' is {}, outside {} to {}", key, end, low, high));
      return std::nullopt;
    }
  }
  if (!ends->interval) {
    return ends->low;
  }
  saw_interval_ = true;
  return std::llround(
      pick(static_cast<double>(ends->low), static_cast<double>(ends->high), Better::Higher));
}

std::optional<std::size_t> MapReader::choice(std::string_view key,
                                             const std::vector<std::string>& choices, Need need) {
  const SpecNode* node = filled(key, need, choices.empty() ? "" : choices.front());
  return node == nullptr ? std::nullopt
                         : read_choice(*node, std::string(key), choices, *diagnostics_);
}

std::optional<bool> MapReader::truth(std::string_view key, Need need) {
  const SpecNode* node = filled(key, need, "true");
  return node == nullptr ? std::nullopt : read_truth(*node, std::string(key), *diagnostics_);
}

std::optional<std::string> MapReader::words(std::string_view key, Need need) {
  const SpecNode* node = filled(key, need, {});
  return node == nullptr ? std::nullopt : read_text(*node, std::string(key), *diagnostics_);
}

std::optional<Count> MapReader::required_count(std::string_view key, Count low, Count high) {
  return bounded_count(key, low, high, Need::Required);
}

std::optional<Count> MapReader::optional_count(std::string_view key, Count low, Count high) {
  return bounded_count(key, low, high, Need::Optional);
}

std::optional<double> MapReader::required_number(std::string_view key, double low, double high,
                                                 Better better) {
  return bounded(key, low, high, better, Need::Required);
}

std::optional<double> MapReader::optional_number(std::string_view key, double low, double high,
                                                 Better better) {
  return bounded(key, low, high, better, Need::Optional);
}

std::optional<bool> MapReader::required_bool(std::string_view key) {
  return truth(key, Need::Required);
}

std::optional<bool> MapReader::optional_bool(std::string_view key) {
  return truth(key, Need::Optional);
}

std::optional<std::string> MapReader::required_text(std::string_view key) {
  return words(key, Need::Required);
}

std::optional<std::string> MapReader::optional_text(std::string_view key) {
  return words(key, Need::Optional);
}

std::optional<Format> MapReader::optional_format(std::string_view key) {
  const SpecNode* node = filled(key, Need::Optional, "bf16");
  return node == nullptr ? std::nullopt : read_format(*node, std::string(key), *diagnostics_);
}

std::optional<std::size_t> MapReader::required_choice(std::string_view key,
                                                      const std::vector<std::string>& choices) {
  return choice(key, choices, Need::Required);
}

std::optional<std::size_t> MapReader::optional_choice(std::string_view key,
                                                      const std::vector<std::string>& choices) {
  return choice(key, choices, Need::Optional);
}

const SpecNode* MapReader::required_node(std::string_view key) {
  return look_up(key, Need::Required);
}

const SpecNode* MapReader::optional_node(std::string_view key) {
  return look_up(key, Need::Optional);
}

Mark MapReader::mark() const { return node_->mark; }

Mark MapReader::mark(std::string_view key) const {
  const SpecNode* node = node_->find(key);
  return node == nullptr ? node_->mark : node->mark;
}

void MapReader::error(std::string_view key, std::string message, std::string help) {
  diagnostics_->error(mark(key), std::move(message), std::move(help));
}

void MapReader::finish() {
  constexpr int kMostUnknown = 100;  // then it is another kind of file
  int unknown = 0;
  for (const SpecNode::Entry& entry : node_->entries) {
    const bool known = entry.key == "source" || entry.key == "note" ||
                       std::find(asked_.begin(), asked_.end(), entry.key) != asked_.end();
    if (!known) {
      diagnostics_->error(entry.key_mark, fmt::format("unknown key '{}' in '{}'", entry.key, what_),
                          did_you_mean_word(entry.key, asked_));
      if (++unknown == kMostUnknown) {
        return;
      }
    }
  }
}

}  // namespace fathom::hardware
