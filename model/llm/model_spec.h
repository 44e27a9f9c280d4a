#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fathom::model {

using hardware::Bytes;
using hardware::Count;
using hardware::Format;

/// Groups of weights that a checkpoint quantises together.
enum class Group : std::uint8_t {
  Embedding,
  Attention,
  Indexer,
  Router,
  RoutedExperts,
  SharedExperts,
  DenseFfn,
  Norm,
  LmHead,
  Mtp,
};
inline constexpr int kGroupCount = 10;

/// Query, key and value heads (MHA, GQA, MQA). Keys and values of `head` elements.
struct GroupedAttention {
  Count heads = 0;
  Count kv_heads = 0;
  Count head = 0;
  Count value_head = 0;  ///< = head unless given
  Count window = 0;      ///< 0 = full
  bool qkv_bias = false;
  bool output_bias = false;
  enum class QkNorm : std::uint8_t { None, Head, Full } qk_norm = QkNorm::None;
  friend bool operator==(const GroupedAttention&, const GroupedAttention&) = default;
};

/// The index scan of a sparse attention (DSA): top_k of the context are attended.
struct Indexer {
  Count heads = 0;
  Count head = 0;
  Count top_k = 0;
  friend bool operator==(const Indexer&, const Indexer&) = default;
};

/// Multi-head latent attention. `query_rank` 0 = the query is projected directly.
struct LatentAttention {
  Count heads = 0;
  Count query_rank = 0;
  Count latent_rank = 0;
  Count nope_head = 0;
  Count rope_head = 0;
  Count value_head = 0;
  std::optional<Indexer> indexer;
  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

using Attention = std::variant<GroupedAttention, LatentAttention>;

struct DenseMlp {
  Count width = 0;
  bool gated = true;
  friend bool operator==(const DenseMlp&, const DenseMlp&) = default;
};

struct MoeMlp {
  Count experts = 0;
  Count top_k = 0;
  Count width = 0;         ///< of one expert
  Count shared_width = 0;  ///< all shared experts together, 0 = none
  bool gated = true;
  bool router_bias = false;  ///< a correction term per expert
  bool shared_gate = false;  ///< a scalar gate on the shared experts
  friend bool operator==(const MoeMlp&, const MoeMlp&) = default;
};

using Mlp = std::variant<DenseMlp, MoeMlp>;

using Formats = std::array<Format, kGroupCount>;

/// `count` equal layers.
struct LayerKind {
  Count count = 0;
  Attention attention;
  Mlp mlp;
  Count norms = 2;  ///< of `hidden` elements each
  Formats formats{};
};

/// What was published, checked on load and never an input; 0 = not given.
struct Published {
  double total_parameters = 0;
  double active_parameters = 0;
  double weight_bytes = 0;
};

/// What is true of an LLM with no machine in sight.
struct ModelSpec {
  std::string id;
  std::string hugging_face;
  Count hidden = 0;
  Count vocabulary = 0;
  Count max_context = 0;
  bool tied_embeddings = false;
  std::vector<LayerKind> layers;
  std::vector<LayerKind> mtp;        ///< multi-token prediction layers, kept apart
  bool mtp_shared_embedding = true;  ///< false: the checkpoint stores copies of embedding and head
  bool mtp_in_checkpoint = true;
  Formats formats{};                ///< of groups outside the layers
  Format kv_format = Format::Bf16;  ///< the checkpoint's default cache format
  Published published;

  [[nodiscard]] Count layer_count() const;
  [[nodiscard]] bool is_moe() const;
};

std::string group_name(Group group);

}  // namespace fathom::model
