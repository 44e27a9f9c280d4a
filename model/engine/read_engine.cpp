#include "model/engine/read_engine.h"

#include "hardware/base/map_reader.h"

namespace fathom::model {
namespace {

using hardware::Better;
using hardware::Bytes;
using hardware::Diagnostics;
using hardware::Dim;
using hardware::MapReader;
using hardware::Seconds;
using hardware::SpecNode;

constexpr double kMost = 1000;

double amount(MapReader& r, const char* key) {
  return r.required_number(key, 0, kMost, Better::Lower).value_or(0);
}

void read_kernels(const SpecNode& node, EngineSpec& engine, Diagnostics& diagnostics) {
  MapReader r(node, "kernels", diagnostics);
  auto& k = engine.kernels;
  k.attention = amount(r, "attention");
  k.latent = amount(r, "latent");
  k.indexer = amount(r, "indexer");
  k.dense_ffn = amount(r, "dense_ffn");
  k.moe = amount(r, "moe");
  k.quantise = amount(r, "quantise");
  k.step = amount(r, "step");
  r.finish();
}

void read_passes(const SpecNode& node, EngineSpec& engine, Diagnostics& diagnostics) {
  MapReader r(node, "passes", diagnostics);
  auto& p = engine.passes;
  p.attention = amount(r, "attention");
  p.dense_ffn = amount(r, "dense_ffn");
  p.ffn_width = amount(r, "ffn_width");
  p.moe = amount(r, "moe");
  p.moe_width = amount(r, "moe_width");
  r.finish();
}

void read_host(const SpecNode& node, EngineSpec& engine, Diagnostics& diagnostics) {
  constexpr Dim kTime{.second = 1};
  MapReader r(node, "host", diagnostics);
  engine.host_per_kernel = r.required<kTime>("per_kernel", Better::Lower).value_or(Seconds());
  engine.host_per_step = r.required<kTime>("per_step", Better::Lower).value_or(Seconds());
  engine.host_per_sequence = r.required<kTime>("per_sequence", Better::Lower).value_or(Seconds());
  engine.host_overlap = r.required_number("overlap", 0, 1).value_or(0);
  r.finish();
}

void read_memory(const SpecNode& node, EngineSpec& engine, Diagnostics& diagnostics) {
  constexpr Dim kByte{.byte = 1};
  constexpr hardware::Count kMostTokens = 100'000'000;
  MapReader r(node, "memory", diagnostics);
  engine.memory_fraction = r.required_number("fraction", 0.01, 1).value_or(0.9);
  engine.context_bytes = r.required<kByte>("context").value_or(Bytes());
  engine.graphs_bytes = r.required<kByte>("graphs").value_or(Bytes());
  engine.max_batched_tokens = r.required_count("max_batched_tokens", 1, kMostTokens).value_or(8192);
  engine.kv_block_tokens = r.required_count("kv_block_tokens", 1, kMostTokens).value_or(16);
  const auto kv = r.required_text("kv_format");
  if (kv && *kv != "model") {
    engine.kv_format = r.optional_format("kv_format");
  }
  r.finish();
}

}  // namespace

std::optional<EngineSpec> read_engine(const SpecNode& node, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.all().size();
  EngineSpec engine;
  MapReader r(node, "engine", diagnostics);
  engine.id = r.required_text("engine").value_or("");
  const auto policy =
      r.required_choice("custom_collectives", {"library", "nvlink", "peer-to-peer"});
  engine.custom_collectives = static_cast<CustomCollectives>(policy.value_or(0));
  engine.split_kv_kernels = r.required_number("split_kv_kernels", 1, kMost).value_or(1);
  engine.all_gather_logits = r.required_bool("all_gather_logits").value_or(true);
  engine.prefill_graphs = r.required_bool("prefill_graphs").value_or(false);
  const auto section = [&](const char* key, auto read) {
    if (const SpecNode* child = r.required_node(key)) {
      read(*child, engine, diagnostics);
    }
  };
  section("kernels", read_kernels);
  section("passes", read_passes);
  section("host", read_host);
  section("memory", read_memory);
  r.finish();
  if (!r.valid() || diagnostics.all().size() != before) {
    return std::nullopt;
  }
  return engine;
}

}  // namespace fathom::model
