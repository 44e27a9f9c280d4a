#pragma once

#include "hardware/base/quantity.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::hardware {

/// How numbers are stored. `Fp8` has one scale per tensor, `Fp8Channel` one per output row,
/// `Fp8Block` one FP32 per 128 x 128 block.
enum class Format : std::uint8_t {
  Fp32,
  Bf16,
  Fp16,
  Fp8,
  Fp8Channel,
  Fp8Block,
  Int8,
  Mxfp8,
  Nvfp4,
  Mxfp4,
  Int4G32,
  Int4G128,
};
inline constexpr int kFormatCount = 12;

/// The arithmetic that a tensor core does.
enum class Arithmetic : std::uint8_t { Fp32, Bf16, Fp8, Int8, Fp4 };
inline constexpr int kArithmeticCount = 5;

/// Storage of one format: payload bits per element, and one scale of `scale_bits` for each
/// `block_rows` x `block_columns` elements (0 = the whole extent). Rows are output features.
/// `tensor_bytes` is stored once per tensor.
/// Source: docs/physics.md section 1.
struct NumericFormat {
  int payload_bits = 16;
  int scale_bits = 0;
  Count block_rows = 1;
  Count block_columns = 1;
  int tensor_bytes = 0;
  Arithmetic arithmetic = Arithmetic::Bf16;  ///< where the accelerator has it
  bool weight_only = false;                  ///< activations stay 16-bit: arithmetic is Bf16

  /// Payload plus block scales of a large tensor: NVFP4 4.5, MXFP4 4.25, FP8 blocks 8.00195.
  [[nodiscard]] double bits_per_element() const;

  friend bool operator==(const NumericFormat&, const NumericFormat&) = default;
};

/// The table row of a format.
const NumericFormat& numeric_format(Format format);

/// The name in specs and reports: bf16, fp8, fp8-block, nvfp4, int4-g32 ...
std::string_view format_name(Format format);
std::string_view arithmetic_name(Arithmetic arithmetic);
std::optional<Format> format_from_name(std::string_view name);
std::optional<Arithmetic> arithmetic_from_name(std::string_view name);

/// Exact stored bytes of `count` matrices of rows x columns: payload rounded up to whole bytes,
/// a scale for each started block, per-tensor scalars. A vector has rows = 1.
Bytes stored_bytes(Format format, Count rows, Count columns, Count count = 1);

}  // namespace fathom::hardware
