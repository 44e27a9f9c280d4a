#include "model/llm/block_rules.h"

#include "model/llm/block_keys.h"

#include <fmt/format.h>

namespace fathom::model {
namespace {

using Fault = std::optional<BlockFault>;

Fault picks_fault(const std::optional<Indexer>& x) {
  if (x && x->top_k % x->block != 0) {
    return BlockFault{"indexer", fmt::format("top_k {} is no multiple of the block of {} tokens",
                                             x->top_k, x->block)};
  }
  return std::nullopt;
}

Fault fault(const GroupedAttention& a) {
  if (a.heads % a.kv_heads != 0) {
    return BlockFault{"kv_heads", fmt::format("{} query heads do not divide into {} KV heads",
                                              a.heads, a.kv_heads)};
  }
  if (a.window > 0 && a.chunk > 0) {
    return BlockFault{"chunk", "a layer has a window or a chunk, not both"};
  }
  if (a.indexer && a.window + a.chunk > 0) {
    return BlockFault{"indexer", "a layer picks its tokens or has a window or chunk, not both"};
  }
  if (a.value_is_key && a.value_head != a.head) {
    return BlockFault{"value_is_key",
                      fmt::format("values of {} cannot be keys of {}", a.value_head, a.head)};
  }
  return picks_fault(a.indexer);
}

Fault fault(const LatentAttention& a) { return picks_fault(a.indexer); }

Fault fault(const CompressedAttention& a) {
  if (a.heads * a.head % a.output_groups != 0) {
    return BlockFault{"output_groups",
                      fmt::format("{} heads of {} do not divide into {} output groups", a.heads,
                                  a.head, a.output_groups)};
  }
  if (a.rope_head > a.head) {
    return BlockFault{"rope_head",
                      fmt::format("rope_head {} exceeds the head of {}", a.rope_head, a.head)};
  }
  if (a.indexer && a.ratio == 0) {
    return BlockFault{"indexer", "an indexer picks compressed entries: it needs a ratio"};
  }
  if (a.indexer && (a.indexer->block != 1 || a.indexer->shared)) {
    return BlockFault{"indexer",
                      "an indexer of compressed entries has no 'block' and is not 'shared'"};
  }
  return std::nullopt;
}

Fault fault(const Mamba2& m) {
  if (m.heads % m.groups != 0) {
    return BlockFault{"groups",
                      fmt::format("{} heads do not divide into {} groups", m.heads, m.groups)};
  }
  return std::nullopt;
}

Fault fault(const DeltaNet& m) {
  if (m.value_heads % m.key_heads != 0) {
    return BlockFault{"key_heads", fmt::format("{} value heads do not divide into {} key heads",
                                               m.value_heads, m.key_heads)};
  }
  return std::nullopt;
}

Fault fault(const MoeMlp& f) {
  if (f.top_k > f.experts + f.zero_experts) {
    return BlockFault{"top_k", fmt::format("top_k {} exceeds the {} experts", f.top_k, f.experts)};
  }
  if (f.latent_norm && f.latent == 0) {
    return BlockFault{"latent_norm", "a latent_norm needs a latent width"};
  }
  return std::nullopt;
}

template <class Block>
Fault fault(const Block& /*block*/) {
  return std::nullopt;
}

/// Finds a size that no spec file can say.
class RangeFinder {
 public:
  void need(std::string_view key, const Count& value) { look(key, value, 1); }
  void may(std::string_view key, const Count& value, Count absent) {
    if (value != absent) {
      look(key, value, 1);
    }
  }
  void none(std::string_view key, const Count& value) { look(key, value, 0); }
  void need(std::string_view /*key*/, const bool& /*value*/) {}
  void may(std::string_view /*key*/, const bool& /*value*/) {}
  void may_true(std::string_view /*key*/, const bool& /*value*/) {}
  template <class E, std::size_t N>
  void choice(std::string_view /*key*/, const E& /*value*/,
              const std::array<std::string_view, N>& /*words*/) {}
  template <class E, std::size_t N>
  void may_choice(std::string_view /*key*/, const E& /*value*/,
                  const std::array<std::string_view, N>& /*words*/) {}
  template <class Block>
  void child(std::string_view /*key*/, std::optional<Block>& value) {
    if (value) {
      visit_keys(*value, *this);
    }
  }

  void look(std::string_view key, Count value, Count low, Count high = kMaxDimension) {
    if (!found_ && (value < low || value > high)) {
      found_ = BlockFault{std::string(key),
                          fmt::format("{} is {}, not from {} to {}", key, value, low, high)};
    }
  }
  [[nodiscard]] const Fault& found() const { return found_; }

 private:
  Fault found_;
};

}  // namespace

std::optional<BlockFault> block_fault(const Attention& attention) {
  return std::visit([](const auto& block) { return fault(block); }, attention);
}

std::optional<BlockFault> block_fault(const Mlp& mlp) {
  return std::visit([](const auto& block) { return fault(block); }, mlp);
}

std::optional<BlockFault> layer_fault(const LayerKind& layer) {
  RangeFinder finder;
  finder.look("number of layers", layer.count, 1, kMaxLayers);
  finder.look("norms", layer.norms, 0, kMaxNorms);
  finder.look("hyper_streams", layer.hyper_streams, 0, kMaxHyperStreams);
  finder.look("per_layer_width", layer.per_layer_width, 0);
  const auto visit = [&finder](auto block) { visit_keys(block, finder); };
  std::visit(visit, layer.attention);
  std::visit(visit, layer.mlp);
  if (finder.found()) {
    return finder.found();
  }
  // Rules divide by sizes: only now are these known not to be 0.
  const Fault attention = block_fault(layer.attention);
  return attention ? attention : block_fault(layer.mlp);
}

}  // namespace fathom::model
