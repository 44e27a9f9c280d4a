#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "model/llm/model_spec.h"

#include <optional>

namespace fathom::model {

/// Reads configs/models/<id>.yaml. Every architectural field is required; published totals are
/// assertions (half a unit of the last digit written). Leaves diagnostics where it is wrong.
std::optional<ModelSpec> read_model(const hardware::SpecNode& node,
                                    hardware::Diagnostics& diagnostics);

/// Half a unit of the last digit of a number as written: "744e9" 0.5e9, "30.5e9" 0.05e9, "1200"
/// 0.5.
double half_last_digit(const std::string& text);

/// The model with its weights in another format: linear and expert weights in `format`; embedding,
/// lm_head, router and norms stay 16-bit (docs/physics.md section 1).
ModelSpec with_weight_format(const ModelSpec& model, Format format);

}  // namespace fathom::model
