#include "hardware/machine/read_system.h"

#include <fmt/format.h>

namespace fathom::hardware {
namespace {

constexpr Dim kRate{.byte = 1, .second = -1};
constexpr Count kMaxGpus = 100'000;

Transport read_transport(MapReader& link, const char* key, IntervalEnd end, bool& intervals,
                         Diagnostics& diagnostics) {
  Transport transport;
  const SpecNode* node = link.optional_node(key);
  if (node == nullptr) {
    return transport;
  }
  MapReader r(*node, key, diagnostics, end);
  transport.offered = true;
  transport.latency = r.required<Dim{.second = 1}>("latency", Better::Lower).value_or(Seconds());
  transport.efficiency = r.required_number("efficiency", 1e-4, 1.5).value_or(1);
  transport.min_ranks = r.optional_count("min_ranks", 2, kMaxGpus).value_or(2);
  intervals = intervals || r.saw_interval();
  r.finish();
  return transport;
}

LinkSpec read_link(const SpecNode& node, IntervalEnd end, bool& intervals,
                   Diagnostics& diagnostics) {
  LinkSpec link;
  MapReader r(node, "link", diagnostics, end);
  const auto kind = r.required_choice("kind", {"none", "pcie", "nvlink", "infinity-fabric"});
  link.kind = static_cast<LinkKind>(kind.value_or(0));
  const auto bandwidth = r.required<kRate>("bandwidth");
  link.bandwidth = bandwidth.value_or(BytesPerSecond());
  link.peer_to_peer = r.required_bool("peer_to_peer").value_or(false);
  const auto transport = [&](const char* key) {
    return read_transport(r, key, end, intervals, diagnostics);
  };
  link.ring = transport("ring");
  link.one_shot = transport("one_shot");
  link.two_shot = transport("two_shot");
  link.in_switch = transport("in_switch");
  link.all_to_all = transport("all_to_all");
  link.send = transport("send");
  if (r.valid() && !link.ring.offered) {
    r.error("ring", "missing key 'ring' in 'link': the library's all-reduce",
            "add 'ring: {latency: 3.4 us, efficiency: 0.5}'");
  }
  if (r.valid() && !link.peer_to_peer && (link.one_shot.offered || link.two_shot.offered)) {
    r.error("one_shot", "one-shot and two-shot kernels read peers and need 'peer_to_peer: true'",
            "remove 'one_shot' and 'two_shot', or state peer-to-peer");
  }
  if (kind && link.kind == LinkKind::None) {
    r.error("kind", "several GPUs need a link", "write 'kind: pcie' or 'kind: nvlink'");
  }
  if (bandwidth && bandwidth->base() <= 0) {
    r.error("bandwidth", "the link's bandwidth must be above zero");
  }
  intervals = intervals || r.saw_interval();
  r.finish();
  return link;
}

void check_rate(MapReader& r, const char* key, std::optional<BytesPerSecond> rate) {
  if (rate && rate->base() <= 0) {
    r.error(key, fmt::format("'{}' must be above zero", key),
            "leave the key out where nothing is shared");
  }
}

Topology read_topology(const SpecNode& node, IntervalEnd end, bool& intervals,
                       Diagnostics& diagnostics) {
  Topology topology;
  MapReader r(node, "topology", diagnostics, end);
  topology.gpus_per_uplink = r.optional_count("gpus_per_uplink", 1, kMaxGpus).value_or(0);
  std::optional<BytesPerSecond> uplink;
  if (topology.gpus_per_uplink > 0) {
    uplink = r.required<kRate>("uplink_bandwidth");
  } else if (r.has("uplink_bandwidth")) {
    r.error("uplink_bandwidth", "an uplink's bandwidth needs the key 'gpus_per_uplink' beside it",
            "add 'gpus_per_uplink: 2', or how many GPUs share the uplink");
  }
  const auto host = r.optional<kRate>("host_memory_bandwidth");
  check_rate(r, "uplink_bandwidth", uplink);
  check_rate(r, "host_memory_bandwidth", host);
  topology.uplink_bandwidth = uplink.value_or(BytesPerSecond());
  topology.host_memory_bandwidth = host.value_or(BytesPerSecond());
  intervals = intervals || r.saw_interval();
  r.finish();
  return topology;
}

/// `link: {kind: none}`, which a node of one GPU may say.
bool names_none(const SpecNode& link) {
  const SpecNode* kind = link.find("kind");
  return kind != nullptr && kind->text == "none" && link.entries.size() == 1;
}

void check_gpus(Count gpus, const SystemSpec& system, MapReader& r) {
  if (gpus > system.gpus_per_node) {
    r.error("gpus_per_node",
            fmt::format("{} GPUs are more than the {} of one node, and no 'fabric' says how nodes "
                        "are joined",
                        gpus, system.gpus_per_node),
            "ask for at most one node; several nodes need the key 'fabric', which is not read yet");
  }
}

}  // namespace

std::optional<std::string> accelerator_of(const SpecNode& system, Diagnostics& diagnostics) {
  MapReader r(system, "system", diagnostics);
  return r.required_text("accelerator");
}

std::optional<SystemSpec> read_system(const SpecNode& node, const AcceleratorSpec& accelerator,
                                      Count gpus, IntervalEnd end, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.all().size();
  SystemSpec system;
  MapReader r(node, "system", diagnostics);
  system.id = r.required_text("system").value_or("");
  static_cast<void>(r.required_text("accelerator"));
  system.accelerator = accelerator;
  system.has_intervals = accelerator.has_intervals;
  system.gpus_per_node = r.required_count("gpus_per_node", 1, kMaxGpus).value_or(1);
  system.gpus = gpus > 0 ? gpus : system.gpus_per_node;
  const SpecNode* link =
      system.gpus_per_node > 1 ? r.required_node("link") : r.optional_node("link");
  const bool alone = system.gpus_per_node == 1;
  if (link != nullptr && !(alone && names_none(*link))) {
    system.link = read_link(*link, end, system.has_intervals, diagnostics);
  }
  if (const SpecNode* topology = r.optional_node("topology")) {
    system.topology = read_topology(*topology, end, system.has_intervals, diagnostics);
  }
  check_gpus(gpus, system, r);
  r.finish();
  if (!r.valid() || diagnostics.all().size() != before) {
    return std::nullopt;
  }
  return system;
}

}  // namespace fathom::hardware
