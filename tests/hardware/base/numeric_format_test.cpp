#include "hardware/base/numeric_format.h"

#include "tests/support/catch.h"

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
  CHECK(stored_bytes(Format::Fp8, 3, 5) == Bytes(15 + 4));
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

TEST_CASE("nothing takes no bytes") {
  CHECK(stored_bytes(Format::Nvfp4, 0, 5) == Bytes(0));
  CHECK(stored_bytes(Format::Nvfp4, 5, 5, 0) == Bytes(0));
}

}  // namespace
}  // namespace fathom::hardware
