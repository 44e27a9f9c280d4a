#include "model/llm/read_blocks.h"

#include "hardware/base/map_reader.h"
#include "model/llm/block_keys.h"
#include "model/llm/block_rules.h"

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
    const auto fault = keys.sound() ? block_fault(Variant(block)) : std::nullopt;
    if (fault) {
      r.error(fault->key, fault->message);
    }
    r.finish();
    return keys.sound() && !fault ? std::optional<Variant>(block) : std::nullopt;
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
