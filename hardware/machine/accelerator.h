#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"

#include <array>
#include <string>

namespace fathom::hardware {

/// What an accelerator draws: P = base + (per_byte * B/s + sum per_flop(arithmetic) * FLOP/s) *
/// (f/f_max)^exponent. Streaming keeps SMs, L2 and network at the clock, so its energy goes with
/// the clock too. Source of the form: docs/physics.md section 6.
struct PowerModel {
  Watts base;                                              ///< a busy clock, nothing to do
  JoulesPerByte per_byte;                                  ///< memory traffic
  std::array<JoulesPerFlop, kArithmeticCount> per_flop{};  ///< at the maximum clock
  double clock_exponent = 1;
};

/// What is true of one accelerator with no LLM in sight. Peaks are dense and never sparse.
struct AcceleratorSpec {
  std::string id;
  std::string name;
  std::string architecture;  ///< names configs/kernels/<architecture>.yaml
  Bytes capacity;            ///< what the driver reports as total
  Bytes reserved;            ///< held by driver and context before anything is loaded
  BytesPerSecond bandwidth;  ///< datasheet, or memory clock x width
  Bytes l2;
  Count sms = 0;
  std::array<FlopPerSecond, kArithmeticCount> dense_peak{};  ///< 0: the arithmetic is absent
  Hertz tensor_clock;  ///< the clock that the dense peaks refer to
  Hertz max_clock;     ///< the highest clock that the driver reports
  Watts tdp;
  Watts power_limit_min;
  Watts power_limit_max;
  PowerModel power;
  /// util.memory reads min(100, 100 * bytes/s / (this * bandwidth)).
  double memory_counter_full_scale = 1;
  BytesPerSecond host_link;    ///< PCIe or C2C, per direction
  bool has_intervals = false;  ///< of memory or compute: some number was given as {low, high}
  double price_per_hour = 0;   ///< USD, 0 = unknown

  /// The arithmetic that a weight format runs in here: its own where the tensor cores have it,
  /// else Bf16 (weights are then dequantised on the way in).
  [[nodiscard]] Arithmetic arithmetic_of(Format format) const;
};

}  // namespace fathom::hardware
