#pragma once

#include "model/llm/import_gguf.h"

#include <set>
#include <string>
#include <string_view>

namespace fathom::model {

/// Reads the metadata of a model, `architecture.key`. A missing key that the model needs is an
/// error that names it, once; so is a number beyond 1e9, so that no product of two overflows.
class GgufFields {
 public:
  GgufFields(const GgufFile& file, hardware::Diagnostics& diagnostics);

  [[nodiscard]] bool has(std::string_view key) const;
  /// A number of at least 1; 1 and an error where it is missing or wrong.
  Count need(std::string_view key) { return need_at(key, 0); }
  Count may(std::string_view key, Count absent) { return may_at(key, 0, absent); }
  /// The same of a key that may be a list with an entry for each layer.
  Count need_at(std::string_view key, Count layer);
  Count may_at(std::string_view key, Count layer, Count absent);
  /// How many entries a list has; 0 where the key is none.
  [[nodiscard]] Count list_length(std::string_view key) const;

  void error(const std::string& message, const std::string& help = {});
  [[nodiscard]] bool failed() const { return !reported_.empty(); }

 private:
  [[nodiscard]] std::string full(std::string_view key) const;

  const GgufFile* file_;
  hardware::Diagnostics* diagnostics_;
  std::string architecture_;
  std::set<std::string> reported_;
};

}  // namespace fathom::model
