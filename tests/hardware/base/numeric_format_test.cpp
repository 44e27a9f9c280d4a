#include "hardware/base/numeric_format.h"

#include "tests/support/catch.h"

#include <vector>

namespace fathom::hardware {
namespace {

TEST_CASE("bits per element hold the payload and the block scales") {
  CHECK(numeric_format(Format::Fp32).bits_per_element() == 32);
  CHECK(numeric_format(Format::Bf16).bits_per_element() == 16);
  CHECK(numeric_format(Format::Fp8Channel).bits_per_element() == 8);
  CHECK(numeric_format(Format::Fp8Block).bits_per_element() == 8.001953125);
  CHECK(numeric_format(Format::Mxfp8).bits_per_element() == 8.25);
  CHECK(numeric_format(Format::Nvfp4).bits_per_element() == 4.5);
  CHECK(numeric_format(Format::Mxfp4).bits_per_element() == 4.25);
  CHECK(numeric_format(Format::Int4G32).bits_per_element() == 4.5);
  CHECK(numeric_format(Format::Int4G128).bits_per_element() == 4.15625);
}

TEST_CASE("a weight-only format computes in 16 bits") {
  for (int i = 0; i < kFormatCount; ++i) {
    const NumericFormat& format = numeric_format(static_cast<Format>(i));
    CHECK((!format.weight_only || format.arithmetic == Arithmetic::Bf16));
  }
  CHECK(numeric_format(Format::Int4G32).weight_only);
  CHECK_FALSE(numeric_format(Format::Mxfp4).weight_only);
}

TEST_CASE("each name is read back as its format") {
  for (int i = 0; i < kFormatCount; ++i) {
    const auto format = static_cast<Format>(i);
    CHECK(format_from_name(format_name(format)) == format);
  }
  for (int i = 0; i < kArithmeticCount; ++i) {
    const auto arithmetic = static_cast<Arithmetic>(i);
    CHECK(arithmetic_from_name(arithmetic_name(arithmetic)) == arithmetic);
  }
  CHECK(format_from_name("int4") == Format::Int4G128);
  CHECK(format_from_name("fp8-tensor") == Format::Fp8);
  CHECK_FALSE(format_from_name("fp9"));
  CHECK_FALSE(arithmetic_from_name("fp9"));
}

TEST_CASE("724775731200 parameters in NVFP4 are about 407.7 GB") {
  const Bytes bytes = stored_bytes(Format::Nvfp4, 724775731200 / 6144, 6144);
  CHECK_THAT(bytes.base(), WithinRel(407.7e9, 1e-4));
}

TEST_CASE("a started block of rows has its own scales") {
  // 576 x 7168 in 128 x 128 blocks: 5 x 56 scales of 4 bytes.
  CHECK(stored_bytes(Format::Fp8Block, 576, 7168) == Bytes(576 * 7168 + 5 * 56 * 4));
}

TEST_CASE("stored bytes are payload, scales and tensor scalars") {
  CHECK(stored_bytes(Format::Bf16, 3, 5) == Bytes(30));
  CHECK(stored_bytes(Format::Fp8, 3, 5) == Bytes(15 + 8));
  CHECK(stored_bytes(Format::Fp8Channel, 3, 5) == Bytes(15 + 3 * 4));
  CHECK(stored_bytes(Format::Int8, 3, 5) == Bytes(15 + 3 * 4));
  CHECK(stored_bytes(Format::Mxfp8, 2, 64) == Bytes(128 + 4));
  CHECK(stored_bytes(Format::Nvfp4, 2, 32) == Bytes(32 + 4 + 8));
  CHECK(stored_bytes(Format::Mxfp4, 2, 32) == Bytes(32 + 2));
  CHECK(stored_bytes(Format::Int4G32, 2, 64) == Bytes(64 + 8 + 8));
  CHECK(stored_bytes(Format::Int4G128, 2, 128) == Bytes(128 + 5));  // 2 scales of 20 bits
}

TEST_CASE("payload is rounded up to whole bytes for each matrix") {
  CHECK(stored_bytes(Format::Mxfp4, 1, 3) == Bytes(2 + 1));
  CHECK(stored_bytes(Format::Mxfp4, 1, 3, 10) == Bytes(30));
}

TEST_CASE("GGUF types have the block sizes of ggml") {
  struct Block {
    Format format;
    Count elements;
    double bytes;
  };
  const std::vector<Block> blocks{
      {Format::Q4_0, 32, 18},    {Format::Q4_1, 32, 20},   {Format::Q5_0, 32, 22},
      {Format::Q5_1, 32, 24},    {Format::Q8_0, 32, 34},   {Format::Q2K, 256, 84},
      {Format::Q3K, 256, 110},   {Format::Q4K, 256, 144},  {Format::Q5K, 256, 176},
      {Format::Q6K, 256, 210},   {Format::Iq1S, 256, 50},  {Format::Iq1M, 256, 56},
      {Format::Iq2Xxs, 256, 66}, {Format::Iq2Xs, 256, 74}, {Format::Iq2S, 256, 82},
      {Format::Iq3Xxs, 256, 98}, {Format::Iq3S, 256, 110}, {Format::Iq4Nl, 32, 18},
      {Format::Iq4Xs, 256, 136}, {Format::Tq1_0, 256, 54}, {Format::Tq2_0, 256, 66}};
  REQUIRE(blocks.size() ==
          1 + static_cast<std::size_t>(Format::Tq2_0) - static_cast<std::size_t>(Format::Q4_0));
  for (const Block& block : blocks) {
    INFO(format_name(block.format));
    CHECK(is_gguf_format(block.format));
    CHECK(numeric_format(block.format).weight_only);
    CHECK(numeric_format(block.format).block_columns == block.elements);
    CHECK(stored_bytes(block.format, 3, 5 * block.elements) == Bytes(3 * 5 * block.bytes));
    CHECK_THAT(numeric_format(block.format).bits_per_element(),
               WithinRel(block.bytes * 8 / static_cast<double>(block.elements), 1e-12));
  }
  CHECK_FALSE(is_gguf_format(Format::Nvfp4Weight));
}

TEST_CASE("a GGUF type is named in any case, and a mixture of types is no format") {
  CHECK(format_from_name("Q4_K") == Format::Q4K);
  CHECK(format_from_name("IQ2_XXS") == Format::Iq2Xxs);
  CHECK(format_from_name("Tq1_0") == Format::Tq1_0);
  CHECK_FALSE(format_from_name("BF16"));  // the others are written as they are named
  for (const char* name : {"Q4_K_M", "q4_k_s", "Q5_K_M", "IQ3_XS", "iq2_m", "Q3_K_XL"}) {
    INFO(name);
    CHECK_FALSE(format_from_name(name));
    CHECK(is_gguf_mixture(name));
  }
  CHECK_FALSE(is_gguf_mixture("q4_k"));
  CHECK_FALSE(is_gguf_mixture("q4_k_"));
}

TEST_CASE("FP8 blocks with a power of two hold one byte for each started block") {
  CHECK(stored_bytes(Format::Fp8BlockE8m0, 576, 7168) == Bytes(576 * 7168 + 5 * 56));
}

TEST_CASE("weight-only NVFP4 is stored as NVFP4") {
  CHECK(stored_bytes(Format::Nvfp4Weight, 6, 96) == stored_bytes(Format::Nvfp4, 6, 96));
  CHECK(numeric_format(Format::Nvfp4Weight).weight_only);
}

TEST_CASE("nothing takes no bytes") {
  CHECK(stored_bytes(Format::Nvfp4, 0, 5) == Bytes(0));
  CHECK(stored_bytes(Format::Nvfp4, 5, 5, 0) == Bytes(0));
}

}  // namespace
}  // namespace fathom::hardware
