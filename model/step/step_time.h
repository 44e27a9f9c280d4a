#pragma once

#include "hardware/cost/price.h"
#include "model/ops/operator_list.h"

#include <array>
#include <cstdint>

namespace fathom::model {

/// What one rank's device does in one step, summed over operators.
struct DeviceTime {
  hardware::Cost cost;
  double kernels = 0;
  double memory_bytes = 0;
  std::array<double, hardware::kArithmeticCount> flop{};

  void add(const hardware::Work& work, const hardware::Cost& cost, double times);
  void add(const DeviceTime& other, double times);
};

/// The seconds of one step on the critical path; the eight add up to `total`. Amounts are those of
/// the busiest GPU.
struct StepTime {
  double compute = 0;
  double memory = 0;
  double link_bandwidth = 0;
  double link_latency = 0;
  double launch = 0;
  double host = 0;
  double imbalance = 0;
  double bubble = 0;
  double total = 0;
  double flop = 0;
  double memory_bytes = 0;
  double link_bytes = 0;
  double kernels = 0;
  double clock = 0;         ///< hertz
  double power = 0;         ///< watts
  double device_share = 1;  ///< of the time in which the device has a kernel
  bool power_capped = false;
};

/// What the host adds.
struct HostTime {
  double launch = 0;   ///< to launch every kernel of the step, without graphs
  double beside = 0;   ///< per step, hidden while the device is longer
  double exposed = 0;  ///< per step, never hidden
};

/// The clock and the cap.
struct PowerEnvelope {
  double limit = 0;  ///< watts; 0 = none
  double max_clock = 0;
  double clock_exponent = 1;  ///< FLOP/s goes with clock^this
  double base = 0;
  double per_byte = 0;
  std::array<double, hardware::kArithmeticCount> per_flop{};
  double power_exponent = 1;
};

/// Whether micro-batches follow each other for ever (decode) or end (a prefill).
enum class Flow : std::uint8_t { Steady, Drain };

/// Pipeline: `stages` in order, `micro_batches` in flight. One sequence waits for
/// max(sum of stages, micro_batches x longest stage); what exceeds the sum is bubble.
/// Draining, the last micro-batch waits for the others at the longest stage and then passes through
/// all.
/// Host and device overlap as a smooth maximum (p = 4) of the two: near equality neither hides
/// the other fully. Assumes: no overlap of messages and kernels.
StepTime assemble(const DeviceTime* stages, std::size_t stage_count, double micro_batches,
                  Flow flow, const HostTime& host, const PowerEnvelope& power) noexcept;

}  // namespace fathom::model
