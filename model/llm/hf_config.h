#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "model/llm/roles.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::model {

/// Names under which makers write the same field, the usual one first.
using FieldNames = std::initializer_list<std::string_view>;

/// Reads the fields of a Hugging Face config.json. A field is looked up in the part that describes
/// the text decoder, then at the top. A missing one that the architecture needs is an error that
/// names it, and never a default; null counts as missing.
class HfConfig {
 public:
  HfConfig(const hardware::SpecNode& root, const hardware::SpecNode& text,
           hardware::Diagnostics& diagnostics);

  /// The value of the first name that is there and not null; null where none is.
  [[nodiscard]] const hardware::SpecNode* find(FieldNames names) const;
  [[nodiscard]] bool has(FieldNames names) const { return find(names) != nullptr; }

  /// A whole number of at least 1; 1 and an error where it is missing or wrong.
  Count need(FieldNames names);
  /// A whole number of at least 0, or `absent`.
  Count may(FieldNames names, Count absent);
  std::optional<Count> maybe(FieldNames names);
  /// true or false; `absent` where it is missing.
  bool flag(FieldNames names, bool absent);
  bool need_flag(FieldNames names);
  /// The text, or an empty one.
  [[nodiscard]] std::string text(FieldNames names) const;
  /// Numbers of a list, or nothing where there is none; a text "3,4,5" counts as a list.
  std::optional<std::vector<Count>> numbers(FieldNames names);
  std::optional<std::vector<std::string>> words(FieldNames names);
  /// A list with one entry for each of `layers`; an error where the length differs.
  std::vector<Count> need_numbers(FieldNames names, Count layers);
  std::vector<std::string> need_words(FieldNames names, Count layers);
  /// The same where only some words have a meaning; another is an error that names it.
  std::vector<std::string> need_choices(FieldNames names, Count layers, FieldNames words);
  /// The same of 0 and 1.
  std::vector<Count> need_marks(FieldNames names, Count layers);

  /// An error where `num_hidden_layers` is there and is not the length of the list that replaces
  /// it.
  void check_layer_count(Count listed);

  /// An error where the file says true: the tensors that the flag adds are not counted here.
  void refuse_flag(std::string_view name, std::string_view adds);

  /// A view of the map under a field, or of an empty map and an error.
  HfConfig inside(FieldNames names);

  void missing(FieldNames names);
  void wrong(const hardware::SpecNode& at, const std::string& what, const std::string& help = {});
  [[nodiscard]] hardware::Diagnostics& diagnostics() { return *diagnostics_; }
  [[nodiscard]] const hardware::SpecNode& root() const { return *root_; }
  [[nodiscard]] const hardware::SpecNode& decoder() const { return *text_; }

  /// The architecture as the table of families spells it: `model_type`, else by class name.
  [[nodiscard]] const std::string& type() const { return type_; }
  void set_type(std::string type) { type_ = std::move(type); }

 private:
  std::optional<Count> whole(const hardware::SpecNode& node, std::string_view name, Count low);

  const hardware::SpecNode* root_;
  const hardware::SpecNode* text_;
  hardware::Diagnostics* diagnostics_;
  std::string type_;
};

}  // namespace fathom::model
