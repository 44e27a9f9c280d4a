#include "hardware/base/numeric_format.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fathom::hardware {
namespace {

struct Row {
  Format format = Format::Bf16;
  std::string_view name;
  NumericFormat storage;
};

/// A block of `elements` along a row in `block_bytes`. Source: the block structures of ggml
/// (ggml-common.h), each of which its own assertion holds to this size.
constexpr NumericFormat gguf_block(int payload_bits, int elements, int block_bytes) {
  return {.payload_bits = payload_bits,
          .scale_bits = block_bytes * 8 - payload_bits * elements,
          .block_columns = elements,
          .arithmetic = Arithmetic::Bf16,
          .weight_only = true};
}

/// FP8 and NVFP4 tensors carry FP32 scalars (`weight_scale`, `input_scale`, `weight_scale_2`);
/// packed INT4 tensors carry their shape; INT4 groups of 128 carry a zero point of 4 bits.
constexpr std::array<Row, kFormatCount> kFormats{{
    {Format::Fp32, "fp32", {.payload_bits = 32, .arithmetic = Arithmetic::Fp32}},
    {Format::Bf16, "bf16", {.payload_bits = 16, .arithmetic = Arithmetic::Bf16}},
    {Format::Fp16, "fp16", {.payload_bits = 16, .arithmetic = Arithmetic::Bf16}},
    {Format::Fp8, "fp8", {.payload_bits = 8, .tensor_bytes = 8, .arithmetic = Arithmetic::Fp8}},
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
    {Format::Fp8BlockE8m0,
     "fp8-block-e8m0",
     {.payload_bits = 8,
      .scale_bits = 8,
      .block_rows = 128,
      .block_columns = 128,
      .arithmetic = Arithmetic::Fp8}},
    {Format::Nvfp4Weight,
     "nvfp4-w4a16",
     {.payload_bits = 4,
      .scale_bits = 8,
      .block_columns = 16,
      .tensor_bytes = 8,
      .arithmetic = Arithmetic::Bf16,
      .weight_only = true}},
    {Format::Q4_0, "q4_0", gguf_block(4, 32, 18)},
    {Format::Q4_1, "q4_1", gguf_block(4, 32, 20)},
    {Format::Q5_0, "q5_0", gguf_block(5, 32, 22)},
    {Format::Q5_1, "q5_1", gguf_block(5, 32, 24)},
    {Format::Q8_0, "q8_0", gguf_block(8, 32, 34)},
    {Format::Q2K, "q2_k", gguf_block(2, 256, 84)},
    {Format::Q3K, "q3_k", gguf_block(3, 256, 110)},
    {Format::Q4K, "q4_k", gguf_block(4, 256, 144)},
    {Format::Q5K, "q5_k", gguf_block(5, 256, 176)},
    {Format::Q6K, "q6_k", gguf_block(6, 256, 210)},
    {Format::Iq1S, "iq1_s", gguf_block(1, 256, 50)},
    {Format::Iq1M, "iq1_m", gguf_block(1, 256, 56)},
    {Format::Iq2Xxs, "iq2_xxs", gguf_block(2, 256, 66)},
    {Format::Iq2Xs, "iq2_xs", gguf_block(2, 256, 74)},
    {Format::Iq2S, "iq2_s", gguf_block(2, 256, 82)},
    {Format::Iq3Xxs, "iq3_xxs", gguf_block(3, 256, 98)},
    {Format::Iq3S, "iq3_s", gguf_block(3, 256, 110)},
    {Format::Iq4Nl, "iq4_nl", gguf_block(4, 32, 18)},
    {Format::Iq4Xs, "iq4_xs", gguf_block(4, 256, 136)},
    {Format::Tq1_0, "tq1_0", gguf_block(1, 256, 54)},
    {Format::Tq2_0, "tq2_0", gguf_block(2, 256, 66)},
    {Format::Int64, "int64", {.payload_bits = 64, .arithmetic = Arithmetic::Bf16}},
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
static_assert(static_cast<int>(Format::Int64) + 1 == kFormatCount);
static_assert(static_cast<int>(Arithmetic::Fp4) + 1 == kArithmeticCount);

const Row& row_of(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

/// ASCII only: names of formats hold no other letters.
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

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

bool is_gguf_format(Format format) { return format >= Format::Q4_0; }

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
    if (row.name == name || (is_gguf_format(row.format) && same_letters(row.name, name))) {
      return row.format;
    }
  }
  return std::nullopt;
}

bool is_gguf_mixture(std::string_view name) {
  constexpr std::array<std::string_view, 21> kMixtures{
      "q2_k_s",  "q2_k_l", "q2_k_xl", "q3_k_s",  "q3_k_m", "q3_k_l", "q3_k_xl",
      "q4_k_s",  "q4_k_m", "q4_k_l",  "q4_k_xl", "q5_k_s", "q5_k_m", "q5_k_l",
      "q5_k_xl", "q6_k_l", "q6_k_xl", "q8_k_xl", "iq2_m",  "iq3_xs", "iq3_m"};
  const auto is_name = [&](std::string_view mixture) { return same_letters(mixture, name); };
  return std::any_of(kMixtures.begin(), kMixtures.end(), is_name);
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
