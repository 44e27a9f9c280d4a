#pragma once

#include "cli/report/context.h"
#include "cli/report/document.h"
#include "hardware/machine/accelerator.h"

#include <string>

namespace fathom::cli {

/// One accelerator: capacity, bandwidth, dense peaks at their clock, power.
std::string accelerator_text(const hardware::AcceleratorSpec& accelerator,
                             const ReportContext& context);
Document accelerator_document(const hardware::AcceleratorSpec& accelerator,
                              const ReportContext& context);

}  // namespace fathom::cli
