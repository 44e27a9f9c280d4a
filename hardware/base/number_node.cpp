#include "hardware/base/number_node.h"

#include "hardware/base/foreign_words.h"
#include "hardware/base/suggest.h"
#include "hardware/base/unit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fathom::hardware {
namespace {

/// Reports a scalar that is none, or that is in quotes.
bool is_plain_scalar(const SpecNode& node, const Wanted& wanted, Diagnostics& diagnostics) {
  if (node.kind != SpecNode::Kind::Scalar) {
    diagnostics.error(node.mark,
                      fmt::format("'{}' is {}; {}", wanted.key, kind_words(node), wanted.words),
                      example_line(wanted.key, wanted.example));
    return false;
  }
  if (node.quoted) {
    diagnostics.error(node.mark,
                      fmt::format("'{}' is in quotes, so it is text; {}", wanted.key, wanted.words),
                      fmt::format("write {} without quotes", node.text));
    return false;
  }
  return true;
}

bool no_unknown_keys(const SpecNode& map, const Wanted& wanted, Diagnostics& diagnostics) {
  const std::vector<std::string> known{"value", "low", "high", "source", "note"};
  bool all_known = true;
  for (const SpecNode::Entry& entry : map.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      diagnostics.error(entry.key_mark,
                        fmt::format("unknown key '{}' in '{}'", entry.key, wanted.key),
                        did_you_mean(entry.key, known));
      all_known = false;
    }
  }
  return all_known;
}

std::optional<NumberNodes> nodes_of_map(const SpecNode& map, const Wanted& wanted,
                                        Diagnostics& diagnostics) {
  const SpecNode* value = map.find("value");
  const SpecNode* low = map.find("low");
  const SpecNode* high = map.find("high");
  const auto refuse = [&](std::string message, std::string help) {
    diagnostics.error(map.mark, std::move(message), std::move(help));
    return std::nullopt;
  };
  const auto missing = [&](std::string_view key) {
    return refuse(fmt::format("missing key '{}' in '{}'", key, wanted.key),
                  example_line(key, wanted.example));
  };
  if (!no_unknown_keys(map, wanted, diagnostics)) {
    return std::nullopt;
  }
  if (value != nullptr && (low != nullptr || high != nullptr)) {
    return refuse(fmt::format("'{}' has a value and an interval", wanted.key),
                  "give either 'value' or 'low' and 'high'");
  }
  if (value != nullptr) {
    return NumberNodes{value, value};
  }
  if (low == nullptr && high == nullptr) {
    return missing("value");
  }
  if (low == nullptr || high == nullptr) {
    return missing(low == nullptr ? "low" : "high");
  }
  return NumberNodes{low, high};
}

std::optional<double> number_of(const SpecNode& scalar, Dim dim, Diagnostics& diagnostics) {
  ParsedNumber parsed = parse_quantity(scalar.text, dim);
  if (!parsed.base) {
    diagnostics.error(scalar.mark, std::move(parsed.error.message), std::move(parsed.error.help));
  }
  return parsed.base;
}

std::optional<Count> count_of(const SpecNode& scalar, Diagnostics& diagnostics) {
  const std::optional<Count> count = parse_count(scalar.text);
  if (!count) {
    diagnostics.error(scalar.mark, fmt::format("'{}' is not a whole number", scalar.text),
                      plain_number_help(scalar.text));
  }
  return count;
}

template <class Ends, class Read>
std::optional<Ends> read_ends(const NumberNodes& nodes, Diagnostics& diagnostics, Read read) {
  const auto low = read(*nodes.low);
  const auto high = nodes.interval() ? read(*nodes.high) : low;
  if (!low || !high) {
    return std::nullopt;
  }
  if (*low > *high) {
    diagnostics.error(nodes.low->mark, "'low' is above 'high'");
    return std::nullopt;
  }
  return Ends{*low, *high, nodes.interval()};
}

}  // namespace

std::string_view kind_words(const SpecNode& node) {
  switch (node.kind) {
    case SpecNode::Kind::Null:
      return node.text.empty() ? "empty" : "null";
    case SpecNode::Kind::Scalar:
      return node.quoted ? "text" : "a single value";
    case SpecNode::Kind::List:
      return "a list";
    case SpecNode::Kind::Map:
      return "a map";
  }
  return {};
}

std::string example_line(std::string_view key, std::string_view example) {
  return example.empty() ? std::string() : fmt::format("for example '{}: {}'", key, example);
}

std::optional<NumberNodes> number_nodes(const SpecNode& node, const Wanted& wanted,
                                        Diagnostics& diagnostics) {
  std::optional<NumberNodes> nodes = NumberNodes{&node, &node};
  if (node.kind == SpecNode::Kind::Map) {
    nodes = nodes_of_map(node, wanted, diagnostics);
  }
  if (!nodes) {
    return std::nullopt;
  }
  const bool low = is_plain_scalar(*nodes->low, wanted, diagnostics);
  const bool high = !nodes->interval() || is_plain_scalar(*nodes->high, wanted, diagnostics);
  return low && high ? nodes : std::nullopt;
}

std::optional<NumberEnds> read_number(const SpecNode& node, const std::string& key, Dim dim,
                                      Diagnostics& diagnostics) {
  const bool plain = dim == Dim{};
  const Wanted wanted{key, plain ? "a number is wanted" : dimension_name(dim) + " are wanted",
                      dimension_example(dim)};
  const auto nodes = number_nodes(node, wanted, diagnostics);
  if (!nodes) {
    return std::nullopt;
  }
  return read_ends<NumberEnds>(*nodes, diagnostics, [&](const SpecNode& scalar) {
    return number_of(scalar, dim, diagnostics);
  });
}

std::optional<CountEnds> read_count(const SpecNode& node, const std::string& key,
                                    Diagnostics& diagnostics) {
  const auto nodes = number_nodes(node, {key, "a whole number is wanted", "8"}, diagnostics);
  if (!nodes) {
    return std::nullopt;
  }
  return read_ends<CountEnds>(
      *nodes, diagnostics, [&](const SpecNode& scalar) { return count_of(scalar, diagnostics); });
}

}  // namespace fathom::hardware
