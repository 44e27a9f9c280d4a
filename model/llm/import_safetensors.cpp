#include "model/llm/import_safetensors.h"

#include "hardware/base/file_text.h"
#include "model/llm/safetensors_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace fathom::model {
namespace {

using hardware::Diagnostics;

constexpr std::size_t kPrefix = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // as in the format's own reader

struct Fault {
  std::string message;
  std::string help;
};

struct TypeRow {
  std::string_view name;
  int bits = 0;
};

constexpr std::array<TypeRow, kSafetensorsTypeCount> kTypes{{
    {"BOOL", 8},    {"U8", 8},   {"I8", 8},   {"F8_E4M3", 8}, {"F8_E5M2", 8},
    {"F8_E8M0", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16},    {"BF16", 16},
    {"I32", 32},    {"U32", 32}, {"F32", 32}, {"F64", 64},    {"I64", 64},
    {"U64", 64},    {"C64", 64}, {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6},
}};

/// The length that a file begins with, little-endian.
std::uint64_t prefix_value(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = kPrefix; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

/// The length of the header where it can be one.
std::optional<std::uint64_t> header_length(const hardware::FileStart& start,
                                           const std::string& path, Diagnostics& diagnostics) {
  const auto refuse = [&](std::string message, std::string help) {
    diagnostics.error({hardware::make_source(path, {}), 0, 0}, std::move(message), std::move(help));
    return std::nullopt;
  };
  if (start.bytes.size() < kPrefix) {
    return refuse(fmt::format("{} bytes are too short for a safetensors file", start.bytes.size()),
                  "was the file copied whole?");
  }
  const std::uint64_t length = prefix_value(start.bytes);
  if (length > kLongestHeader) {
    return refuse(
        fmt::format("not a safetensors file: it would begin with a header of {} bytes, "
                    "and the format allows {}",
                    length, kLongestHeader),
        start.bytes.starts_with("version ") ? "this is a Git LFS pointer; fetch the file" : "");
  }
  if (length > start.size - kPrefix) {
    return refuse(
        fmt::format("the header of {} bytes is longer than the file of {}", length, start.size),
        "was the file copied whole?");
  }
  return length;
}

/// What is wrong with where the tensors lie, sorted by place, in `size` bytes of data; or empty.
Fault layout_fault(const std::vector<SafetensorsTensor>& tensors, Count size) {
  Count end = 0;
  const SafetensorsTensor* before = nullptr;
  for (const SafetensorsTensor& tensor : tensors) {
    if (tensor.begin < end) {
      return {fmt::format("the tensors '{}' and '{}' overlap", before->name, tensor.name), {}};
    }
    if (tensor.begin > end) {
      return {fmt::format("{} bytes before the tensor '{}' belong to none", tensor.begin - end,
                          tensor.name),
              {}};
    }
    end = tensor.end;
    before = &tensor;
  }
  if (end > size) {
    return {fmt::format("the tensors take {} bytes, but the file holds {} of them", end, size),
            "was the file copied whole?"};
  }
  if (end < size) {
    return {fmt::format("{} bytes behind the last tensor belong to none", size - end), {}};
  }
  return {};
}

}  // namespace

std::string_view safetensors_type_name(SafetensorsType type) {
  return kTypes.at(static_cast<std::size_t>(type)).name;
}

int safetensors_bits(SafetensorsType type) {
  return kTypes.at(static_cast<std::size_t>(type)).bits;
}

std::optional<SafetensorsHeader> parse_safetensors_start(const hardware::FileStart& start,
                                                         const std::string& path,
                                                         Diagnostics& diagnostics) {
  const auto length = header_length(start, path, diagnostics);
  if (!length) {
    return std::nullopt;
  }
  const std::string_view json = std::string_view(start.bytes).substr(kPrefix, *length);
  auto header = parse_safetensors_header(json, path, diagnostics);
  if (!header) {
    return std::nullopt;
  }
  std::sort(header->tensors.begin(), header->tensors.end(),
            [](const SafetensorsTensor& a, const SafetensorsTensor& b) {
              return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
            });
  const auto data = static_cast<Count>(start.size - kPrefix - *length);
  Fault fault = layout_fault(header->tensors, data);
  if (!fault.message.empty()) {
    diagnostics.error({hardware::make_source(path, {}), 0, 0}, std::move(fault.message),
                      std::move(fault.help));
    return std::nullopt;
  }
  return header;
}

std::optional<SafetensorsHeader> read_safetensors_header(const std::string& path,
                                                         Diagnostics& diagnostics) {
  const auto prefix = hardware::read_file_start(path, kPrefix, diagnostics);
  const auto length = prefix ? header_length(*prefix, path, diagnostics) : std::nullopt;
  if (!length) {
    return std::nullopt;
  }
  const auto start = hardware::read_file_start(path, kPrefix + *length, diagnostics);
  return start ? parse_safetensors_start(*start, path, diagnostics) : std::nullopt;
}

}  // namespace fathom::model
