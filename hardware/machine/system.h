#pragma once

#include "hardware/machine/accelerator.h"

#include <string>

namespace fathom::hardware {

enum class LinkKind : std::uint8_t { None, Pcie, Nvlink, InfinityFabric };

/// One way of doing a collective: seconds a hop (or a kernel), and the share of the link's
/// direction that its transfers reach. Not offered when `offered` is false.
struct Transport {
  bool offered = false;
  Seconds latency;
  double efficiency = 1;
  Count min_ranks = 2;  ///< libraries offer it from so many ranks on
};

/// The link of one GPU to its neighbours, per direction, and what the libraries make of it.
/// Source: docs/physics.md section 5.
struct LinkSpec {
  LinkKind kind = LinkKind::None;
  BytesPerSecond bandwidth;  ///< per direction and GPU
  bool peer_to_peer = false;
  Transport ring;        ///< library ring: latency a hop
  Transport one_shot;    ///< every rank reads all others: latency of the kernel
  Transport two_shot;    ///< reduce-scatter then all-gather in one kernel: latency of a phase
  Transport in_switch;   ///< reduction in the switch
  Transport all_to_all;  ///< latency a peer
  Transport send;        ///< point to point
};

/// Which GPUs share what. 0 = nothing shared.
struct Topology {
  Count gpus_per_uplink = 0;             ///< behind one switch uplink or root port
  BytesPerSecond uplink_bandwidth;       ///< of that uplink, per direction
  BytesPerSecond host_memory_bandwidth;  ///< all sockets together; bounds staging through it
};

/// A machine: `gpus` accelerators in one node. Value type.
struct SystemSpec {
  std::string id;
  AcceleratorSpec accelerator;
  Count gpus = 1;           ///< that are used
  Count gpus_per_node = 1;  ///< that the node has
  LinkSpec link;
  Topology topology;
  bool has_intervals = false;  ///< some number was given as {low, high}
};

}  // namespace fathom::hardware
