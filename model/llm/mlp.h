#pragma once

#include "model/llm/roles.h"

#include <variant>

namespace fathom::model {

struct DenseMlp {
  Count width = 0;
  bool gated = true;
  bool bias = false;
  friend bool operator==(const DenseMlp&, const DenseMlp&) = default;
};

struct MoeMlp {
  Count experts = 0;
  Count top_k = 0;
  Count width = 0;         ///< of one expert
  Count shared_width = 0;  ///< all that every token takes beside the routed experts; 0 = none
  bool gated = true;
  bool router_bias = false;  ///< a correction term per expert, outside the checkpoint's GEMMs
  bool router_linear_bias = false;  ///< a bias of the router's own projection
  bool shared_gate = false;         ///< a scalar gate on the shared experts
  bool bias = false;                ///< biases of the experts' own projections
  bool scales = false;              ///< a scale of the router's input and one for each expert
  Count latent = 0;          ///< experts work in this width instead of the hidden size; 0 = hidden
  bool latent_norm = false;  ///< a norm of `latent` elements beside it
  Count zero_experts = 0;    ///< extra choices of the router that cost nothing
  Count hash_tokens = 0;     ///< rows of a table from token to experts; 0 = a learned choice

  /// Experts that a token draws on average: choices that cost nothing take their share.
  [[nodiscard]] double mean_picks() const {
    return static_cast<double>(top_k) * static_cast<double>(experts) /
           static_cast<double>(experts + zero_experts);
  }
  friend bool operator==(const MoeMlp&, const MoeMlp&) = default;
};

/// A block without FFN (a mixer on its own).
struct NoMlp {
  friend bool operator==(const NoMlp&, const NoMlp&) = default;
};

using Mlp = std::variant<DenseMlp, MoeMlp, NoMlp>;

}  // namespace fathom::model
