#include "cli/commands/spec_kind.h"

#include "hardware/base/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace fathom::cli {

const char* kind_name(SpecKind kind) {
  switch (kind) {
    case SpecKind::Model:
      return "model";
    case SpecKind::Accelerator:
      return "accelerator";
    case SpecKind::System:
      return "system";
    case SpecKind::Engine:
      return "engine";
    case SpecKind::Kernels:
      return "kernels";
  }
  return "";
}

std::string kind_folder(SpecKind kind) {
  return kind == SpecKind::Kernels ? "kernels" : std::string(kind_name(kind)) + "s";
}

const char* kind_root(SpecKind kind) {
  return kind == SpecKind::Kernels ? "coefficients" : kind_name(kind);
}

std::optional<SpecKind> kind_of(const hardware::SpecNode& tree) {
  // A system names its accelerator and an engine has a section `kernels`, so they come first.
  if (tree.find("system") != nullptr ||
      (tree.find("accelerator") != nullptr && tree.find("gpus_per_node") != nullptr)) {
    return SpecKind::System;
  }
  if (tree.find("engine") != nullptr) {
    return SpecKind::Engine;
  }
  for (const SpecKind kind : {SpecKind::Model, SpecKind::Accelerator, SpecKind::Kernels}) {
    if (tree.find(kind_name(kind)) != nullptr) {
      return kind;
    }
  }
  return std::nullopt;
}

std::optional<hardware::AcceleratorSpec> find_accelerator(SpecLibrary& library,
                                                          const std::string& name,
                                                          const hardware::Mark& mark,
                                                          hardware::Diagnostics& diagnostics) {
  std::error_code ignored;
  const std::string path =
      std::filesystem::is_regular_file(name, ignored) ? name : library.find("accelerators", name);
  if (path.empty()) {
    const auto near = hardware::nearest_names(name, library.list("accelerators"), 3);
    diagnostics.error(mark, fmt::format("unknown accelerator '{}'", name),
                      fmt::format("the nearest are {}; or give the path of an accelerator file",
                                  fmt::join(near, ", ")));
    return std::nullopt;
  }
  const hardware::SpecNode* tree = library.tree(path, "accelerator", diagnostics);
  return tree == nullptr ? std::nullopt : hardware::read_accelerator(*tree, diagnostics);
}

}  // namespace fathom::cli
