#pragma once

#include "hardware/cost/coefficients.h"
#include "hardware/cost/work.h"
#include "hardware/machine/system.h"

#include <array>

namespace fathom::hardware {

/// Factors on the goodness of each resource, for elasticities: 1.1 = ten percent better.
struct Goodness {
  double compute = 1;
  double memory = 1;
  double link_bandwidth = 1;
  double link_latency = 1;  ///< 1.1 = latency divided by 1.1
  double launch = 1;
  double host = 1;   ///< not priced here; used by the step
  double power = 1;  ///< of the power limit; used by the step
};

/// Where collective kernels of the engine's own are used in place of the library's ring.
struct RoutePolicy {
  bool nvlink = true;        ///< over NVLink-class links, and between two GPUs that are peers
  bool peer_to_peer = true;  ///< wherever peers can be read
};

/// Everything that pricing needs, reduced to seconds per unit once, so that pricing an operator is
/// a few multiplications. Built per (system, coefficients, engine policy, goodness).
struct Pricer {
  struct Family {
    double fixed = 0;  ///< seconds a kernel
    double tile_rows = 1;
    std::array<double, kFormatCount> seconds_per_byte{};
    std::array<double, kFormatCount> inverse_efficiency{};  ///< of compute
  };
  struct Route {
    bool offered = false;
    double latency = 0;
    double seconds_per_byte = 0;
    double min_ranks = 2;
  };
  std::array<Family, kKernelClassCount> family{};
  std::array<double, kArithmeticCount> seconds_per_flop{};  ///< at the dense peak
  double l2_bytes = 0;           ///< that activations of one kernel may fill
  double l2_seconds_factor = 0;  ///< seconds a byte in L2 over seconds a byte in memory
  double causal = 1;             ///< 1 / causal efficiency
  int smooth_exponent = 2;
  double expert_skew = 1;
  Route ring, one_shot, two_shot, in_switch, all_to_all, send;
  bool custom_above_two = false;  ///< own kernels among more than two ranks
  bool custom_for_two = false;

  /// Seconds and shares of one operator. Zero work is zero seconds.
  [[nodiscard]] Cost price(const Work& work) const noexcept;
};

/// Builds the pricer. `ideal` (evidence bound): no latencies, links at their full rate.
Pricer make_pricer(const SystemSpec& system, const Coefficients& coefficients, RoutePolicy policy,
                   const Goodness& goodness = {});

/// (a^p + b^p)^(1/p) for p 2 or 4 by square roots; p 0 is the plain maximum. Never pow.
double smooth_max(double a, double b, int p) noexcept;

/// The part of smooth_max that belongs to a: a^p / (a^p + b^p); 0 where both are 0.
double smooth_share(double a, double b, int p) noexcept;

}  // namespace fathom::hardware
