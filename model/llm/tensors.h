#pragma once

#include "model/llm/model_spec.h"

#include <vector>

namespace fathom::model {

/// `count` equal matrices of rows (output features) x columns (input features).
struct Tensor {
  Role role = Role::Norms;
  Group group = Group::Norm;
  Format format = Format::Bf16;
  Split split = Split::Replicated;
  Count rows = 1;
  Count columns = 1;
  Count count = 1;

  /// 0 for a table of indices.
  [[nodiscard]] Count parameters() const;
  [[nodiscard]] Bytes bytes() const;
};

/// The tensors of one layer. Equations: docs/physics.md section 1.
std::vector<Tensor> layer_tensors(const LayerKind& layer, Count hidden);

/// Embedding, final norm, lm_head unless tied, and what else stands outside the layers.
std::vector<Tensor> outer_tensors(const ModelSpec& model);

/// What an MTP layer holds beside a layer: projection 2h -> h, norms, and copies of embedding and
/// head where the checkpoint stores them.
std::vector<Tensor> mtp_tensors(const ModelSpec& model, const LayerKind& layer);

}  // namespace fathom::model
