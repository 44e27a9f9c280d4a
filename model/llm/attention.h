#pragma once

#include "model/llm/roles.h"

#include <cstdint>
#include <optional>
#include <variant>

namespace fathom::model {

/// The index scan of a sparse attention: `top_k` tokens of the context are attended.
/// DSA picks single tokens (`block` 1); block-sparse attention picks whole blocks.
struct Indexer {
  Count heads = 0;
  Count head = 0;
  Count top_k = 0;      ///< tokens attended
  Count block = 1;      ///< tokens of one pick
  bool shared = false;  ///< reuses the picks of an earlier layer: no weights, no keys, no scan
  friend bool operator==(const Indexer&, const Indexer&) = default;
};

/// Query, key and value heads (MHA, GQA, MQA). Keys of `head`, values of `value_head` elements.
struct GroupedAttention {
  Count heads = 0;
  Count kv_heads = 0;
  Count head = 0;
  Count value_head = 0;  ///< = head unless given
  Count window = 0;      ///< tokens seen and kept; 0 = all
  Count chunk = 0;       ///< attention restarts at each multiple of it; 0 = never
  Count query_rank = 0;  ///< rank of a low-rank query; 0 = projected directly
  bool qkv_bias = false;
  bool output_bias = false;
  enum class QkNorm : std::uint8_t { None, Head, Full } qk_norm = QkNorm::None;
  enum class Gate : std::uint8_t { None, Element, Head } gate = Gate::None;  ///< on the output
  bool sinks = false;         ///< one learned logit a head; no cache
  bool shared_kv = false;     ///< reads the cache of an earlier layer: no keys or values of its own
  bool value_is_key = false;  ///< no value projection; keys and values are still cached apart
  std::optional<Indexer> indexer;
  friend bool operator==(const GroupedAttention&, const GroupedAttention&) = default;
};

/// Multi-head latent attention. `query_rank` 0 = the query is projected directly.
struct LatentAttention {
  Count heads = 0;
  Count query_rank = 0;
  Count latent_rank = 0;
  Count nope_head = 0;
  Count rope_head = 0;
  Count value_head = 0;
  bool gate = false;  ///< output gate of heads x value_head elements
  std::optional<Indexer> indexer;
  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

/// DeepSeek-V4: one latent of `head` elements serves as key and value; a window of raw entries and,
/// where `ratio` > 0, one compressed entry for each `ratio` tokens. The output is projected in
/// groups to `output_rank` and then to the hidden size.
struct CompressedAttention {
  Count heads = 0;
  Count query_rank = 0;
  Count head = 0;
  Count rope_head = 0;
  Count window = 0;
  Count ratio = 0;
  Count output_groups = 0;
  Count output_rank = 0;
  std::optional<Indexer> indexer;  ///< picks among the compressed entries
  friend bool operator==(const CompressedAttention&, const CompressedAttention&) = default;
};

/// Selective state space, first form (Jamba): a state of `state` for each of `inner` channels.
struct Mamba1 {
  Count inner = 0;
  Count state = 0;
  Count conv = 0;     ///< taps of the causal convolution
  Count dt_rank = 0;  ///< rank of the step size
  bool conv_bias = true;
  friend bool operator==(const Mamba1&, const Mamba1&) = default;
};

/// Selective state space, second form: heads of `head` channels; B and C shared by groups.
struct Mamba2 {
  Count heads = 0;
  Count head = 0;
  Count groups = 0;
  Count state = 0;
  Count conv = 0;
  bool conv_bias = true;
  friend bool operator==(const Mamba2&, const Mamba2&) = default;
};

/// Gated delta rule (Qwen3-Next): state of key_head x value_head for each value head.
struct DeltaNet {
  Count key_heads = 0;
  Count value_heads = 0;
  Count key_head = 0;
  Count value_head = 0;
  Count conv = 0;
  friend bool operator==(const DeltaNet&, const DeltaNet&) = default;
};

/// Delta rule with a decay for each key channel (Kimi Delta Attention): state head x head.
struct KeyedDelta {
  Count heads = 0;
  Count head = 0;
  Count conv = 0;
  Count decay_rank = 0;
  Count gate_rank = 0;  ///< 0 = a full-rank output gate
  friend bool operator==(const KeyedDelta&, const KeyedDelta&) = default;
};

/// Linear attention with a fixed decay a head (MiniMax-01, M1): state head x head.
struct LightningAttention {
  Count heads = 0;
  Count head = 0;
  friend bool operator==(const LightningAttention&, const LightningAttention&) = default;
};

/// A block that mixes no tokens (an FFN on its own).
struct NoAttention {
  friend bool operator==(const NoAttention&, const NoAttention&) = default;
};

/// What mixes tokens in a layer. A new kind is a new alternative here, a row of keys in
/// `block_keys.h`, its tensors and its cache; the compiler lists the rest.
using Attention = std::variant<GroupedAttention, LatentAttention, CompressedAttention, Mamba1,
                               Mamba2, DeltaNet, KeyedDelta, LightningAttention, NoAttention>;

}  // namespace fathom::model
