#pragma once

#include "cli/commands/spec_library.h"
#include "cli/report/show_system_report.h"

#include <vector>

namespace fathom::cli {

/// The all-reduce of 1 KiB to 64 MiB among 2, 4, 8 ... and all GPUs of a node, as `price` sees it:
/// by the fastest route, at the ends of intervals, and by the library alone.
std::vector<ReducePrice> price_ladder(const SystemSet& system,
                                      const hardware::Coefficients& coefficients);

}  // namespace fathom::cli
