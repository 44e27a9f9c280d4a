#pragma once

#include "hardware/base/map_reader.h"
#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"

#include <array>
#include <optional>
#include <string>

namespace fathom::hardware {

/// Families of kernels that share their efficiencies.
enum class KernelClass : std::uint8_t { Gemm, GroupedGemm, Attention, Elementwise };
inline constexpr int kKernelClassCount = 4;

/// What kernels make of an accelerator. Everything between a datasheet and a prediction lives
/// here; `bound()` drops all of it. Source of the form: docs/physics.md section 4.
struct Coefficients {
  struct Family {
    Seconds fixed;  ///< per kernel: launch gap inside a graph plus ramp
    /// Share of the memory bandwidth on large operands, by the stored format read.
    std::array<double, kFormatCount> memory_efficiency{};
    /// Share of the dense peak (at the maximum clock) on large tiles, by weight format.
    std::array<double, kFormatCount> compute_efficiency{};
    Count tile_rows = 1;  ///< m (tokens of one GEMM) is padded to this
  };
  std::array<Family, kKernelClassCount> family{};
  int smooth_exponent = 2;    ///< p of the smooth maximum, 2 or 4; 0 = the plain maximum
  double clock_exponent = 1;  ///< FLOP/s goes with clock^this
  double l2_speedup = 0;      ///< L2 bandwidth over memory bandwidth; 0 = what fits costs nothing
  double l2_share = 1;        ///< of the L2 that one kernel's activations may fill and stay
  double causal_efficiency = 1;  ///< prefill attention against the family's compute efficiency
  double expert_skew = 1;        ///< multiplies the hottest rank's excess over the mean
  double term_uncertainty = 1;   ///< each term is known within this factor either way
  std::string name;

  /// Datasheet only: efficiencies 1, no fixed time, plain maximum.
  static Coefficients bound();
};

/// Reads configs/kernels/<architecture>.yaml.
std::optional<Coefficients> read_coefficients(const SpecNode& node, Diagnostics& diagnostics);

}  // namespace fathom::hardware
