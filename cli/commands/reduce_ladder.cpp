#include "cli/commands/reduce_ladder.h"

#include "hardware/cost/price.h"

namespace fathom::cli {
namespace {

std::vector<int> rank_counts(hardware::Count gpus) {
  std::vector<int> out;
  for (hardware::Count n = 2; n < gpus; n *= 2) {
    out.push_back(static_cast<int>(n));
  }
  if (gpus > 1) {
    out.push_back(static_cast<int>(gpus));
  }
  return out;
}

hardware::Cost reduce(const hardware::Pricer& pricer, double bytes, int ranks) {
  hardware::Work work;
  work.collective = hardware::Collective::AllReduce;
  work.ranks = ranks;
  work.message = hardware::Bytes(bytes);
  return pricer.price(work);
}

}  // namespace

std::vector<ReducePrice> price_ladder(const SystemSet& system,
                                      const hardware::Coefficients& coefficients) {
  constexpr double kSmallest = 1024;
  constexpr double kLargest = 64.0 * 1024 * 1024;
  constexpr double kStep = 4;
  constexpr hardware::RoutePolicy kFastest{};
  constexpr hardware::RoutePolicy kLibrary{.nvlink = false, .peer_to_peer = false};
  std::vector<ReducePrice> out;
  if (system.point.link.kind == hardware::LinkKind::None) {
    return out;
  }
  const auto point = hardware::make_pricer(system.point, coefficients, kFastest);
  const auto slow = hardware::make_pricer(system.slow, coefficients, kFastest);
  const auto fast = hardware::make_pricer(system.fast, coefficients, kFastest);
  const auto library = hardware::make_pricer(system.point, coefficients, kLibrary);
  for (double bytes = kSmallest; bytes <= kLargest; bytes *= kStep) {
    for (const int ranks : rank_counts(system.point.gpus)) {
      const hardware::Cost cost = reduce(point, bytes, ranks);
      out.push_back({bytes, ranks, cost.total(), reduce(fast, bytes, ranks).total(),
                     reduce(slow, bytes, ranks).total(), cost.link_latency,
                     reduce(library, bytes, ranks).total()});
    }
  }
  return out;
}

}  // namespace fathom::cli
