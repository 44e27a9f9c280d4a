#pragma once

#include "hardware/cost/price.h"
#include "model/step/step_time.h"

#include <array>
#include <cstdint>

namespace fathom::model {

/// What can limit; the names are those of the command-line reference.
enum class Resource : std::uint8_t {
  Compute,
  Memory,
  LinkBandwidth,
  LinkLatency,
  Launch,
  Host,
  Imbalance,
  Bubble,
  Power,
  Clock,
  MemoryCapacity,
};
inline constexpr int kResourceCount = 11;
inline constexpr int kTimeResourceCount = 8;  ///< the first eight have a time column

const char* resource_name(Resource resource);

/// The column of a resource; 0 for those that have none.
double seconds_of(const StepTime& step, Resource resource);
double share_of(const StepTime& step, Resource resource);

/// d ln throughput / d ln goodness for each resource (docs/physics.md section 7). Imbalance and
/// bubble: the gain in throughput when set to zero.
using Elasticities = std::array<double, kResourceCount>;

/// Which resource limits, by elasticity.
struct Limiter {
  Resource resource = Resource::Memory;
  double elasticity = 0;
  Resource next = Resource::Memory;
  double next_elasticity = 0;
  /// How much of the limiter's time must go until the next takes over: the factor by which its
  /// goodness rises. 0 = never.
  double factor = 0;
  bool both = false;  ///< the intervals overlap: name both

  [[nodiscard]] double margin() const {
    return next_elasticity > 0 ? elasticity / next_elasticity : 0;
  }
};

/// `uncertainty`: each term is known within this factor either way, so a margin up to its square
/// does not tell the two apart.
Limiter find_limiter(const StepTime& step, const Elasticities& elasticities, double uncertainty);

}  // namespace fathom::model
