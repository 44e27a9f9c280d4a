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

/// True where the tree is of that kind or may be; else one diagnostic says what it is.
bool is_kind(const hardware::SpecNode& tree, SpecKind wanted, hardware::Diagnostics& diagnostics);

/// Whether a name on the command line is that of a system or of a model, by the library or the
/// keys of its file.
bool names_system(const SpecLibrary& library, const std::string& name);
bool names_model(const SpecLibrary& library, const std::string& name);

/// Says what to write where no first-level key names the kind.
void refuse_kind(const hardware::SpecNode& tree, hardware::Diagnostics& diagnostics);

}  // namespace fathom::cli
