#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "model/llm/model_spec.h"

namespace fathom::model {

/// Checks the claims of a `published:` map against the shapes and keeps them in the model. A claim
/// that the shapes do not give is an error with both figures.
void read_published(const hardware::SpecNode& node, ModelSpec& model,
                    hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
