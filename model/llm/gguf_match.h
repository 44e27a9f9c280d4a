#pragma once

#include "model/llm/gguf_block.h"
#include "model/llm/gguf_fields.h"
#include "model/llm/tensors.h"

#include <map>
#include <string>
#include <vector>

namespace fathom::model {

/// Of one cause, over all blocks: what the model has more (or less) than the file.
struct GgufDifference {
  Count places = 0;
  Count parameters = 0;
  double bytes = 0;
};

/// Causes, in words, with what they amount to.
using GgufDifferences = std::map<std::string, GgufDifference>;

/// Gives each tensor of the model the format in which the file stores it, and counts both sides.
/// Where the tensors of one role are stored in several formats, the one whose bytes come nearest
/// stands for all. Errors: a tensor whose type has no format here, a role without a tensor.
Formats match_formats(const std::string& place, const GgufBlock& block,
                      const std::vector<Tensor>& tensors, GgufFields& fields,
                      GgufDifferences& differences);

}  // namespace fathom::model
