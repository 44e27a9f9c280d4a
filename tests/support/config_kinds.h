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

/// A model with every kind of block and every key, for what no file of the library uses.
inline constexpr const char* kEveryKey = R"(
model: every
hugging_face: nobody/every
hidden: 64
vocabulary: 256
max_context: none
tied_embeddings: false
lm_head_bias: true
per_layer_embedding: {vocabulary: 200, width: 4}
order: grouped 2*(latent compressed) mamba1 mamba2 delta keyed lightning ffn
attention: {kind: grouped, heads: 4, kv_heads: 2, head: 16, value_head: 16, qk_norm: head,
            query_rank: 8, qkv_bias: true, output_bias: true, gate: head, sinks: true,
            shared_kv: false, value_is_key: true,
            indexer: {heads: 2, head: 8, top_k: 32, block: 16, shared: false}}
layers:
  - {name: grouped, count: 1, ffn: {kind: dense, width: 32, gated: false, bias: true},
     norms: 4, norm_bias: true, parallel: true, scalar: true, per_layer_width: 4}
  - name: latent
    count: 2
    attention: {kind: latent, heads: 4, query_rank: none, latent_rank: 16, nope_head: 8,
                rope_head: 4, value_head: 8, output_gate: true,
                indexer: {heads: 2, head: 8, top_k: 32}}
    ffn: {kind: moe, experts: 4, top_k: 2, width: 8, shared_width: 8, router_bias: true,
          gated: true, router_linear_bias: true, shared_gate: true, bias: true, scales: true,
          latent: 32, latent_norm: true, zero_experts: 2, hash_tokens: 256}
  - name: compressed
    count: 2
    attention: {kind: compressed, heads: 4, query_rank: 8, head: 16, rope_head: 4, window: 8,
                ratio: 4, output_groups: 2, output_rank: 8, indexer: {heads: 2, head: 8, top_k: 4}}
    ffn: {kind: dense, width: 32}
    hyper_streams: 2
  - {name: mamba1, count: 1, ffn: {kind: none},
     attention: {kind: mamba1, inner: 128, state: 8, conv: 4, dt_rank: 4, conv_bias: true}}
  - {name: mamba2, count: 1, ffn: {kind: none},
     attention: {kind: mamba2, heads: 8, head: 16, groups: 2, state: 8, conv: 4, conv_bias: true}}
  - {name: delta, count: 1, ffn: {kind: none},
     attention: {kind: delta-net, key_heads: 2, value_heads: 4, key_head: 8, value_head: 8, conv: 4}}
  - {name: keyed, count: 1, ffn: {kind: none},
     attention: {kind: keyed-delta, heads: 4, head: 16, conv: 4, decay_rank: 8, gate_rank: none}}
  - {name: lightning, count: 1, ffn: {kind: none},
     attention: {kind: lightning, heads: 4, head: 16}}
  - {name: ffn, count: 1, ffn: {kind: dense, width: 32}, attention: {kind: none}}
mtp: {count: 1, in_checkpoint: true, shared_embedding: true, ffn: {kind: dense, width: 32}}
formats: {embedding: bf16, attention: fp8, recurrent: bf16, compressor: bf16, indexer: fp8,
          router: bf16, routed_experts: fp8, shared_experts: bf16, dense_ffn: bf16, norm: bf16,
          lm_head: bf16, per_layer: bf16, hyper_connections: fp32, mtp: bf16, output: bf16,
          kv_cache: fp8, state_cache: bf16}
)";

/// The files of a folder, and one that has what no file of the library uses.
inline std::vector<hardware::SpecNode> samples(const std::string& kind) {
  std::vector<hardware::SpecNode> out;
  const std::vector<std::string> files = config_files(kind);
  // Models are many and much alike: every sixteenth, and one that has every key.
  for (std::size_t i = 0; i < files.size(); i += kind == "models" ? 16 : 1) {
    out.push_back(tree(files.at(i)));
  }
  if (kind == "models") {
    out.push_back(tree_of(kEveryKey));
    // What excludes a key above, and a claim in its long form.
    out.push_back(tree_of(
        "model: a\nhidden: 8\nvocabulary: 32\nmax_context: 9\ntied_embeddings: true\n"
        "attention: {kind: grouped, heads: 4, kv_heads: 2, head: 4, qk_norm: none, chunk: 4}\n"
        "layers: [{count: 1, ffn: {kind: dense, width: 8}}]\n"
        "formats: {embedding: bf16, attention: bf16, dense_ffn: bf16, norm: bf16, kv_cache: bf16}\n"
        "published: {total_parameters: {value: 856, counts: main}}\n"));
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
  if (path.front() == "attention" && path.size() > 1) {  // a layer may have its own
    std::vector<std::string> own{"layers"};
    own.insert(own.end(), path.begin(), path.end());
    maps_at(root, own, 0, out);
  }
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
