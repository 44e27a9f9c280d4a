#include "cli/commands/unknown_name.h"

#include "cli/commands/config_folders.h"
#include "hardware/base/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::cli {
namespace {

constexpr const char* kNoLibrary = "no library of models and systems was found";

/// "2x-my-box.yaml": a count before a file.
std::string counted_file(const std::string& name) {
  const auto end = name.find("x-");
  const bool counted = end != std::string::npos && end > 0 &&
                       std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(end),
                                   [](char c) { return c >= '0' && c <= '9'; });
  return counted && is_file(name.substr(end + 2)) ? name.substr(end + 2) : std::string();
}

/// What else may be written, by kind.
std::string other_ways(SpecKind kind) {
  switch (kind) {
    case SpecKind::Model:
      return "; or pass a config.json, a GGUF file or a spec (configs/README.md)";
    case SpecKind::System:
      return "; write <N>x- before one, or write a system in ten lines (configs/README.md)";
    case SpecKind::Accelerator:
      return "; or give the path of an accelerator file";
    case SpecKind::Engine:
    case SpecKind::Kernels:
      break;
  }
  return {};
}

}  // namespace

void report_no_library(const SpecLibrary& library, hardware::Diagnostics& diagnostics) {
  const auto& all = diagnostics.all();
  const bool said = std::any_of(all.begin(), all.end(), [](const hardware::Diagnostic& d) {
    return d.message.rfind(kNoLibrary, 0) == 0;
  });
  if (!said) {
    diagnostics.error(
        {}, fmt::format("{}; looked in {}", kNoLibrary, fmt::join(library.looked(), ", ")),
        "name its folder with --config-path FOLDER or in FATHOM_PATH");
  }
}

void report_unknown(const SpecLibrary& library, SpecKind kind, const std::string& name,
                    const hardware::Mark& from, const std::string& beside,
                    hardware::Diagnostics& diagnostics) {
  if (const std::string file = counted_file(name); kind == SpecKind::System && !file.empty()) {
    diagnostics.error(from, fmt::format("'{}': a system file is taken whole", name),
                      fmt::format("write {} and --gpus {}", file, name.substr(0, name.find("x-"))));
    return;
  }
  if (looks_like_path(name)) {
    const std::string where = beside.empty() ? "" : fmt::format(" beside the system or here");
    diagnostics.error(from, fmt::format("no such file '{}'{}", name, where));
    return;
  }
  if (library.folders().empty()) {
    report_no_library(library, diagnostics);
    return;
  }
  const auto near = hardware::nearest_names(name, library.list(kind_folder(kind)), 3);
  std::string help = fmt::format("the nearest are {}{}", fmt::join(near, ", "), other_ways(kind));
  if (!beside.empty() && is_file(in_folder(beside, name + ".yaml"))) {
    help = fmt::format("{0}.yaml lies beside the system: write '{0}.yaml'", name);
  }
  const std::string what = kind == SpecKind::Kernels ? "kernel file" : kind_name(kind);
  diagnostics.error(from, fmt::format("unknown {} '{}'", what, name), help);
}

}  // namespace fathom::cli
