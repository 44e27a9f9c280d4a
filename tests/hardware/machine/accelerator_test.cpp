#include "hardware/machine/accelerator.h"

#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

AcceleratorSpec with_peaks(std::initializer_list<Arithmetic> present) {
  AcceleratorSpec spec;
  for (const Arithmetic a : present) {
    spec.dense_peak[static_cast<std::size_t>(a)] = FlopPerSecond(1);
  }
  return spec;
}

TEST_CASE("a format runs in its own arithmetic where the tensor cores have it, else in 16 bits") {
  const AcceleratorSpec old = with_peaks({Arithmetic::Bf16, Arithmetic::Fp8});
  const AcceleratorSpec late = with_peaks({Arithmetic::Bf16, Arithmetic::Fp8, Arithmetic::Fp4});
  CHECK(old.arithmetic_of(Format::Fp8Block) == Arithmetic::Fp8);
  CHECK(old.arithmetic_of(Format::Nvfp4) == Arithmetic::Bf16);
  CHECK(late.arithmetic_of(Format::Nvfp4) == Arithmetic::Fp4);
  CHECK(late.arithmetic_of(Format::Int8) == Arithmetic::Bf16);
  CHECK(late.arithmetic_of(Format::Fp16) == Arithmetic::Bf16);
}

TEST_CASE("a weight-only format computes in 16 bits on every accelerator") {
  const AcceleratorSpec all = with_peaks(
      {Arithmetic::Fp32, Arithmetic::Bf16, Arithmetic::Fp8, Arithmetic::Int8, Arithmetic::Fp4});
  CHECK(all.arithmetic_of(Format::Int4G32) == Arithmetic::Bf16);
  CHECK(all.arithmetic_of(Format::Int4G128) == Arithmetic::Bf16);
}

}  // namespace
}  // namespace fathom::hardware
