#include "hardware/machine/accelerator.h"

namespace fathom::hardware {

Arithmetic AcceleratorSpec::arithmetic_of(Format format) const {
  const NumericFormat& f = numeric_format(format);
  if (f.weight_only) {
    return Arithmetic::Bf16;
  }
  const auto has = [this](Arithmetic a) {
    return dense_peak[static_cast<std::size_t>(a)].base() > 0;
  };
  return has(f.arithmetic) ? f.arithmetic : Arithmetic::Bf16;
}

}  // namespace fathom::hardware
