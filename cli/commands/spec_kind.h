#pragma once

#include "cli/commands/spec_library.h"

#include <optional>
#include <string>

namespace fathom::cli {

/// The kinds of spec files.
enum class SpecKind : std::uint8_t { Model, Accelerator, System, Engine, Kernels };

/// "model"; the folder of the library is the plural.
const char* kind_name(SpecKind kind);
std::string kind_folder(SpecKind kind);
/// The root under which `--set` changes a spec of that kind.
const char* kind_root(SpecKind kind);

/// The kind of a spec by its first-level keys; nothing where none tells.
std::optional<SpecKind> kind_of(const hardware::SpecNode& tree);

/// The accelerator of that id or path; a diagnostic at `mark` with the nearest ids when unknown.
std::optional<hardware::AcceleratorSpec> find_accelerator(SpecLibrary& library,
                                                          const std::string& name,
                                                          const hardware::Mark& mark,
                                                          hardware::Diagnostics& diagnostics);

}  // namespace fathom::cli
