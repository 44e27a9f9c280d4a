#include "model/llm/hf_architecture.h"

#include "hardware/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {

using hardware::Diagnostics;
using hardware::SpecNode;

std::string scalar(const SpecNode& map, std::string_view key) {
  const SpecNode* node = map.kind == SpecNode::Kind::Map ? map.find(key) : nullptr;
  return node != nullptr && node->kind == SpecNode::Kind::Scalar ? node->text : std::string();
}

const SpecNode* child_map(const SpecNode& map, std::string_view key) {
  const SpecNode* node = map.kind == SpecNode::Kind::Map ? map.find(key) : nullptr;
  return node != nullptr && node->kind == SpecNode::Kind::Map ? node : nullptr;
}

namespace {

bool names_type(std::string_view types, std::string_view type) {
  for (std::size_t at = 0; at < types.size();) {
    const std::size_t end = std::min(types.find(' ', at), types.size());
    if (types.substr(at, end - at) == type) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

/// What the file calls its architecture, for messages.
std::string architecture_of(const SpecNode& root, const SpecNode& text) {
  const SpecNode* list = root.kind == SpecNode::Kind::Map ? root.find("architectures") : nullptr;
  const std::string type = scalar(text, "model_type");
  const bool named = list != nullptr && !list->items.empty();
  const std::string name = named ? list->items.front().text : scalar(root, "model_type");
  return type.empty() || type == name ? name : fmt::format("{} (model_type {})", name, type);
}

/// The names that have a builder.
std::vector<std::string> built_types() {
  std::vector<std::string> out;
  for (const HfFamily& family : hf_families()) {
    std::string_view rest = family.build == nullptr ? std::string_view() : family.types;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(' '), rest.size());
      out.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return out;
}

/// What an architecture of that name, or of the nearest known one, needs.
std::string_view fields_of(const std::string& type) {
  if (const HfFamily* refused = family_of(type)) {
    return refused->fields;
  }
  const HfFamily* near = family_of(hardware::nearest(type, built_types()));
  return near != nullptr ? near->fields : hf_families().front().fields;
}

}  // namespace

const SpecNode& decoder_of(const SpecNode& root) {
  const SpecNode* at = &root;
  for (const char* key : {"thinker_config", "text_config", "llm_config", "language_config"}) {
    if (const SpecNode* inner = child_map(*at, key)) {
      at = inner;
    }
  }
  return *at;
}

const HfFamily* family_of(const std::string& type) {
  for (const HfFamily& family : hf_families()) {
    if (names_type(family.types, type)) {
      return &family;
    }
  }
  return nullptr;
}

bool is_native_mistral(const SpecNode& root) {
  return root.kind == SpecNode::Kind::Map && root.find("dim") != nullptr &&
         root.find("n_layers") != nullptr && root.find("hidden_dim") != nullptr;
}

std::string type_of(const SpecNode& root, const SpecNode& text) {
  if (is_native_mistral(root)) {
    return "mistral_native";
  }
  const std::string inner = scalar(text, "model_type");
  std::string type = inner.empty() ? scalar(root, "model_type") : inner;
  if (family_of(type) != nullptr) {
    return type;
  }
  for (const SpecNode* map : {&text, &root}) {
    const SpecNode* list = map->kind == SpecNode::Kind::Map ? map->find("architectures") : nullptr;
    const bool named = list != nullptr && !list->items.empty();
    const auto known = type_of_class(named ? list->items.front().text : std::string());
    if (!known.empty()) {
      return std::string(known);
    }
  }
  return type;
}

void refuse_architecture(const SpecNode& root, const SpecNode& text, const std::string& type,
                         Diagnostics& diagnostics) {
  constexpr std::size_t kNearest = 3;
  diagnostics.error(
      text.mark, fmt::format("unknown architecture '{}'", architecture_of(root, text)),
      fmt::format("nearest known: {}; it would need {}; docs/adding-a-model.md shows how to add "
                  "one, or describe the model in YAML",
                  fmt::join(hardware::nearest_names(type, built_types(), kNearest), ", "),
                  fields_of(type)));
}

}  // namespace fathom::model
