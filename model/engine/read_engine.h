#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "model/engine/engine.h"

#include <optional>

namespace fathom::model {

/// Reads configs/engines/<id>.yaml.
std::optional<EngineSpec> read_engine(const hardware::SpecNode& node,
                                      hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
