#include "model/llm/read_blocks.h"

#include "hardware/base/map_reader.h"
#include "model/llm/block_keys.h"

#include <fmt/format.h>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::MapReader;
using hardware::SpecNode;

/// Fills a block from a map; `sound` tells whether every required key was there and right.
class KeyReader {
 public:
  KeyReader(MapReader& reader, Diagnostics& diagnostics)
      : reader_(&reader), diagnostics_(&diagnostics) {}

  void need(std::string_view key, Count& value) {
    take(reader_->required_count(key, 1, kMaxDimension), value);
  }
  void need(std::string_view key, bool& value) { take(reader_->required_bool(key), value); }
  void may(std::string_view key, Count& value, Count absent) {
    value = reader_->optional_count(key, 1, kMaxDimension).value_or(absent);
  }
  void may(std::string_view key, bool& value) {
    value = reader_->optional_bool(key).value_or(false);
  }
  void may_true(std::string_view key, bool& value) {
    value = reader_->optional_bool(key).value_or(true);
  }
  void none(std::string_view key, Count& value) {
    const SpecNode* node = reader_->optional_node(key);
    if (node != nullptr && node->kind == SpecNode::Kind::Scalar && node->text == "none") {
      value = 0;
      return;
    }
    take(reader_->required_count(key, 0, kMaxDimension), value);
  }
  template <class E, std::size_t N>
  void choice(std::string_view key, E& value, const std::array<std::string_view, N>& words) {
    const auto index = reader_->required_choice(key, {words.begin(), words.end()});
    sound_ = sound_ && index.has_value();
    value = static_cast<E>(index.value_or(0));
  }
  template <class E, std::size_t N>
  void may_choice(std::string_view key, E& value, const std::array<std::string_view, N>& words) {
    value = static_cast<E>(reader_->optional_choice(key, {words.begin(), words.end()}).value_or(0));
  }
  template <class Block>
  void child(std::string_view key, std::optional<Block>& value) {
    const SpecNode* node = reader_->optional_node(key);
    if (node == nullptr) {
      return;
    }
    MapReader inner(*node, std::string(key), *diagnostics_);
    Block block;
    KeyReader keys(inner, *diagnostics_);
    visit_keys(block, keys);
    inner.finish();
    sound_ = sound_ && keys.sound() && inner.valid();
    value = block;
  }
  [[nodiscard]] bool sound() const { return sound_; }

 private:
  template <class T>
  void take(std::optional<T> read, T& value) {
    sound_ = sound_ && read.has_value();
    value = read.value_or(value);
  }

  MapReader* reader_;
  Diagnostics* diagnostics_;
  bool sound_ = true;
};

// Rules between the keys of one block; a message where one is broken.

bool check_picks(const std::optional<Indexer>& x, MapReader& r) {
  if (x && x->top_k % x->block != 0) {
    r.error("indexer",
            fmt::format("top_k {} is no multiple of the block of {} tokens", x->top_k, x->block));
    return false;
  }
  return true;
}

bool check(const GroupedAttention& a, MapReader& r) {
  if (a.heads % a.kv_heads != 0) {
    r.error("kv_heads",
            fmt::format("{} query heads do not divide into {} KV heads", a.heads, a.kv_heads));
    return false;
  }
  if (a.window > 0 && a.chunk > 0) {
    r.error("chunk", "a layer has a window or a chunk, not both");
    return false;
  }
  if (a.indexer && a.window + a.chunk > 0) {
    r.error("indexer", "a layer picks its tokens or has a window or chunk, not both");
    return false;
  }
  if (a.value_is_key && a.value_head != a.head) {
    r.error("value_is_key", fmt::format("values of {} cannot be keys of {}", a.value_head, a.head));
    return false;
  }
  return check_picks(a.indexer, r);
}

bool check(const LatentAttention& a, MapReader& r) { return check_picks(a.indexer, r); }

bool check(const CompressedAttention& a, MapReader& r) {
  if (a.heads * a.head % a.output_groups != 0) {
    r.error("output_groups", fmt::format("{} heads of {} do not divide into {} output groups",
                                         a.heads, a.head, a.output_groups));
    return false;
  }
  if (a.rope_head > a.head) {
    r.error("rope_head", fmt::format("rope_head {} exceeds the head of {}", a.rope_head, a.head));
    return false;
  }
  if (a.indexer && a.ratio == 0) {
    r.error("indexer", "an indexer picks compressed entries: it needs a ratio");
    return false;
  }
  if (a.indexer && (a.indexer->block != 1 || a.indexer->shared)) {
    r.error("indexer", "an indexer of compressed entries has no 'block' and is not 'shared'");
    return false;
  }
  return true;
}

bool check(const Mamba2& m, MapReader& r) {
  if (m.heads % m.groups != 0) {
    r.error("groups", fmt::format("{} heads do not divide into {} groups", m.heads, m.groups));
    return false;
  }
  return true;
}

bool check(const DeltaNet& m, MapReader& r) {
  if (m.value_heads % m.key_heads != 0) {
    r.error("key_heads", fmt::format("{} value heads do not divide into {} key heads",
                                     m.value_heads, m.key_heads));
    return false;
  }
  return true;
}

bool check(const MoeMlp& f, MapReader& r) {
  if (f.top_k > f.experts + f.zero_experts) {
    r.error("top_k", fmt::format("top_k {} exceeds the {} experts", f.top_k, f.experts));
    return false;
  }
  if (f.latent_norm && f.latent == 0) {
    r.error("latent_norm", "a latent_norm needs a latent width");
    return false;
  }
  return true;
}

template <class Block>
bool check(const Block& /*block*/, const MapReader& /*r*/) {
  return true;
}

/// The alternative number `kind` of a variant, filled from the map.
template <class Variant, std::size_t I = 0>
std::optional<Variant> read_alternative(std::size_t kind, MapReader& r, Diagnostics& diagnostics) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (kind != I) {
      return read_alternative<Variant, I + 1>(kind, r, diagnostics);
    }
    std::variant_alternative_t<I, Variant> block;
    KeyReader keys(r, diagnostics);
    visit_keys(block, keys);
    const bool sound = keys.sound() && check(block, r);
    r.finish();
    return sound ? std::optional<Variant>(block) : std::nullopt;
  }
  return std::nullopt;
}

template <class Variant, std::size_t N>
std::optional<Variant> read_block(const SpecNode& node, const std::string& what,
                                  const std::array<std::string_view, N>& kinds,
                                  Diagnostics& diagnostics) {
  MapReader r(node, what, diagnostics);
  const auto kind = r.required_choice("kind", {kinds.begin(), kinds.end()});
  return kind ? read_alternative<Variant>(*kind, r, diagnostics) : std::nullopt;
}

}  // namespace

std::optional<Attention> read_attention(const SpecNode& node, Diagnostics& diagnostics) {
  return read_block<Attention>(node, "attention", kAttentionKinds, diagnostics);
}

std::optional<Mlp> read_mlp(const SpecNode& node, Diagnostics& diagnostics) {
  return read_block<Mlp>(node, "ffn", kMlpKinds, diagnostics);
}

}  // namespace fathom::model
