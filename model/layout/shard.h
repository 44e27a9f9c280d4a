#pragma once

#include "model/layout/layout.h"
#include "model/llm/cache.h"
#include "model/llm/model_spec.h"
#include "model/llm/tensors.h"

#include <array>
#include <vector>

namespace fathom::model {

/// What one rank holds of a tensor.
struct LocalTensor {
  Count rows = 0;
  Count columns = 0;
  Count count = 0;  ///< matrices on this rank
  Bytes bytes;      ///< stored, padding of FP4 shards included
  Format format = Format::Bf16;
};

/// One rank's part of one layer of a kind.
struct LayerShard {
  LayerKind kind;
  std::array<LocalTensor, kRoleCount> tensors{};
  Count kv_heads = 1;  ///< held by this rank
  LayerCache cache;    ///< of one sequence
  Bytes kv_cache_row;  ///< = cache.row: keys and values, or the latent, of one entry
  Bytes kv_index_row;  ///< = cache.index: index key
  Bytes weight_bytes;

  [[nodiscard]] const LocalTensor& at(Role role) const {
    return tensors.at(static_cast<std::size_t>(role));
  }
};

/// The deepest pipeline that is priced.
inline constexpr Count kMaxStages = 256;

/// How many layers of each kind a pipeline stage holds.
struct Stage {
  std::vector<Count> layers;  ///< by index into Shard::layers
  bool first = false;         ///< holds the embedding
  bool last = false;          ///< holds final norm, lm_head and MTP
};

/// What the ranks of a layout hold. Computed once per layout.
struct Shard {
  Layout layout;
  Count hidden = 0;
  Count vocabulary = 0;
  std::vector<LayerShard> layers;  ///< one per layer kind
  std::vector<LayerShard> mtp;     ///< one per MTP layer kind
  LocalTensor embedding, lm_head, final_norm, mtp_projection, mtp_norms;
  LocalTensor per_layer_projection;  ///< onto the layers' own embeddings
  Bytes first_bytes;                 ///< of the first stage beside its layers and the embedding
  Bytes last_bytes;                  ///< of the last stage beside layers, final norm and lm_head
  std::vector<Stage> stages;         ///< pp of them
  Format kv_format = Format::Bf16;

  /// Weights of one rank of a stage; MTP on the last stage when `with_mtp`.
  [[nodiscard]] Bytes weight_bytes(const Stage& stage, bool with_mtp) const;
  /// Cache bytes per token of one rank of a stage while no window is full, before dcp divides it.
  [[nodiscard]] Bytes kv_bytes_per_token(const Stage& stage, bool with_mtp) const;
  /// Cache bytes of a sequence of so many tokens on one rank of a stage: dcp divides the rows and
  /// keys, not the recurrent state.
  [[nodiscard]] Bytes sequence_bytes(const Stage& stage, double tokens, bool with_mtp) const;
  /// The part of it that does not depend on the length: recurrent state and rings.
  [[nodiscard]] Bytes fixed_bytes(const Stage& stage, bool with_mtp) const;
  /// True where a sequence is more than a number of equal tokens: windows, rings or state.
  [[nodiscard]] bool has_bounded_cache() const;
};

/// Divides a legal layout's model. Layers go to stages in order, the first stages holding one more
/// where they do not divide. Assumes: FP4 shards are padded to 128 rows and 64 columns.
Shard make_shard(const ModelSpec& model, const Layout& layout, Format kv_format);

}  // namespace fathom::model
