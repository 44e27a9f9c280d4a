#pragma once

#include "hardware/base/map_reader.h"
#include "hardware/base/spec_node.h"
#include "hardware/machine/system.h"

#include <optional>

namespace fathom::hardware {

/// Reads configs/accelerators/<id>.yaml; `end` says which end of intervals is taken. Leaves
/// diagnostics where it is wrong.
std::optional<AcceleratorSpec> read_accelerator(const SpecNode& node, Diagnostics& diagnostics,
                                                IntervalEnd end = IntervalEnd::Point);

/// Reads configs/systems/<id>.yaml for `gpus` GPUs (0 = the whole node); the accelerator has been
/// read already. `end` says which end of intervals is taken. More GPUs than the node holds is an
/// error that names the key `fabric`.
std::optional<SystemSpec> read_system(const SpecNode& node, const AcceleratorSpec& accelerator,
                                      Count gpus, IntervalEnd end, Diagnostics& diagnostics);

/// The accelerator that a system spec names, without reading the rest.
std::optional<std::string> accelerator_of(const SpecNode& system, Diagnostics& diagnostics);

}  // namespace fathom::hardware
