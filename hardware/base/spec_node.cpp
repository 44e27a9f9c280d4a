#include "hardware/base/spec_node.h"

#include "hardware/base/foreign_words.h"
#include "hardware/base/spec_reader.h"
#include "hardware/base/unit_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace fathom::hardware {
namespace {

constexpr std::string_view kOverrideFile = "--set";

/// One change under way: where it is reported and what part of the path has been walked.
struct Change {
  Mark mark;
  Diagnostics* diagnostics = nullptr;
  std::string walked;

  void refuse(std::string message, std::string help = {}) const {
    diagnostics->error(mark, std::move(message), std::move(help));
  }
};

Mark override_mark(const Override& change) {
  return {make_source(std::string(kOverrideFile), change.written), 1, 1};
}

/// The names between the dots; empty where one of them is.
std::vector<std::string> path_parts(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t dot = path.find('.', from);
    parts.push_back(path.substr(from, dot - from));
    if (parts.back().empty()) {
      return {};
    }
    if (dot == std::string::npos) {
      return parts;
    }
    from = dot + 1;
  }
}

/// The number behind the `x` of `x2` and `x0.5`.
std::optional<double> factor_of(std::string_view value) {
  if (value.size() < 2 || value[0] != 'x') {
    return std::nullopt;
  }
  const std::optional<double> factor = parse_number(value.substr(1));
  return factor && *factor >= 0 ? factor : std::nullopt;
}

/// "x2" for "2x" and "*2": a factor written otherwise; empty for anything else.
std::string meant_factor(std::string_view value) {
  if (value.size() < 2) {
    return {};
  }
  const bool before = value.front() == '*' || value.front() == 'X';
  const bool behind = value.back() == 'x' || value.back() == 'X';
  const std::string_view number =
      before ? value.substr(1) : value.substr(0, value.size() - (behind ? 1 : 0));
  return (before || behind) && parse_number(number) ? "x" + std::string(number) : std::string();
}

void mark_all(SpecNode& node, const Mark& mark) {
  node.mark = mark;
  for (SpecNode& item : node.items) {
    mark_all(item, mark);
  }
  for (SpecNode::Entry& entry : node.entries) {
    entry.key_mark = mark;
    mark_all(entry.value, mark);
  }
}

/// The value as a file would hold it: a list, a map or quoted text is parsed, anything else is the
/// text of a scalar.
std::optional<SpecNode> value_node(const std::string& value, const Change& change) {
  if (value.find_first_of("[{\"'") != 0) {
    SpecNode node;
    node.kind = value == "null" || value == "~" ? SpecNode::Kind::Null : SpecNode::Kind::Scalar;
    node.mark = change.mark;
    node.text = value;
    return node;
  }
  Diagnostics found;
  std::optional<SpecNode> node = read_spec_text(value, std::string(kOverrideFile), found);
  if (!node) {
    const std::string reason = found.all().empty() ? "" : ": " + found.all().front().message;
    change.refuse(fmt::format("'{}' is not a value{}", value, reason));
    return std::nullopt;
  }
  mark_all(*node, change.mark);
  return node;
}

/// Units of the numbers at or below a node, a bare number being the unit "". One factor on numbers
/// of several kinds (a time and a share) would mean nothing.
void collect_units(const SpecNode& node, std::set<std::string>& units) {
  if (node.kind == SpecNode::Kind::Scalar && !node.quoted && scale_number_text(node.text, 1)) {
    const auto at = node.text.find_first_not_of("+-0123456789.eE ");
    units.insert(at == std::string::npos ? "" : node.text.substr(at));
  }
  for (const SpecNode& item : node.items) {
    collect_units(item, units);
  }
  for (const SpecNode::Entry& entry : node.entries) {
    if (entry.key != "source" && entry.key != "note") {
      collect_units(entry.value, units);
    }
  }
}

/// Multiplies each number at or below a node and says how many there were.
int multiply(SpecNode& node, double factor, const Mark& mark) {
  int found = 0;
  if (node.kind == SpecNode::Kind::Scalar && !node.quoted) {
    if (const auto scaled = scale_number_text(node.text, factor)) {
      node.text = *scaled;
      node.mark = mark;
      return 1;
    }
  }
  for (SpecNode& item : node.items) {
    found += multiply(item, factor, mark);
  }
  for (SpecNode::Entry& entry : node.entries) {
    if (entry.key != "source" && entry.key != "note") {
      found += multiply(entry.value, factor, mark);
    }
  }
  return found;
}

SpecNode* list_item(SpecNode& list, const std::string& part, const Change& change) {
  const std::optional<Count> index = parse_count(part);
  if (index && *index >= 0 && static_cast<std::size_t>(*index) < list.items.size()) {
    return &list.items[static_cast<std::size_t>(*index)];
  }
  if (list.items.empty()) {
    change.refuse(fmt::format("'{}' is an empty list; there is no '{}'", change.walked, part));
  } else {
    change.refuse(fmt::format("no item '{}' in the list '{}'", part, change.walked),
                  fmt::format("items are numbered from 0 to {}", list.items.size() - 1));
  }
  return nullptr;
}

enum class Missing { Create, Refuse };

std::vector<std::string> keys_of(const SpecNode& map) {
  std::vector<std::string> keys;
  for (const SpecNode::Entry& entry : map.entries) {
    if (entry.key != "source" && entry.key != "note") {
      keys.push_back(entry.key);
    }
  }
  return keys;
}

SpecNode* map_value(SpecNode& map, const std::string& part, Missing missing, const Change& change) {
  if (SpecNode* value = map.find(part)) {
    return value;
  }
  if (missing == Missing::Create) {
    SpecNode::Entry& entry = map.entries.emplace_back();
    entry.key = part;
    entry.key_mark = change.mark;
    entry.value.mark = change.mark;
    return &entry.value;
  }
  const std::vector<std::string> keys = keys_of(map);
  const std::string near = did_you_mean_word(part, keys);
  change.refuse(fmt::format("there is no '{}' to multiply",
                            change.walked.empty() ? part : change.walked + "." + part),
                near.empty() && !keys.empty()
                    ? fmt::format("{} has {}", change.walked.empty() ? "it" : change.walked,
                                  fmt::join(keys, ", "))
                    : near);
  return nullptr;
}

/// The node one step further down the path; null after an error.
SpecNode* descend(SpecNode& node, const std::string& part, Missing missing, const Change& change) {
  switch (node.kind) {
    case SpecNode::Kind::List:
      return list_item(node, part, change);
    case SpecNode::Kind::Null:
      if (missing == Missing::Create) {
        node.kind = SpecNode::Kind::Map;
        node.text.clear();
      }
      return map_value(node, part, missing, change);
    case SpecNode::Kind::Map:
      return map_value(node, part, missing, change);
    case SpecNode::Kind::Scalar:
      change.refuse(
          fmt::format("'{}' is a single value; there is no '{}' in it", change.walked, part));
      return nullptr;
  }
  return nullptr;
}

/// The node at the end of the path; null after an error.
SpecNode* walk(SpecNode& root, const std::vector<std::string>& parts, Missing missing,
               Change change) {
  SpecNode* node = &root;
  for (const std::string& part : parts) {
    node = descend(*node, part, missing, change);
    if (node == nullptr) {
      return nullptr;
    }
    change.walked += (change.walked.empty() ? "" : ".") + part;
  }
  return node;
}

}  // namespace

const SpecNode* SpecNode::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

SpecNode* SpecNode::find(std::string_view key) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

bool apply_override(SpecNode& root, const Override& override_, Diagnostics& diagnostics) {
  const Change change{override_mark(override_), &diagnostics, {}};
  const std::vector<std::string> parts = path_parts(override_.path);
  if (parts.empty()) {
    change.refuse(fmt::format("'{}' is not a path of keys", override_.path),
                  "a path is keys with dots between them: link.bandwidth");
    return false;
  }
  if (override_.value.empty()) {
    change.refuse(fmt::format("no value for '{}'", override_.path),
                  fmt::format("write '{}=VALUE'", override_.path));
    return false;
  }
  const std::optional<double> factor = factor_of(override_.value);
  if (const std::string meant = meant_factor(override_.value); !factor && !meant.empty()) {
    change.refuse(fmt::format("'{}' is not a factor", override_.value), "write " + meant);
    return false;
  }
  std::optional<SpecNode> value;
  if (!factor) {
    value = value_node(override_.value, change);
    if (!value) {
      return false;
    }
  }
  SpecNode* node = walk(root, parts, factor ? Missing::Refuse : Missing::Create, change);
  if (node == nullptr) {
    return false;
  }
  if (value) {
    *node = std::move(*value);
    return true;
  }
  std::set<std::string> units;
  collect_units(*node, units);
  if (units.contains("") && units.size() > 1) {
    change.refuse(fmt::format("'{}' holds numbers of several kinds; one factor fits none of them",
                              override_.path),
                  fmt::format("name one: {}", fmt::join(keys_of(*node), ", ")));
    return false;
  }
  if (multiply(*node, *factor, change.mark) == 0) {
    change.refuse(fmt::format("there is no number at '{}' to multiply", override_.path));
    return false;
  }
  return true;
}

}  // namespace fathom::hardware
