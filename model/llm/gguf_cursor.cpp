#include "model/llm/gguf_cursor.h"

#include <fmt/format.h>

#include <utility>

namespace fathom::model {

GgufCursor::GgufCursor(std::string_view bytes, std::uint64_t file_bytes)
    : bytes_(bytes), file_bytes_(file_bytes) {}

void GgufCursor::fail(std::string message) {
  broken_ = true;
  errors_.push_back(std::move(message));
}

void GgufCursor::complain(std::string message) { errors_.push_back(std::move(message)); }

bool GgufCursor::wants(std::uint64_t bytes, std::string_view what) {
  if (failed()) {
    return false;
  }
  if (bytes > left()) {
    fail(fmt::format("the file ends in {}: {} bytes are wanted at byte {}, {} are left", what,
                     bytes, at_, left()));
    return false;
  }
  starved_ = bytes > bytes_.size() - at_;
  return !starved_;
}

std::uint64_t GgufCursor::number(std::uint64_t width, std::string_view what) {
  if (!wants(width, what)) {
    return 0;
  }
  constexpr unsigned kBitsOfByte = 8;
  std::uint64_t value = 0;
  for (std::uint64_t i = width; i > 0; --i) {
    value = value << kBitsOfByte | static_cast<unsigned char>(bytes_[at_ + i - 1]);
  }
  at_ += width;
  return value;
}

std::string_view GgufCursor::text(std::string_view what) {
  const std::uint64_t length = number(sizeof(std::uint64_t), what);
  if (!wants(length, what)) {
    return {};
  }
  const std::string_view text = bytes_.substr(at_, length);
  at_ += length;
  return text;
}

void GgufCursor::skip(std::uint64_t count, std::uint64_t width, std::string_view what) {
  if (failed()) {
    return;
  }
  if (count > left() / width) {
    fail(
        fmt::format("the file ends in {}: {} items of {} bytes are wanted at byte {}, {} bytes "
                    "are left",
                    what, count, width, at_, left()));
  } else if (wants(count * width, what)) {
    at_ += count * width;
  }
}

}  // namespace fathom::model
