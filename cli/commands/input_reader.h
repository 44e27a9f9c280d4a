#pragma once

#include "cli/commands/inputs.h"
#include "hardware/base/numeric_format.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

/// How messages name an input: `--max-model-len` or the column `max_model_len`.
enum class NamedBy : std::uint8_t { Column, Flag };

/// Reads typed inputs; the first error is kept.
class InputReader {
 public:
  explicit InputReader(const Inputs& inputs, NamedBy names = NamedBy::Column)
      : inputs_(&inputs), names_(names) {}

  /// The input's name for messages.
  [[nodiscard]] std::string name(std::string_view column) const;

  /// A number within [low, high]; `blank` when not given.
  double number(const char* column, double low, double high, double blank);
  /// A whole number within [low, high].
  double whole(const char* column, double low, double high, double blank);
  /// Index of the text among the choices; `blank` when not given.
  std::size_t choice(const char* column, const std::vector<std::string>& choices,
                     std::size_t blank);
  std::optional<hardware::Format> format(const char* column);

  void fail(std::string error);
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  const Inputs* inputs_;
  NamedBy names_;
  std::string error_;
};

}  // namespace fathom::cli
