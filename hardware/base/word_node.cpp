#include "hardware/base/word_node.h"

#include "hardware/base/foreign_words.h"
#include "hardware/base/number_node.h"
#include "hardware/base/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace fathom::hardware {
namespace {

bool is_scalar(const SpecNode& node, const std::string& key, std::string_view wanted,
               Diagnostics& diagnostics) {
  if (node.kind == SpecNode::Kind::Scalar) {
    return true;
  }
  diagnostics.error(node.mark,
                    fmt::format("'{}' is {}; {} is wanted", key, kind_words(node), wanted));
  return false;
}

std::string near_or_list(const std::string& word, const std::vector<std::string>& choices) {
  const std::string near = did_you_mean_word(word, choices);
  return near.empty() ? fmt::format("one of {}", fmt::join(choices, ", ")) : near;
}

/// What the words of YAML 1.1, in any case, stand for.
std::optional<bool> old_truth(const std::string& text) {
  constexpr std::array<std::string_view, 5> kTrue{"yes", "on", "y", "true", "1"};
  constexpr std::array<std::string_view, 5> kFalse{"no", "off", "n", "false", "0"};
  const auto is_word = [&](std::string_view word) { return edit_distance(text, word) == 0; };
  if (std::any_of(kTrue.begin(), kTrue.end(), is_word)) {
    return true;
  }
  if (std::any_of(kFalse.begin(), kFalse.end(), is_word)) {
    return false;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_text(const SpecNode& node, const std::string& key,
                                     Diagnostics& diagnostics) {
  if (!is_scalar(node, key, "text", diagnostics)) {
    return std::nullopt;
  }
  return node.text;
}

std::optional<bool> read_truth(const SpecNode& node, const std::string& key,
                               Diagnostics& diagnostics) {
  if (!is_scalar(node, key, "true or false", diagnostics)) {
    return std::nullopt;
  }
  if (!node.quoted && (node.text == "true" || node.text == "false")) {
    return node.text == "true";
  }
  const std::optional<bool> meant = old_truth(node.text);
  diagnostics.error(node.mark,
                    fmt::format("'{}' is '{}'{}; true or false is wanted", key, node.text,
                                node.quoted ? " in quotes" : ""),
                    meant ? fmt::format("write {}", *meant) : std::string());
  return std::nullopt;
}

std::optional<std::size_t> read_choice(const SpecNode& node, const std::string& key,
                                       const std::vector<std::string>& choices,
                                       Diagnostics& diagnostics) {
  if (!is_scalar(node, key, "a word", diagnostics)) {
    return std::nullopt;
  }
  const auto found = std::find(choices.begin(), choices.end(), node.text);
  if (found == choices.end()) {
    diagnostics.error(node.mark, fmt::format("'{}' is no value of '{}'", node.text, key),
                      near_or_list(node.text, choices));
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::optional<Format> read_format(const SpecNode& node, const std::string& key,
                                  Diagnostics& diagnostics) {
  if (!is_scalar(node, key, "a number format", diagnostics)) {
    return std::nullopt;
  }
  const std::optional<Format> format = format_from_name(node.text);
  if (!format && is_gguf_mixture(node.text)) {
    diagnostics.error(
        node.mark, fmt::format("'{}' is a mixture of GGUF types, not a number format", node.text),
        "name the type of each group (q4_k, q6_k); which tensor has which is in the GGUF file");
    return std::nullopt;
  }
  if (!format) {
    std::vector<std::string> names;
    names.reserve(kFormatCount);
    for (int i = 0; i < kFormatCount; ++i) {
      names.emplace_back(format_name(static_cast<Format>(i)));
    }
    diagnostics.error(node.mark, fmt::format("unknown number format '{}'", node.text),
                      near_or_list(node.text, names));
  }
  return format;
}

}  // namespace fathom::hardware
