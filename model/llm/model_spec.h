#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"
#include "model/llm/attention.h"
#include "model/llm/mlp.h"
#include "model/llm/roles.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::model {

using hardware::Bytes;

/// `count` equal layers.
struct LayerKind {
  std::string name;  ///< as `order` names it; may be empty where there is no order
  Count count = 0;
  Attention attention;
  Mlp mlp;
  Count norms = 2;            ///< of `hidden` elements each
  bool norm_bias = false;     ///< LayerNorm with a bias beside each weight
  bool parallel = false;      ///< attention and FFN read the same input and end in one sum
  bool scalar = false;        ///< one learned factor on the layer's output
  Count hyper_streams = 0;    ///< residual streams of hyper-connections; 0 = a plain residual
  Count per_layer_width = 0;  ///< width of the layer's own token embedding; 0 = none
  Formats formats{};
  friend bool operator==(const LayerKind&, const LayerKind&) = default;
};

/// Which parameters a published total counts.
enum class Counted : std::uint8_t { Main, WithMtp };

/// What was published, checked on load and never an input; 0 = not given.
struct Published {
  double total_parameters = 0;
  double active_parameters = 0;
  double weight_bytes = 0;
};

/// A token table of its own for each layer (Gemma 3n and 4): a look-up, never a GEMM.
struct PerLayerEmbedding {
  Count vocabulary = 0;
  Count width = 0;  ///< of one layer
  friend bool operator==(const PerLayerEmbedding&, const PerLayerEmbedding&) = default;
};

/// What is true of an LLM with no machine in sight.
struct ModelSpec {
  std::string id;
  std::string hugging_face;
  Count hidden = 0;
  Count vocabulary = 0;
  Count max_context = 0;
  bool tied_embeddings = false;
  bool lm_head_bias = false;
  std::optional<PerLayerEmbedding> per_layer_embedding;
  std::vector<LayerKind> layers;     ///< each kind once
  std::vector<std::uint16_t> order;  ///< index into `layers` for each layer; empty = as listed
  std::vector<LayerKind> mtp;        ///< multi-token prediction layers, kept apart
  bool mtp_shared_embedding = true;  ///< false: the checkpoint stores copies of embedding and head
  bool mtp_in_checkpoint = true;
  Formats formats{};                   ///< of roles outside the layers
  Format kv_format = Format::Bf16;     ///< the checkpoint's default cache format
  Format state_format = Format::Fp32;  ///< of recurrent state
  Bytes checkpoint_bytes;  ///< that its files really hold, vision towers and all; 0 = not known
  Published published;

  [[nodiscard]] Count layer_count() const;
  [[nodiscard]] bool is_moe() const;
  /// Index into `layers` of each layer in turn, whether or not `order` is given.
  [[nodiscard]] std::vector<std::uint16_t> layer_order() const;
};

}  // namespace fathom::model
