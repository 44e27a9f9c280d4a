#pragma once

#include "hardware/base/quantity.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::hardware {

/// How numbers are stored. `Fp8` has one scale per tensor (and one of its inputs), `Fp8Channel` one
/// per output row, `Fp8Block` one FP32 per 128 x 128 block, `Fp8BlockE8m0` one power of two (a
/// byte) for the same block. `Nvfp4Weight` is stored as `Nvfp4` and multiplied in 16 bits. From
/// `Q4_0` on: the tensor types of GGUF files, whole blocks of 32 or 256 elements along a row.
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
  Fp8BlockE8m0,
  Nvfp4Weight,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2K,
  Q3K,
  Q4K,
  Q5K,
  Q6K,
  Iq1S,
  Iq1M,
  Iq2Xxs,
  Iq2Xs,
  Iq2S,
  Iq3Xxs,
  Iq3S,
  Iq4Nl,
  Iq4Xs,
  Tq1_0,
  Tq2_0,
  Int64,  // tables of indices: bytes, but no arithmetic
};
inline constexpr int kFormatCount = 36;

/// The arithmetic that a tensor core does.
enum class Arithmetic : std::uint8_t { Fp32, Bf16, Fp8, Int8, Fp4 };
inline constexpr int kArithmeticCount = 5;

/// Storage of one format: payload bits per element, and one scale of `scale_bits` for each
/// `block_rows` x `block_columns` elements (0 = the whole extent). Rows are output features.
/// `tensor_bytes` is stored once per tensor. Of a GGUF type the scale is all of the block but the
/// whole payload bits: scales, minima, and the fractional bits of codebooks.
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

/// Whether it is a tensor type of GGUF files that no other checkpoint has.
bool is_gguf_format(Format format);

/// The name in specs and reports: bf16, fp8, fp8-block, nvfp4, int4-g32, q4_k ...
std::string_view format_name(Format format);
std::string_view arithmetic_name(Arithmetic arithmetic);
/// The format of a name. The GGUF types are written in any case (Q4_K); a mixture of types such as
/// Q4_K_M is no format.
std::optional<Format> format_from_name(std::string_view name);
/// Whether a name is llama.cpp's for a mixture of GGUF types (Q4_K_M, IQ3_XS, in any case): which
/// tensor has which type is known only from the file.
bool is_gguf_mixture(std::string_view name);
std::optional<Arithmetic> arithmetic_from_name(std::string_view name);

/// Exact stored bytes of `count` matrices of rows x columns: payload rounded up to whole bytes,
/// a scale for each started block, per-tensor scalars. A vector has rows = 1.
Bytes stored_bytes(Format format, Count rows, Count columns, Count count = 1);

}  // namespace fathom::hardware
