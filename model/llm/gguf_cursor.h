#pragma once

#include "model/llm/model_spec.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::model {

/// Reads little-endian numbers and texts of a GGUF header from the first bytes of a file. After a
/// failure every read gives 0 or an empty text, so that callers need not ask after each one.
/// Two things may fail: the file ends (an error), or only the bytes at hand do (`starved`: read
/// more of the file and begin again).
class GgufCursor {
 public:
  GgufCursor(std::string_view bytes, std::uint64_t file_bytes);

  [[nodiscard]] bool failed() const { return starved_ || broken_; }
  [[nodiscard]] bool starved() const { return starved_; }
  [[nodiscard]] std::uint64_t at() const { return at_; }
  /// Bytes from here to the end of the file.
  [[nodiscard]] std::uint64_t left() const { return file_bytes_ - at_; }
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

  /// An unsigned number of 1 to 8 bytes; `what` is its name in messages ("the tensor count").
  std::uint64_t number(std::uint64_t width, std::string_view what);
  /// A length of 8 bytes and so many bytes of text; valid as long as the bytes at hand.
  std::string_view text(std::string_view what);
  /// Steps over `count` items of `width` bytes.
  void skip(std::uint64_t count, std::uint64_t width, std::string_view what);

  /// An error that ends the reading.
  void fail(std::string message);
  /// An error past which reading continues.
  void complain(std::string message);

 private:
  bool wants(std::uint64_t bytes, std::string_view what);

  std::string_view bytes_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t at_ = 0;
  bool starved_ = false;
  bool broken_ = false;
  std::vector<std::string> errors_;
};

}  // namespace fathom::model
