#include "model/llm/gguf_value.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>

namespace fathom::model {
namespace {

constexpr std::uint64_t kMaxKept = 4096;
constexpr int kMaxDepth = 8;  ///< nobody nests arrays deeper; a hostile file might, for the stack
constexpr std::uint64_t kTypes = static_cast<std::uint64_t>(GgufValueType::Float64) + 1;

/// Bytes of a value; of a text and of an array the least that they can take.
std::uint64_t width_of(GgufValueType type) {
  constexpr std::array<std::uint8_t, kTypes> kWidths{1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
  return kWidths[static_cast<std::size_t>(type)];
}

GgufValueType parse_type(GgufCursor& cursor, const std::string& what) {
  const std::uint64_t at = cursor.at();
  const std::uint64_t type = cursor.number(sizeof(std::uint32_t), what);
  if (type >= kTypes) {
    cursor.fail(fmt::format("{} has value type {} at byte {}; the types are 0 to {}", what, type,
                            at, kTypes - 1));
    return GgufValueType::Uint8;
  }
  return static_cast<GgufValueType>(type);
}

/// The sign bit of a number of `width` bytes, spread over 64 bits.
std::int64_t signed_number(std::uint64_t bits, std::uint64_t width) {
  constexpr unsigned kBitsOfByte = 8;
  const auto unused =
      static_cast<unsigned>(std::numeric_limits<std::uint64_t>::digits - width * kBitsOfByte);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

GgufValue parse_scalar(GgufCursor& cursor, GgufValueType type, const std::string& what) {
  const std::uint64_t width = width_of(type);
  const std::uint64_t at = cursor.at();
  const std::uint64_t bits = cursor.number(width, what);
  switch (type) {
    case GgufValueType::Int8:
    case GgufValueType::Int16:
    case GgufValueType::Int32:
    case GgufValueType::Int64:
      return signed_number(bits, width);
    case GgufValueType::Float32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case GgufValueType::Float64:
      return std::bit_cast<double>(bits);
    case GgufValueType::Bool:
      if (bits > 1) {
        cursor.fail(fmt::format("{} is {} at byte {}; a truth is 0 or 1", what, bits, at));
      }
      return bits == 1;
    case GgufValueType::Uint8:
    case GgufValueType::Uint16:
    case GgufValueType::Uint32:
    case GgufValueType::Uint64:
    case GgufValueType::Text:
    case GgufValueType::Array:
      break;
  }
  return bits;
}

double as_number(const GgufValue& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  if (const auto* truth = std::get_if<bool>(&value)) {
    return *truth ? 1 : 0;
  }
  return std::get<double>(value);
}

GgufArray parse_array(GgufCursor& cursor, const std::string& what, int depth);

void parse_entries(GgufCursor& cursor, GgufArray& array, const std::string& what, int depth) {
  const auto count = static_cast<std::uint64_t>(array.count);
  if (array.element == GgufValueType::Text || array.element == GgufValueType::Array) {
    for (std::uint64_t i = 0; i < count && !cursor.failed(); ++i) {
      if (array.element == GgufValueType::Text) {
        cursor.text(what);
      } else {
        parse_array(cursor, what, depth + 1);
      }
    }
    return;
  }
  if (count > kMaxKept) {
    cursor.skip(count, width_of(array.element), what);
    return;
  }
  for (std::uint64_t i = 0; i < count && !cursor.failed(); ++i) {
    array.numbers.push_back(as_number(parse_scalar(cursor, array.element, what)));
  }
}

GgufArray parse_array(GgufCursor& cursor, const std::string& what, int depth) {
  GgufArray array;
  array.element = parse_type(cursor, what);
  const std::uint64_t at = cursor.at();
  const std::uint64_t count = cursor.number(sizeof(std::uint64_t), what);
  if (cursor.failed()) {
    return array;
  }
  if (count > cursor.left() / width_of(array.element)) {
    cursor.fail(fmt::format("{} is said to have {} entries at byte {}, the file has {} more bytes",
                            what, count, at, cursor.left()));
    return array;
  }
  if (depth >= kMaxDepth) {
    cursor.fail(fmt::format("{} nests arrays deeper than {} at byte {}", what, kMaxDepth, at));
    return array;
  }
  array.count = static_cast<Count>(count);
  parse_entries(cursor, array, what, depth);
  return array;
}

}  // namespace

GgufValue parse_gguf_value(GgufCursor& cursor, std::string_view key) {
  const std::string what = fmt::format("the value of '{}'", key);
  const GgufValueType type = parse_type(cursor, what);
  if (type == GgufValueType::Text) {
    return std::string(cursor.text(what));
  }
  if (type == GgufValueType::Array) {
    return parse_array(cursor, what, 1);
  }
  return parse_scalar(cursor, type, what);
}

}  // namespace fathom::model
