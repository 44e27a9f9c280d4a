#pragma once

#include "model/llm/model_spec.h"

#include <optional>
#include <string>

namespace fathom::model {

/// No extent, count of heads or experts of a model is larger; larger is a slip of the pen.
inline constexpr Count kMaxDimension = 100'000'000;
/// No model has more layers of one kind.
inline constexpr Count kMaxLayers = 10'000;
inline constexpr Count kMaxNorms = 16;
inline constexpr Count kMaxHyperStreams = 64;

/// What is wrong with a block, and the key where it shows.
struct BlockFault {
  std::string key;
  std::string message;
};

/// Rules between the sizes of one block: heads that divide, experts enough for top_k.
std::optional<BlockFault> block_fault(const Attention& attention);
std::optional<BlockFault> block_fault(const Mlp& mlp);

/// What in a layer no spec file can say: a size out of range, or a rule broken. For models that
/// were not read from one.
std::optional<BlockFault> layer_fault(const LayerKind& layer);

}  // namespace fathom::model
