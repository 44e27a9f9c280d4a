#include "hardware/cost/communication_cost.h"

#include <algorithm>

namespace fathom::hardware {
namespace {

using Route = Pricer::Route;

Transfer along(const Route& route, double hops, double bytes) {
  return {hops * route.latency, bytes * route.seconds_per_byte, bytes};
}

bool usable(const Route& route, double n) { return route.offered && n >= route.min_ranks; }

void keep_faster(const Route& route, bool allowed, double hops, double bytes, Transfer& best) {
  if (!allowed) {
    return;
  }
  const Transfer other = along(route, hops, bytes);
  if (other.total() < best.total()) {
    best = other;
  }
}

/// Ring, one-shot, two-shot and in-switch, whichever is fastest.
Transfer all_reduce(const Pricer& p, double n, double size, bool custom) {
  Transfer best = along(p.ring, 2 * (n - 1), 2 * (n - 1) / n * size);
  keep_faster(p.one_shot, custom && usable(p.one_shot, n), 1, (n - 1) * size, best);
  keep_faster(p.two_shot, custom && usable(p.two_shot, n), 2, 2 * (n - 1) / n * size, best);
  keep_faster(p.in_switch, custom && usable(p.in_switch, n), 1, size * (1 + 1 / n), best);
  return best;
}

/// Half of the ring; or every rank reading the others' parts in one kernel.
Transfer gather(const Pricer& p, double n, double size, bool custom) {
  const double bytes = (n - 1) / n * size;
  Transfer best = along(p.ring, n - 1, bytes);
  keep_faster(p.two_shot, custom && usable(p.two_shot, n), 1, bytes, best);
  return best;
}

Transfer exchange(const Pricer& p, double n, double size, double direct, bool custom) {
  const Transfer half = gather(p, n, size, custom);
  Transfer best{2 * half.latency, 2 * half.bandwidth, 2 * half.wire_bytes};
  if (direct > 0) {
    keep_faster(p.all_to_all, usable(p.all_to_all, n), 2 * (n - 1), direct, best);
  }
  return best;
}

/// Bytes per second that one GPU's transfers reach on a route: the link's share, cut by what GPUs
/// share. Staging through host memory writes and reads every byte there.
double route_rate(const SystemSpec& system, double efficiency, double crossing) {
  double rate = system.link.bandwidth.base() * efficiency;
  const Topology& topology = system.topology;
  if (topology.gpus_per_uplink > 0 && topology.uplink_bandwidth.base() > 0) {
    rate = std::min(rate, topology.uplink_bandwidth.base() / crossing);
  }
  if (!system.link.peer_to_peer && topology.host_memory_bandwidth.base() > 0) {
    const auto gpus = static_cast<double>(system.gpus);
    rate = std::min(rate, topology.host_memory_bandwidth.base() / (2 * gpus));
  }
  return rate;
}

}  // namespace

Transfer price_collective(const Pricer& p, const Work& work) noexcept {
  const double n = work.ranks;
  const double size = work.message.base();
  if (n <= 1 || (size <= 0 && work.message_direct.base() <= 0)) {
    return {};
  }
  const bool custom = work.ranks > 2 ? p.custom_above_two : p.custom_for_two;
  switch (work.collective) {
    case Collective::None:
      return {};
    case Collective::AllReduce:
      return all_reduce(p, n, size, custom);
    case Collective::AllGather:
    case Collective::ReduceScatter:
      return gather(p, n, size, custom);
    case Collective::Exchange:
      return exchange(p, n, size, work.message_direct.base(), custom);
    case Collective::Send:
      return along(p.send.offered ? p.send : p.ring, 1, size);
  }
  return {};
}

void set_routes(const SystemSpec& system, RoutePolicy policy, bool ideal, const Goodness& goodness,
                Pricer& pricer) {
  const LinkSpec& link = system.link;
  const double shared = std::max<double>(
      1, static_cast<double>(std::min(system.topology.gpus_per_uplink, system.gpus)));
  const auto route = [&](const Transport& transport, double crossing) {
    Route out;
    out.offered = transport.offered;
    if (!out.offered) {
      return out;
    }
    out.min_ranks = static_cast<double>(transport.min_ranks);
    const double efficiency = ideal ? 1 : transport.efficiency;
    out.latency = ideal ? 0 : transport.latency.base() / goodness.link_latency;
    out.seconds_per_byte = 1 / (route_rate(system, efficiency, crossing) * goodness.link_bandwidth);
    return out;
  };
  // A peer-to-peer ring crosses an uplink once each way; staging and direct reads cross with every
  // GPU behind it.
  pricer.ring = route(link.ring, link.peer_to_peer ? 1 : shared);
  pricer.one_shot = route(link.one_shot, shared);
  pricer.two_shot = route(link.two_shot, shared);
  pricer.in_switch = route(link.in_switch, 1);
  pricer.all_to_all = route(link.all_to_all, shared);
  pricer.send = route(link.send, link.peer_to_peer ? 1 : shared);
  const bool fabric = link.kind == LinkKind::Nvlink || link.kind == LinkKind::InfinityFabric;
  const bool peers = link.peer_to_peer;
  pricer.custom_above_two = peers && (policy.peer_to_peer || (policy.nvlink && fabric));
  pricer.custom_for_two = peers && (policy.peer_to_peer || policy.nvlink);
}

}  // namespace fathom::hardware
