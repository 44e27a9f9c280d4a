#pragma once

#include "cli/report/context.h"
#include "cli/report/document.h"
#include "hardware/machine/system.h"

#include <string>
#include <vector>

namespace fathom::cli {

/// An all-reduce as priced: seconds at the point of intervals and at their ends.
struct ReducePrice {
  double bytes = 0;
  int ranks = 2;
  double seconds = 0;
  double fast = 0;
  double slow = 0;
  double latency = 0;          ///< the part that does not go with the size
  double library_seconds = 0;  ///< without an engine's own kernels
};

/// A machine with the ends of its intervals and its all-reduces.
struct SystemView {
  hardware::SystemSpec point;
  hardware::SystemSpec slow;
  hardware::SystemSpec fast;
  std::vector<ReducePrice> reduces;  ///< by size, then ranks
};

std::string system_text(const SystemView& view, const ReportContext& context);
Document system_document(const SystemView& view, const ReportContext& context);

/// "nvlink"
const char* link_name(hardware::LinkKind kind);

}  // namespace fathom::cli
