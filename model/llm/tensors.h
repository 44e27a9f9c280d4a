#pragma once

#include "model/llm/model_spec.h"

#include <vector>

namespace fathom::model {

/// What a weight matrix does; one layer has each at most once.
enum class Role : std::uint8_t {
  Embedding,
  LmHead,
  FinalNorm,  // outside the layers
  Norms,
  QkNorms,
  Query,
  Key,
  Value,
  QkvBias,
  Output,
  OutputBias,  // grouped attention
  QueryDown,
  QueryUp,
  LatentDown,
  LatentUp,
  LatentNorms,  // latent attention
  IndexQuery,
  IndexKey,
  IndexKeyNorm,
  IndexWeights,  // indexer
  DenseUp,
  DenseDown,  // dense FFN (up holds the gate too)
  Router,
  RouterBias,
  ExpertUp,
  ExpertDown,
  SharedUp,
  SharedDown,
  SharedGate,
  MtpProjection,
  MtpNorms,
};
inline constexpr int kRoleCount = 31;

/// How a layout divides a tensor over the ranks of its group (docs/physics.md section 1).
enum class Split : std::uint8_t {
  Replicated,
  Heads,          ///< rows (output features) over attention TP
  KvHeads,        ///< rows over attention TP, replicated once TP exceeds the KV heads
  HeadInputs,     ///< columns (input features) over attention TP
  Vocabulary,     ///< rows over attention TP, padded
  FfnRows,        ///< rows over attention TP
  FfnColumns,     ///< columns over attention TP
  ExpertRows,     ///< whole experts over EP, rows over the experts' TP
  ExpertColumns,  ///< whole experts over EP, columns over the experts' TP
};

/// `count` equal matrices of rows (output features) x columns (input features).
struct Tensor {
  Role role = Role::Norms;
  Group group = Group::Norm;
  Format format = Format::Bf16;
  Split split = Split::Replicated;
  Count rows = 1;
  Count columns = 1;
  Count count = 1;

  [[nodiscard]] Count parameters() const { return rows * columns * count; }
  [[nodiscard]] Bytes bytes() const;
};

/// The tensors of one layer. Equations: docs/physics.md section 1.
std::vector<Tensor> layer_tensors(const LayerKind& layer, Count hidden);

/// Embedding, final norm and (unless tied) lm_head.
std::vector<Tensor> outer_tensors(const ModelSpec& model);

/// What an MTP layer holds beside a layer: projection 2h -> h, norms, and copies of embedding and
/// head where the checkpoint stores them.
std::vector<Tensor> mtp_tensors(const ModelSpec& model, const LayerKind& layer);

}  // namespace fathom::model
