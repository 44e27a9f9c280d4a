#include "hardware/cost/price.h"

#include "hardware/cost/communication_cost.h"

#include <algorithm>
#include <cmath>

namespace fathom::hardware {
namespace {

double padded(double rows, double tile) {
  return rows > 0 && tile > 1 ? std::ceil(rows / tile) * tile / rows : 1;
}

}  // namespace

double smooth_max(double a, double b, int p) noexcept {
  if (p == 0) {
    return std::max(a, b);
  }
  const double a2 = a * a;
  const double b2 = b * b;
  return p == 2 ? std::sqrt(a2 + b2) : std::sqrt(std::sqrt(a2 * a2 + b2 * b2));
}

double smooth_share(double a, double b, int p) noexcept {
  if (p == 0) {
    return a > b ? 1 : 0;
  }
  double wa = a * a;
  double wb = b * b;
  if (p == 4) {
    wa *= wa;
    wb *= wb;
  }
  return wa + wb > 0 ? wa / (wa + wb) : 0;
}

Cost Pricer::price(const Work& work) const noexcept {
  Cost cost;
  if (work.collective != Collective::None) {
    const Transfer transfer = price_collective(*this, work);
    cost.link_latency = transfer.latency;
    cost.link_bandwidth = transfer.bandwidth;
    cost.wire_bytes = transfer.wire_bytes;
    return cost;
  }
  const Family& f = family[static_cast<std::size_t>(work.kernel_class)];
  const auto format = static_cast<std::size_t>(work.format);
  const double compute = work.flop.base() * padded(work.rows, f.tile_rows) *
                         seconds_per_flop[static_cast<std::size_t>(work.arithmetic)] *
                         f.inverse_efficiency[format] * (work.causal ? causal : 1);
  const double activation = work.activation_bytes.base();
  const double one_kernel = activation / std::max(1.0, work.kernels);
  const double resident = one_kernel > l2_bytes ? l2_bytes / one_kernel : 1;
  const double fixed_bytes = work.weight_bytes.base() + work.cache_bytes.base();
  cost.memory_bytes = fixed_bytes + activation * (1 - resident);
  const double weights = work.weight_bytes.base() * f.seconds_per_byte[format];
  const double memory =
      (cost.memory_bytes + activation * resident * l2_seconds_factor) * f.seconds_per_byte[format];
  const double mean = smooth_max(compute, memory, smooth_exponent);
  const double share = smooth_share(compute, memory, smooth_exponent);
  cost.compute = mean * share;
  cost.memory = mean - cost.compute;
  cost.launch = work.kernels * f.fixed;
  if (work.imbalance > 1 || work.imbalance_bytes > 1) {
    const double more_compute = compute * (1 + (work.imbalance - 1) * expert_skew);
    const double more_memory = memory + weights * (work.imbalance_bytes - 1) * expert_skew;
    cost.imbalance = smooth_max(more_compute, more_memory, smooth_exponent) - mean;
  }
  return cost;
}

Pricer make_pricer(const SystemSpec& system, const Coefficients& coefficients, RoutePolicy policy,
                   const Goodness& goodness) {
  Pricer pricer;
  const AcceleratorSpec& a = system.accelerator;
  const bool ideal = coefficients.smooth_exponent == 0;
  for (std::size_t i = 0; i < pricer.family.size(); ++i) {
    const Coefficients::Family& from = coefficients.family[i];
    Pricer::Family& to = pricer.family[i];
    to.fixed = from.fixed.base() / goodness.launch;
    to.tile_rows = static_cast<double>(from.tile_rows);
    for (std::size_t k = 0; k < to.seconds_per_byte.size(); ++k) {
      to.seconds_per_byte[k] =
          1 / (a.bandwidth.base() * from.memory_efficiency[k] * goodness.memory);
      to.inverse_efficiency[k] = 1 / from.compute_efficiency[k];
    }
  }
  for (std::size_t i = 0; i < pricer.seconds_per_flop.size(); ++i) {
    const double peak = a.dense_peak[i].base();
    pricer.seconds_per_flop[i] = peak > 0 ? 1 / (peak * goodness.compute) : 0;
  }
  pricer.l2_bytes = a.l2.base() * coefficients.l2_share;
  pricer.l2_seconds_factor = coefficients.l2_speedup > 0 ? 1 / coefficients.l2_speedup : 0;
  pricer.causal = 1 / coefficients.causal_efficiency;
  pricer.smooth_exponent = coefficients.smooth_exponent;
  pricer.expert_skew = coefficients.expert_skew;
  set_routes(system, policy, ideal, goodness, pricer);
  return pricer;
}

}  // namespace fathom::hardware
