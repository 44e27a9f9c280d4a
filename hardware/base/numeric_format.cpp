#include "hardware/base/numeric_format.h"

#include <cmath>
#include <cstddef>

namespace fathom::hardware {
namespace {

struct Row {
  Format format = Format::Bf16;
  std::string_view name;
  NumericFormat storage;
};

/// FP8 and NVFP4 tensors carry FP32 scalars (`weight_scale`, `input_scale`, `weight_scale_2`);
/// packed INT4 tensors carry their shape; INT4 groups of 128 carry a zero point of 4 bits.
constexpr std::array<Row, kFormatCount> kFormats{{
    {Format::Fp32, "fp32", {.payload_bits = 32, .arithmetic = Arithmetic::Fp32}},
    {Format::Bf16, "bf16", {.payload_bits = 16, .arithmetic = Arithmetic::Bf16}},
    {Format::Fp16, "fp16", {.payload_bits = 16, .arithmetic = Arithmetic::Bf16}},
    {Format::Fp8, "fp8", {.payload_bits = 8, .tensor_bytes = 4, .arithmetic = Arithmetic::Fp8}},
    {Format::Fp8Channel,
     "fp8-channel",
     {.payload_bits = 8, .scale_bits = 32, .block_columns = 0, .arithmetic = Arithmetic::Fp8}},
    {Format::Fp8Block,
     "fp8-block",
     {.payload_bits = 8,
      .scale_bits = 32,
      .block_rows = 128,
      .block_columns = 128,
      .arithmetic = Arithmetic::Fp8}},
    {Format::Int8,
     "int8",
     {.payload_bits = 8, .scale_bits = 32, .block_columns = 0, .arithmetic = Arithmetic::Int8}},
    {Format::Mxfp8,
     "mxfp8",
     {.payload_bits = 8, .scale_bits = 8, .block_columns = 32, .arithmetic = Arithmetic::Fp8}},
    {Format::Nvfp4,
     "nvfp4",
     {.payload_bits = 4,
      .scale_bits = 8,
      .block_columns = 16,
      .tensor_bytes = 8,
      .arithmetic = Arithmetic::Fp4}},
    {Format::Mxfp4,
     "mxfp4",
     {.payload_bits = 4, .scale_bits = 8, .block_columns = 32, .arithmetic = Arithmetic::Fp4}},
    {Format::Int4G32,
     "int4-g32",
     {.payload_bits = 4,
      .scale_bits = 16,
      .block_columns = 32,
      .tensor_bytes = 8,
      .arithmetic = Arithmetic::Bf16,
      .weight_only = true}},
    {Format::Int4G128,
     "int4-g128",
     {.payload_bits = 4,
      .scale_bits = 20,
      .block_columns = 128,
      .arithmetic = Arithmetic::Bf16,
      .weight_only = true}},
}};

constexpr std::array<std::string_view, kArithmeticCount> kArithmetics{"fp32", "bf16", "fp8", "int8",
                                                                      "fp4"};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    if (static_cast<std::size_t>(kFormats[i].format) != i) {
      return false;
    }
  }
  return true;
}
static_assert(in_enum_order());
static_assert(static_cast<int>(Format::Int4G128) + 1 == kFormatCount);
static_assert(static_cast<int>(Arithmetic::Fp4) + 1 == kArithmeticCount);

const Row& row_of(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

/// Started blocks along one extent; a block of 0 is the whole extent.
double blocks(Count extent, Count block) {
  if (block == 0) {
    return 1;
  }
  const Count started = extent / block + (extent % block != 0 ? 1 : 0);
  return static_cast<double>(started);
}

/// Whole bytes that hold so many bits; exact up to 2^53 bits.
double bytes_of_bits(double bits) { return std::ceil(bits / 8); }

}  // namespace

double NumericFormat::bits_per_element() const {
  if (block_rows == 0 || block_columns == 0) {
    return payload_bits;
  }
  return payload_bits + static_cast<double>(scale_bits) /
                            (static_cast<double>(block_rows) * static_cast<double>(block_columns));
}

const NumericFormat& numeric_format(Format format) { return row_of(format).storage; }

std::string_view format_name(Format format) { return row_of(format).name; }

std::string_view arithmetic_name(Arithmetic arithmetic) {
  return kArithmetics[static_cast<std::size_t>(arithmetic)];
}

std::optional<Format> format_from_name(std::string_view name) {
  if (name == "int4") {
    return Format::Int4G128;
  }
  if (name == "fp8-tensor") {
    return Format::Fp8;
  }
  for (const Row& row : kFormats) {
    if (row.name == name) {
      return row.format;
    }
  }
  return std::nullopt;
}

std::optional<Arithmetic> arithmetic_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kArithmetics.size(); ++i) {
    if (kArithmetics[i] == name) {
      return static_cast<Arithmetic>(i);
    }
  }
  return std::nullopt;
}

Bytes stored_bytes(Format format, Count rows, Count columns, Count count) {
  if (rows <= 0 || columns <= 0 || count <= 0) {
    return Bytes{};
  }
  const NumericFormat& storage = numeric_format(format);
  const double elements = static_cast<double>(rows) * static_cast<double>(columns);
  const double scales = blocks(rows, storage.block_rows) * blocks(columns, storage.block_columns);
  const double one = bytes_of_bits(elements * storage.payload_bits) +
                     bytes_of_bits(scales * storage.scale_bits) + storage.tensor_bytes;
  return Bytes(one * static_cast<double>(count));
}

}  // namespace fathom::hardware
