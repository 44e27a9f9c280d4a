#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "model/llm/model_spec.h"

#include <optional>

namespace fathom::model {

/// Reads an `attention:` map: `kind: grouped` or `kind: latent` with its shapes.
std::optional<Attention> read_attention(const hardware::SpecNode& node,
                                        hardware::Diagnostics& diagnostics);

/// Reads an `ffn:` map: `kind: dense` or `kind: moe` with its shapes.
std::optional<Mlp> read_mlp(const hardware::SpecNode& node, hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
