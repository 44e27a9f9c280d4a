#include "hardware/cost/communication_cost.h"

#include "tests/support/catch.h"

#include <algorithm>
#include <vector>

namespace fathom::hardware {
namespace {

constexpr double kExact = 1e-12;
constexpr RoutePolicy kLibrary{.nvlink = false, .peer_to_peer = false};
constexpr RoutePolicy kNvlinkOnly{.nvlink = true, .peer_to_peer = false};
constexpr RoutePolicy kWherever{.nvlink = true, .peer_to_peer = true};

/// 10 B/s a direction; the ring reaches half of it with 1 s a hop.
SystemSpec ring_only(LinkKind kind = LinkKind::Pcie) {
  SystemSpec system;
  system.gpus = 8;
  system.gpus_per_node = 8;
  system.accelerator.bandwidth = BytesPerSecond(100);
  system.link.kind = kind;
  system.link.bandwidth = BytesPerSecond(10);
  system.link.peer_to_peer = true;
  system.link.ring = {.offered = true, .latency = Seconds(1), .efficiency = 0.5};
  return system;
}

/// One-shot 2 s a kernel, two-shot 2.5 s a phase, in-switch 3 s from 5 ranks on, all at 10 B/s.
SystemSpec all_routes() {
  SystemSpec system = ring_only(LinkKind::Nvlink);
  system.link.one_shot = {.offered = true, .latency = Seconds(2)};
  system.link.two_shot = {.offered = true, .latency = Seconds(2.5)};
  system.link.in_switch = {.offered = true, .latency = Seconds(3), .min_ranks = 5};
  system.link.all_to_all = {.offered = true, .latency = Seconds(0.5)};
  system.link.send = {.offered = true, .latency = Seconds(4)};
  return system;
}

Pricer pricer_of(const SystemSpec& system, RoutePolicy policy = kWherever,
                 const Goodness& goodness = {}) {
  Pricer pricer;
  set_routes(system, policy, false, goodness, pricer);
  return pricer;
}

Work message(Collective collective, int ranks, double bytes) {
  Work work;
  work.collective = collective;
  work.ranks = ranks;
  work.message = Bytes(bytes);
  return work;
}

Transfer all_reduce(const SystemSpec& system, int ranks, double bytes,
                    RoutePolicy policy = kWherever) {
  return price_collective(pricer_of(system, policy), message(Collective::AllReduce, ranks, bytes));
}

TEST_CASE("a ring all-reduce takes 2(n-1) hops and sends 2(n-1)/n of the tensor") {
  const Transfer t = all_reduce(ring_only(), 4, 100);
  CHECK_THAT(t.latency, WithinRel(6.0, kExact));
  CHECK_THAT(t.wire_bytes, WithinRel(150.0, kExact));
  CHECK_THAT(t.bandwidth, WithinRel(30.0, kExact));  // 150 B at 5 B/s
  CHECK_THAT(t.total(), WithinRel(36.0, kExact));
}

TEST_CASE("gathers and scatters are half of a ring all-reduce") {
  const Pricer pricer = pricer_of(ring_only());
  for (const Collective half : {Collective::AllGather, Collective::ReduceScatter}) {
    const Transfer t = price_collective(pricer, message(half, 4, 100));
    CHECK_THAT(t.latency, WithinRel(3.0, kExact));
    CHECK_THAT(t.bandwidth, WithinRel(15.0, kExact));
    CHECK_THAT(t.wire_bytes, WithinRel(75.0, kExact));
  }
}

TEST_CASE("a small all-reduce is one-shot, a large one in the switch") {
  const SystemSpec system = all_routes();
  const Transfer small = all_reduce(system, 8, 1);
  CHECK_THAT(small.latency, WithinRel(2.0, kExact));
  CHECK_THAT(small.bandwidth, WithinRel(0.7, kExact));  // (n-1) S = 7 B at 10 B/s
  const Transfer large = all_reduce(system, 8, 1000);
  CHECK_THAT(large.latency, WithinRel(3.0, kExact));
  CHECK_THAT(large.bandwidth, WithinRel(112.5, kExact));  // (1 + 1/8) S
}

TEST_CASE("ring and two-shot all-reduces send the same bytes") {
  SystemSpec two_shot = ring_only();
  two_shot.link.two_shot = {.offered = true, .latency = Seconds(0.1), .efficiency = 0.9};
  for (const int ranks : {2, 3, 4, 8}) {
    const Transfer ring = all_reduce(two_shot, ranks, 240, kLibrary);
    const Transfer other = all_reduce(two_shot, ranks, 240, kWherever);
    CHECK(other.latency < ring.latency);
    CHECK_THAT(other.wire_bytes, WithinRel(ring.wire_bytes, kExact));
  }
}

TEST_CASE("a route is not offered below its least count of ranks") {
  SystemSpec system = ring_only(LinkKind::Nvlink);
  system.link.in_switch = {.offered = true, .latency = Seconds(0.1), .min_ranks = 5};
  CHECK_THAT(all_reduce(system, 4, 100).latency, WithinRel(6.0, kExact));
  CHECK_THAT(all_reduce(system, 5, 100).latency, WithinRel(0.1, kExact));
}

TEST_CASE("the library's choice is the minimum over what is offered") {
  const SystemSpec system = all_routes();
  for (const int ranks : {2, 3, 4, 5, 8}) {
    for (double size = 0.25; size < 5000; size *= 3) {
      const double n = ranks;
      std::vector<double> routes{2 * (n - 1) + 2 * (n - 1) / n * size / 5, 2 + (n - 1) * size / 10,
                                 5 + 2 * (n - 1) / n * size / 10};
      if (ranks >= 5) {
        routes.push_back(3 + (1 + 1 / n) * size / 10);
      }
      CHECK_THAT(all_reduce(system, ranks, size).total(),
                 WithinRel(*std::min_element(routes.begin(), routes.end()), kExact));
    }
  }
}

TEST_CASE("one rank talks to nobody, and an empty message is free") {
  const Pricer pricer = pricer_of(all_routes());
  for (const Collective c : {Collective::AllReduce, Collective::AllGather,
                             Collective::ReduceScatter, Collective::Exchange, Collective::Send}) {
    CHECK(price_collective(pricer, message(c, 1, 1000)).total() == 0);
    CHECK(price_collective(pricer, message(c, 8, 0)).total() == 0);
    CHECK(price_collective(pricer, message(c, 8, 8)).total() > 0);
  }
  CHECK(price_collective(pricer, message(Collective::None, 8, 1000)).total() == 0);
}

TEST_CASE("an engine that uses the library alone takes the ring") {
  CHECK_THAT(all_reduce(all_routes(), 8, 1, kLibrary).latency, WithinRel(14.0, kExact));
}

TEST_CASE("engines with NVLink kernels use them over PCIe between two peers only") {
  SystemSpec system = all_routes();
  system.link.kind = LinkKind::Pcie;
  CHECK_THAT(all_reduce(system, 4, 1, kNvlinkOnly).latency, WithinRel(6.0, kExact));
  CHECK_THAT(all_reduce(system, 4, 1, kWherever).latency, WithinRel(2.0, kExact));
  system.link.ring.latency = Seconds(9);
  CHECK_THAT(all_reduce(system, 2, 1, kNvlinkOnly).latency, WithinRel(2.0, kExact));
}

TEST_CASE("without peer-to-peer no kernel reads a peer") {
  SystemSpec system = all_routes();
  system.link.peer_to_peer = false;
  CHECK_THAT(all_reduce(system, 8, 1).latency, WithinRel(14.0, kExact));
}

TEST_CASE("an exchange is two all-to-alls, or two gathers where these are faster") {
  const SystemSpec system = all_routes();
  const Pricer pricer = pricer_of(system, kLibrary);
  Work work = message(Collective::Exchange, 4, 100);
  work.message_direct = Bytes(40);  // dispatch and combine together
  const Transfer direct = price_collective(pricer, work);
  CHECK_THAT(direct.latency, WithinRel(3.0, kExact));  // 2 x 3 peers x 0.5 s
  CHECK_THAT(direct.bandwidth, WithinRel(4.0, kExact));
  CHECK_THAT(direct.wire_bytes, WithinRel(40.0, kExact));
  work.message_direct = Bytes(4000);
  const Transfer gathers = price_collective(pricer, work);
  CHECK_THAT(gathers.latency, WithinRel(6.0, kExact));
  CHECK_THAT(gathers.wire_bytes, WithinRel(150.0, kExact));
}

TEST_CASE("a send is one latency and its bytes, over the ring where no route is named") {
  const Work work = message(Collective::Send, 2, 100);
  const Transfer named = price_collective(pricer_of(all_routes()), work);
  CHECK_THAT(named.latency, WithinRel(4.0, kExact));
  CHECK_THAT(named.bandwidth, WithinRel(10.0, kExact));
  const Transfer ring = price_collective(pricer_of(ring_only()), work);
  CHECK_THAT(ring.latency, WithinRel(1.0, kExact));
  CHECK_THAT(ring.bandwidth, WithinRel(20.0, kExact));
}

TEST_CASE("GPUs behind one uplink share it, except in a ring of peers") {
  SystemSpec system = all_routes();
  system.topology.gpus_per_uplink = 4;
  system.topology.uplink_bandwidth = BytesPerSecond(8);
  const Pricer peers = pricer_of(system);
  CHECK_THAT(peers.ring.seconds_per_byte, WithinRel(1.0 / 5, kExact));      // 5 < 8 / 1
  CHECK_THAT(peers.one_shot.seconds_per_byte, WithinRel(1.0 / 2, kExact));  // 8 / 4
  CHECK_THAT(peers.all_to_all.seconds_per_byte, WithinRel(1.0 / 2, kExact));
  system.link.peer_to_peer = false;
  CHECK_THAT(pricer_of(system).ring.seconds_per_byte, WithinRel(1.0 / 2, kExact));
}

TEST_CASE("GPUs that are not used take no share of an uplink") {
  SystemSpec system = all_routes();
  system.topology.gpus_per_uplink = 4;
  system.topology.uplink_bandwidth = BytesPerSecond(8);
  system.gpus = 2;
  CHECK_THAT(pricer_of(system).one_shot.seconds_per_byte, WithinRel(1.0 / 4, kExact));
}

TEST_CASE("staging writes and reads each byte in host memory") {
  SystemSpec system = ring_only();
  system.topology.host_memory_bandwidth = BytesPerSecond(16);  // of 8 GPUs, two ways: 1 B/s each
  CHECK_THAT(pricer_of(system).ring.seconds_per_byte, WithinRel(1.0 / 5, kExact));
  system.link.peer_to_peer = false;
  CHECK_THAT(pricer_of(system).ring.seconds_per_byte, WithinRel(1.0, kExact));
}

TEST_CASE("the bound has no latency and the full rate of the link") {
  Pricer pricer;
  set_routes(ring_only(), kWherever, true, {}, pricer);
  const Transfer t = price_collective(pricer, message(Collective::AllReduce, 4, 100));
  CHECK(t.latency == 0);
  CHECK_THAT(t.bandwidth, WithinRel(15.0, kExact));
}

TEST_CASE("goodness divides latency and transfer time") {
  const Goodness better{.link_bandwidth = 2, .link_latency = 4};
  const Transfer t = price_collective(pricer_of(ring_only(), kWherever, better),
                                      message(Collective::AllReduce, 4, 100));
  CHECK_THAT(t.latency, WithinRel(1.5, kExact));
  CHECK_THAT(t.bandwidth, WithinRel(15.0, kExact));
}

}  // namespace
}  // namespace fathom::hardware
