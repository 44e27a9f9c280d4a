#include "model/llm/hf_config.h"

#include "hardware/base/unit_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fathom::model {

using hardware::Diagnostics;
using hardware::SpecNode;

namespace {

/// No extent, count of heads or experts of a model is larger; larger is a slip of the pen.
constexpr Count kMost = 100'000'000;
constexpr std::size_t kMostEntries = 10'000;

const SpecNode kNothing{};

const SpecNode* filled(const SpecNode& map, std::string_view name) {
  const SpecNode* node = map.kind == SpecNode::Kind::Map ? map.find(name) : nullptr;
  return node == nullptr || node->kind == SpecNode::Kind::Null ? nullptr : node;
}

std::string join(FieldNames names) {
  std::string out;
  for (const std::string_view name : names) {
    out += fmt::format("{}'{}'", out.empty() ? "" : " or ", name);
  }
  return out;
}

}  // namespace

HfConfig::HfConfig(const SpecNode& root, const SpecNode& text, Diagnostics& diagnostics)
    : root_(&root), text_(&text), diagnostics_(&diagnostics) {}

const SpecNode* HfConfig::find(FieldNames names) const {
  for (const SpecNode* map : {text_, root_}) {
    for (const std::string_view name : names) {
      if (const SpecNode* node = filled(*map, name)) {
        return node;
      }
    }
  }
  return nullptr;
}

void HfConfig::missing(FieldNames names) {
  diagnostics_->error(text_->mark, fmt::format("missing field {}", join(names)),
                      "take the file from the checkpoint: a missing size is never guessed");
}

void HfConfig::wrong(const SpecNode& at, const std::string& what, const std::string& help) {
  diagnostics_->error(at.mark, what, help);
}

std::optional<Count> HfConfig::whole(const SpecNode& node, std::string_view name, Count low) {
  const auto value = node.kind == SpecNode::Kind::Scalar && !node.quoted
                         ? hardware::parse_number(node.text)
                         : std::nullopt;
  if (!value || std::floor(*value) != *value || *value < static_cast<double>(low) ||
      *value > static_cast<double>(kMost)) {
    wrong(node, fmt::format("'{}' is no whole number from {} to {}", name, low, kMost));
    return std::nullopt;
  }
  return static_cast<Count>(*value);
}

Count HfConfig::need(FieldNames names) {
  const SpecNode* node = find(names);
  if (node == nullptr) {
    missing(names);
    return 1;
  }
  return whole(*node, *names.begin(), 1).value_or(1);
}

std::optional<Count> HfConfig::maybe(FieldNames names) {
  const SpecNode* node = find(names);
  return node == nullptr ? std::nullopt : whole(*node, *names.begin(), 0);
}

Count HfConfig::may(FieldNames names, Count absent) { return maybe(names).value_or(absent); }

bool HfConfig::flag(FieldNames names, bool absent) {
  const SpecNode* node = find(names);
  if (node == nullptr) {
    return absent;
  }
  if (node->kind != SpecNode::Kind::Scalar || (node->text != "true" && node->text != "false")) {
    wrong(*node, fmt::format("'{}' is neither true nor false", *names.begin()));
    return absent;
  }
  return node->text == "true";
}

bool HfConfig::need_flag(FieldNames names) {
  if (!has(names)) {
    missing(names);
  }
  return flag(names, false);
}

std::string HfConfig::text(FieldNames names) const {
  const SpecNode* node = find(names);
  return node != nullptr && node->kind == SpecNode::Kind::Scalar ? node->text : std::string();
}

std::optional<std::vector<Count>> HfConfig::numbers(FieldNames names) {
  const SpecNode* node = find(names);
  if (node == nullptr) {
    return std::nullopt;
  }
  std::vector<Count> out;
  if (node->kind == SpecNode::Kind::Scalar && node->quoted) {
    std::string_view rest = node->text;
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      const auto value = hardware::parse_number(std::string(rest.substr(0, comma)));
      if (!value || std::floor(*value) != *value || *value < 0 ||
          *value > static_cast<double>(kMost) || out.size() == kMostEntries) {
        wrong(*node, fmt::format("'{}' is no list of at most {} whole numbers", *names.begin(),
                                 kMostEntries));
        return std::nullopt;
      }
      out.push_back(static_cast<Count>(*value));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return out;
  }
  if (node->kind != SpecNode::Kind::List || node->items.size() > kMostEntries) {
    wrong(*node,
          fmt::format("'{}' is no list of at most {} numbers", *names.begin(), kMostEntries));
    return std::nullopt;
  }
  for (const SpecNode& item : node->items) {
    const bool truth =
        item.kind == SpecNode::Kind::Scalar && (item.text == "true" || item.text == "false");
    const auto value =
        truth ? std::optional<Count>(item.text == "true" ? 1 : 0) : whole(item, *names.begin(), 0);
    if (!value) {
      return std::nullopt;
    }
    out.push_back(*value);
  }
  return out;
}

std::optional<std::vector<std::string>> HfConfig::words(FieldNames names) {
  const SpecNode* node = find(names);
  if (node == nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> out;
  const bool list = node->kind == SpecNode::Kind::List && node->items.size() <= kMostEntries;
  for (const SpecNode& item : node->items) {
    if (!list || item.kind != SpecNode::Kind::Scalar) {
      break;
    }
    out.push_back(item.text);
  }
  if (!list || out.size() != node->items.size()) {
    wrong(*node, fmt::format("'{}' is no list of at most {} words", *names.begin(), kMostEntries));
    return std::nullopt;
  }
  return out;
}

namespace {

/// A list may go on over the MTP layers.
bool has_length(HfConfig& config, Count entries, Count layers) {
  const Count mtp =
      config.may({"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"}, 0);
  return entries == layers || entries == layers + mtp;
}

template <class T>
std::vector<T> for_each_layer(HfConfig& config, FieldNames names, Count layers,
                              std::optional<std::vector<T>> read, T absent) {
  if (!config.has(names)) {
    config.missing(names);
  } else if (read && !has_length(config, static_cast<Count>(read->size()), layers)) {
    config.wrong(*config.find(names), fmt::format("'{}' has {} entries for {} layers",
                                                  *names.begin(), read->size(), layers));
    read = std::nullopt;
  }
  return read.value_or(std::vector<T>(static_cast<std::size_t>(layers), absent));
}

}  // namespace

std::vector<Count> HfConfig::need_numbers(FieldNames names, Count layers) {
  return for_each_layer<Count>(*this, names, layers, numbers(names), 0);
}

std::vector<std::string> HfConfig::need_words(FieldNames names, Count layers) {
  return for_each_layer<std::string>(*this, names, layers, words(names), "");
}

std::vector<std::string> HfConfig::need_choices(FieldNames names, Count layers, FieldNames words) {
  std::vector<std::string> read = need_words(names, layers);
  for (const std::string& word : read) {
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) {
      wrong(*find(names), fmt::format("'{}' in '{}' is not known here", word, *names.begin()),
            fmt::format("known for this architecture: {}", fmt::join(words, ", ")));
      break;
    }
  }
  return read;
}

std::vector<Count> HfConfig::need_marks(FieldNames names, Count layers) {
  std::vector<Count> read = need_numbers(names, layers);
  if (std::any_of(read.begin(), read.end(), [](Count mark) { return mark > 1; })) {
    wrong(*find(names), fmt::format("'{}' has entries other than 0 and 1", *names.begin()));
  }
  return read;
}

void HfConfig::check_layer_count(Count listed) {
  const auto stated = maybe({"num_hidden_layers"});
  if (stated && *stated != listed) {
    wrong(*find({"num_hidden_layers"}),
          fmt::format("num_hidden_layers is {}, the list of layers has {}", *stated, listed));
  }
}

void HfConfig::refuse_flag(std::string_view name, std::string_view adds) {
  if (flag({name}, false)) {
    wrong(*find({name}), fmt::format("'{}' is not handled for this architecture", name),
          fmt::format("it adds {}; describe the model in YAML", adds));
  }
}

HfConfig HfConfig::inside(FieldNames names) {
  const SpecNode* node = find(names);
  if (node == nullptr || node->kind != SpecNode::Kind::Map) {
    missing(names);
    return {kNothing, kNothing, *diagnostics_};
  }
  return {*node, *node, *diagnostics_};
}

}  // namespace fathom::model
