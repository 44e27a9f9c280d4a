#include "model/step/elasticity.h"

#include <cmath>

namespace fathom::model {

using hardware::Goodness;

namespace {

/// Half-width of the log differences.
constexpr double kStepUp = 1.1;

double slope(const SecondsOn& seconds, double Goodness::*resource) {
  Goodness up;
  Goodness down;
  up.*resource = kStepUp;
  down.*resource = 1 / kStepUp;
  const double fast = seconds(up);
  const double slow = seconds(down);
  return fast > 0 && slow > 0 ? std::log(slow / fast) / (2 * std::log(kStepUp)) : 0.0;
}

}  // namespace

Elasticities elasticities_of(const SecondsOn& seconds) {
  Elasticities out{};
  const auto set = [&](Resource resource, double Goodness::*member) {
    out.at(static_cast<std::size_t>(resource)) = slope(seconds, member);
  };
  set(Resource::Compute, &Goodness::compute);
  set(Resource::Memory, &Goodness::memory);
  set(Resource::LinkBandwidth, &Goodness::link_bandwidth);
  set(Resource::LinkLatency, &Goodness::link_latency);
  set(Resource::Launch, &Goodness::launch);
  set(Resource::Host, &Goodness::host);
  set(Resource::Power, &Goodness::power);
  return out;
}

}  // namespace fathom::model
