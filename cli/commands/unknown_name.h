#pragma once

#include "cli/commands/spec_kind.h"

#include <string>

namespace fathom::cli {

/// Says that there is no spec of that name: the nearest names, or that a file does not exist, or
/// where the library was looked for when there is none. `beside` is the folder of the file that
/// names it, if any.
void report_unknown(const SpecLibrary& library, SpecKind kind, const std::string& name,
                    const hardware::Mark& from, const std::string& beside,
                    hardware::Diagnostics& diagnostics);

/// Says that no library was found and how to name one; once only.
void report_no_library(const SpecLibrary& library, hardware::Diagnostics& diagnostics);

}  // namespace fathom::cli
