#include "model/llm/read_blocks.h"

#include "hardware/base/map_reader.h"

#include <fmt/format.h>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::MapReader;
using hardware::SpecNode;

std::optional<GroupedAttention> read_grouped(MapReader& r) {
  GroupedAttention a;
  const auto heads = r.required_count("heads", 1, kMaxDimension);
  const auto kv_heads = r.required_count("kv_heads", 1, kMaxDimension);
  const auto head = r.required_count("head", 1, kMaxDimension);
  const auto value_head = r.optional_count("value_head", 1, kMaxDimension);
  a.window = r.optional_count("window", 1, kMaxDimension).value_or(0);
  a.qkv_bias = r.optional_bool("qkv_bias").value_or(false);
  a.output_bias = r.optional_bool("output_bias").value_or(false);
  const auto norm = r.required_choice("qk_norm", {"none", "head", "full"});
  if (!heads || !kv_heads || !head || !norm) {
    return std::nullopt;
  }
  a.heads = *heads;
  a.kv_heads = *kv_heads;
  a.head = *head;
  a.value_head = value_head.value_or(*head);
  a.qk_norm = static_cast<GroupedAttention::QkNorm>(*norm);
  if (a.heads % a.kv_heads != 0) {
    r.error("kv_heads",
            fmt::format("{} query heads do not divide into {} KV heads", a.heads, a.kv_heads));
    return std::nullopt;
  }
  return a;
}

std::optional<Indexer> read_indexer(const SpecNode& node, Diagnostics& diagnostics) {
  MapReader r(node, "indexer", diagnostics);
  const auto heads = r.required_count("heads", 1, kMaxDimension);
  const auto head = r.required_count("head", 1, kMaxDimension);
  const auto top_k = r.required_count("top_k", 1, kMaxDimension);
  r.finish();
  if (!heads || !head || !top_k) {
    return std::nullopt;
  }
  return Indexer{*heads, *head, *top_k};
}

std::optional<LatentAttention> read_latent(MapReader& r, Diagnostics& diagnostics) {
  const auto heads = r.required_count("heads", 1, kMaxDimension);
  std::optional<Count> query_rank;
  const SpecNode* rank = r.required_node("query_rank");
  if (rank != nullptr && rank->kind == SpecNode::Kind::Scalar && rank->text == "none") {
    query_rank = 0;
  } else if (rank != nullptr) {
    query_rank = r.required_count("query_rank", 1, kMaxDimension);
  }
  const auto latent_rank = r.required_count("latent_rank", 1, kMaxDimension);
  const auto nope = r.required_count("nope_head", 1, kMaxDimension);
  const auto rope = r.required_count("rope_head", 1, kMaxDimension);
  const auto value = r.required_count("value_head", 1, kMaxDimension);
  std::optional<Indexer> indexer;
  bool sound = true;
  if (const SpecNode* node = r.optional_node("indexer")) {
    indexer = read_indexer(*node, diagnostics);
    sound = indexer.has_value();
  }
  if (!heads || !query_rank || !latent_rank || !nope || !rope || !value || !sound) {
    return std::nullopt;
  }
  return LatentAttention{*heads, *query_rank, *latent_rank, *nope, *rope, *value, indexer};
}

std::optional<Mlp> read_dense(MapReader& r) {
  const auto width = r.required_count("width", 1, kMaxDimension);
  const bool gated = r.optional_bool("gated").value_or(true);
  if (!width) {
    return std::nullopt;
  }
  return DenseMlp{*width, gated};
}

std::optional<Mlp> read_moe(MapReader& r) {
  MoeMlp f;
  const auto experts = r.required_count("experts", 1, kMaxDimension);
  const auto top_k = r.required_count("top_k", 1, kMaxDimension);
  const auto width = r.required_count("width", 1, kMaxDimension);
  const auto shared = r.required_count("shared_width", 0, kMaxDimension);
  const auto bias = r.required_bool("router_bias");
  f.gated = r.optional_bool("gated").value_or(true);
  f.shared_gate = r.optional_bool("shared_gate").value_or(false);
  if (!experts || !top_k || !width || !shared || !bias) {
    return std::nullopt;
  }
  f.experts = *experts;
  f.top_k = *top_k;
  f.width = *width;
  f.shared_width = *shared;
  f.router_bias = *bias;
  if (f.top_k > f.experts) {
    r.error("top_k", fmt::format("top_k {} exceeds the {} experts", f.top_k, f.experts));
    return std::nullopt;
  }
  return f;
}

}  // namespace

std::optional<Attention> read_attention(const SpecNode& node, Diagnostics& diagnostics) {
  MapReader r(node, "attention", diagnostics);
  const auto kind = r.required_choice("kind", {"grouped", "latent"});
  std::optional<Attention> attention;
  if (!kind) {
    return attention;
  }
  if (*kind == 0) {
    if (const auto grouped = read_grouped(r)) {
      attention = *grouped;
    }
  } else if (const auto latent = read_latent(r, diagnostics)) {
    attention = *latent;
  }
  r.finish();
  return attention;
}

std::optional<Mlp> read_mlp(const SpecNode& node, Diagnostics& diagnostics) {
  MapReader r(node, "ffn", diagnostics);
  const auto kind = r.required_choice("kind", {"dense", "moe"});
  std::optional<Mlp> mlp;
  if (kind) {
    mlp = *kind == 0 ? read_dense(r) : read_moe(r);
    r.finish();
  }
  return mlp;
}

}  // namespace fathom::model
