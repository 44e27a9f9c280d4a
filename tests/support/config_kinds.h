#pragma once

#include "tests/support/specs.h"

namespace fathom::test {

/// Reads a tree as a file of a folder; the diagnostics, empty when it loads.
inline std::string read_as(const std::string& kind, const hardware::SpecNode& node) {
  hardware::Diagnostics diagnostics;
  if (kind == "models") {
    model::read_model(node, diagnostics);
  } else if (kind == "accelerators") {
    hardware::read_accelerator(node, diagnostics);
  } else if (kind == "systems") {
    hardware::read_system(node, {}, 0, hardware::IntervalEnd::Point, diagnostics);
  } else if (kind == "kernels") {
    hardware::read_coefficients(node, diagnostics);
  } else {
    model::read_engine(node, diagnostics);
  }
  return render(diagnostics);
}

/// The files of a folder, and one that has what no file of the library uses.
inline std::vector<hardware::SpecNode> samples(const std::string& kind) {
  std::vector<hardware::SpecNode> out;
  for (const std::string& path : config_files(kind)) {
    out.push_back(tree(path));
  }
  if (kind == "systems") {
    out.push_back(
        tree_of("system: a\naccelerator: b\ngpus_per_node: 8\n"
                "link:\n"
                "  kind: nvlink\n  bandwidth: 1 GB/s\n  peer_to_peer: true\n"
                "  ring: {latency: 1 us, efficiency: 1}\n"
                "topology: {gpus_per_uplink: 2, uplink_bandwidth: 1 GB/s, "
                "host_memory_bandwidth: 9 GB/s}\n"));
  }
  return out;
}

inline hardware::SpecNode scalar(const std::string& text) {
  hardware::SpecNode node;
  node.kind = hardware::SpecNode::Kind::Scalar;
  node.text = text;
  return node;
}

/// The maps at a path below a node; a list stands for each of its items.
inline void maps_at(hardware::SpecNode& node, const std::vector<std::string>& path,
                    std::size_t from, std::vector<hardware::SpecNode*>& out) {
  if (node.kind == hardware::SpecNode::Kind::List) {
    for (hardware::SpecNode& item : node.items) {
      maps_at(item, path, from, out);
    }
  } else if (node.kind == hardware::SpecNode::Kind::Map && from + 1 == path.size()) {
    out.push_back(&node);
  } else if (node.kind == hardware::SpecNode::Kind::Map) {
    if (hardware::SpecNode* child = node.find(path.at(from))) {
      maps_at(*child, path, from + 1, out);
    }
  }
}

inline std::vector<hardware::SpecNode*> maps_of(hardware::SpecNode& root,
                                                const std::vector<std::string>& path) {
  std::vector<hardware::SpecNode*> out;
  maps_at(root, path, 0, out);
  return out;
}

/// Takes a key out of a map; whether it was there.
inline bool erase(hardware::SpecNode& map, const std::string& key) {
  const auto before = map.entries.size();
  map.entries.erase(
      std::remove_if(map.entries.begin(), map.entries.end(),
                     [&](const hardware::SpecNode::Entry& entry) { return entry.key == key; }),
      map.entries.end());
  return map.entries.size() != before;
}

}  // namespace fathom::test
