#include "model/step/limiter.h"

#include <algorithm>

namespace fathom::model {

const char* resource_name(Resource resource) {
  switch (resource) {
    case Resource::Compute:
      return "tensor compute";
    case Resource::Memory:
      return "memory bandwidth";
    case Resource::LinkBandwidth:
      return "link bandwidth";
    case Resource::LinkLatency:
      return "link latency";
    case Resource::Launch:
      return "launch";
    case Resource::Host:
      return "host";
    case Resource::Imbalance:
      return "imbalance";
    case Resource::Bubble:
      return "pipeline bubble";
    case Resource::Power:
      return "power";
    case Resource::Clock:
      return "clock";
    case Resource::MemoryCapacity:
      return "memory capacity";
  }
  return "";
}

double seconds_of(const StepTime& step, Resource resource) {
  switch (resource) {
    case Resource::Compute:
      return step.compute;
    case Resource::Memory:
      return step.memory;
    case Resource::LinkBandwidth:
      return step.link_bandwidth;
    case Resource::LinkLatency:
      return step.link_latency;
    case Resource::Launch:
      return step.launch;
    case Resource::Host:
      return step.host;
    case Resource::Imbalance:
      return step.imbalance;
    case Resource::Bubble:
      return step.bubble;
    case Resource::Power:
    case Resource::Clock:
    case Resource::MemoryCapacity:
      return 0;
  }
  return 0;
}

double share_of(const StepTime& step, Resource resource) {
  return step.total > 0 ? seconds_of(step, resource) / step.total : 0;
}

Limiter find_limiter(const StepTime& step, const Elasticities& elasticities, double uncertainty) {
  std::array<Resource, kTimeResourceCount> order{};
  for (std::size_t i = 0; i < order.size(); ++i) {
    order.at(i) = static_cast<Resource>(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](Resource a, Resource b) {
    return elasticities.at(static_cast<std::size_t>(a)) >
           elasticities.at(static_cast<std::size_t>(b));
  });
  Limiter out;
  out.resource = order[0];
  out.next = order[1];
  out.elasticity = elasticities.at(static_cast<std::size_t>(order[0]));
  out.next_elasticity = elasticities.at(static_cast<std::size_t>(order[1]));
  if (out.next_elasticity > 1e-9) {
    out.factor = out.margin();
    out.both = out.margin() <= uncertainty * uncertainty;
  }
  // Tensor compute that leads while the power limit holds the clock down is limited by power.
  if (out.resource == Resource::Compute && step.power_capped) {
    out.resource = Resource::Power;
  } else if (out.next == Resource::Compute && step.power_capped) {
    out.next = Resource::Power;
  }
  return out;
}

}  // namespace fathom::model
