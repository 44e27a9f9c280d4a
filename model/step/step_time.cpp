#include "model/step/step_time.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {

using hardware::Cost;

namespace {

constexpr int kHostExponent = 4;
constexpr double kLowestClockShare = 0.1;
constexpr int kBisections = 24;

void scale(StepTime& step, double factor) {
  step.compute *= factor;
  step.memory *= factor;
  step.link_bandwidth *= factor;
  step.link_latency *= factor;
  step.launch *= factor;
  step.imbalance *= factor;
  step.bubble *= factor;
}

double sum_of(const StepTime& s) {
  return s.compute + s.memory + s.link_bandwidth + s.link_latency + s.launch + s.host +
         s.imbalance + s.bubble;
}

struct Draw {
  double bytes = 0;  ///< joules in memory traffic
  double flop = 0;   ///< joules in arithmetic at the maximum clock
};

double watts(const PowerEnvelope& p, const Draw& draw, const StepTime& step, double share) {
  const double slower = step.compute * (std::pow(1 / share, p.clock_exponent) - 1);
  return p.base +
         (draw.bytes + draw.flop) * std::pow(share, p.power_exponent) / (step.total + slower);
}

/// Finds the clock at which the draw meets the limit (docs/physics.md section 6).
void apply_power(const PowerEnvelope& p, const Draw& draw, StepTime& step) {
  step.clock = p.max_clock;
  // Without a power model nothing is known of draw or cap.
  if (step.total <= 0 || p.base <= 0) {
    return;
  }
  step.power = p.base + (draw.bytes + draw.flop) / step.total;
  if (p.limit <= 0 || step.power <= p.limit) {
    return;
  }
  double low = kLowestClockShare;
  double high = 1;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (low + high);
    (watts(p, draw, step, middle) > p.limit ? high : low) = middle;
  }
  step.power = watts(p, draw, step, low);
  step.clock = p.max_clock * low;
  const double slower = step.compute * (std::pow(1 / low, p.clock_exponent) - 1);
  step.compute += slower;
  step.total += slower;
  step.power_capped = true;
}

void overlap_host(const HostTime& host, StepTime& step) {
  const double device = step.total;
  const double beside = host.launch + host.beside;
  if (beside > 0 && device > 0) {
    const double both = hardware::smooth_max(device, beside, kHostExponent);
    const double share = hardware::smooth_share(beside, device, kHostExponent);
    scale(step, both * (1 - share) / device);
    step.host = both * share;
  }
  step.host += host.exposed;
  step.total = sum_of(step);
  step.device_share = step.total > 0 ? std::min(1.0, device / step.total) : 0;
}

}  // namespace

void DeviceTime::add(const hardware::Work& work, const Cost& c, double times) {
  cost.compute += c.compute * times;
  cost.memory += c.memory * times;
  cost.launch += c.launch * times;
  cost.link_bandwidth += c.link_bandwidth * times;
  cost.link_latency += c.link_latency * times;
  cost.imbalance += c.imbalance * times;
  cost.wire_bytes += c.wire_bytes * times;
  kernels += work.kernels * times;
  memory_bytes += c.memory_bytes * times;
  flop[static_cast<std::size_t>(work.arithmetic)] += work.flop.base() * times;
}

void DeviceTime::add(const DeviceTime& other, double times) {
  cost.compute += other.cost.compute * times;
  cost.memory += other.cost.memory * times;
  cost.launch += other.cost.launch * times;
  cost.link_bandwidth += other.cost.link_bandwidth * times;
  cost.link_latency += other.cost.link_latency * times;
  cost.imbalance += other.cost.imbalance * times;
  cost.wire_bytes += other.cost.wire_bytes * times;
  kernels += other.kernels * times;
  memory_bytes += other.memory_bytes * times;
  for (std::size_t i = 0; i < flop.size(); ++i) {
    flop[i] += other.flop[i] * times;
  }
}

StepTime assemble(const DeviceTime* stages, std::size_t stage_count, double micro_batches,
                  Flow flow, const HostTime& host, const PowerEnvelope& power) noexcept {
  DeviceTime all;
  double longest = 0;
  std::size_t busiest = 0;
  for (std::size_t i = 0; i < stage_count; ++i) {
    all.add(stages[i], 1);
    if (stages[i].cost.total() > longest) {
      longest = stages[i].cost.total();
      busiest = i;
    }
  }
  const double through = all.cost.total();
  if (flow == Flow::Drain && stage_count > 0) {
    all.add(stages[busiest], micro_batches - 1);
  }
  StepTime step;
  step.compute = all.cost.compute;
  step.memory = all.cost.memory;
  step.link_bandwidth = all.cost.link_bandwidth;
  step.link_latency = all.cost.link_latency;
  step.launch = all.cost.launch;
  step.imbalance = all.cost.imbalance;
  step.bubble = flow == Flow::Steady ? std::max(through, micro_batches * longest) - through : 0;
  step.total = all.cost.total() + step.bubble;
  overlap_host(host, step);

  if (stage_count == 0) {
    return step;
  }
  const DeviceTime& busy = stages[busiest];
  Draw draw{busy.memory_bytes * micro_batches * power.per_byte, 0};
  for (std::size_t i = 0; i < busy.flop.size(); ++i) {
    step.flop += busy.flop[i] * micro_batches;
    draw.flop += busy.flop[i] * micro_batches * power.per_flop[i];
  }
  step.memory_bytes = busy.memory_bytes * micro_batches;
  step.link_bytes = busy.cost.wire_bytes * micro_batches;
  step.kernels = busy.kernels * micro_batches;
  apply_power(power, draw, step);
  return step;
}

}  // namespace fathom::model
