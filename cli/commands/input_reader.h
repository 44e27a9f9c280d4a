#pragma once

#include "cli/commands/inputs.h"
#include "hardware/base/numeric_format.h"

#include <optional>
#include <string>
#include <vector>

namespace fathom::cli {

/// Reads typed inputs; the first error is kept.
class InputReader {
 public:
  explicit InputReader(const Inputs& inputs) : inputs_(&inputs) {}

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
  std::string error_;
};

}  // namespace fathom::cli
