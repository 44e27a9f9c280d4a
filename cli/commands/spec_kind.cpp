#include "cli/commands/spec_kind.h"

#include "cli/commands/config_folders.h"
#include "hardware/base/spec_reader.h"
#include "hardware/base/suggest.h"

#include <fmt/format.h>

namespace fathom::cli {
namespace {

/// "a model", "an accelerator", "a kernel file".
std::string kind_words(SpecKind kind) {
  if (kind == SpecKind::Kernels) {
    return "a kernel file";
  }
  const std::string name = kind_name(kind);
  return (name.front() == 'a' || name.front() == 'e' ? "an " : "a ") + name;
}

/// A config.json of Hugging Face.
bool is_foreign_config(const hardware::SpecNode& tree) {
  return tree.find("model_type") != nullptr || tree.find("architectures") != nullptr;
}

void refuse_foreign_config(const hardware::SpecNode& tree, hardware::Diagnostics& diagnostics) {
  diagnostics.error(tree.mark, "a Hugging Face config.json, not a spec",
                    "give its path: 'fathom show config.json', or 'fathom import' it");
}

std::optional<SpecKind> kind_of_file(const std::string& path) {
  hardware::Diagnostics ignored;  // reported by who reads it in earnest
  const auto tree = hardware::read_spec_file(path, ignored);
  return tree ? kind_of(*tree) : std::nullopt;
}

}  // namespace

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

bool is_kind(const hardware::SpecNode& tree, SpecKind wanted, hardware::Diagnostics& diagnostics) {
  const auto found = kind_of(tree);
  if (!found && wanted == SpecKind::Model && is_foreign_config(tree)) {
    refuse_foreign_config(tree, diagnostics);
    return false;
  }
  if (!found || *found == wanted) {
    return true;  // the reader says what is missing
  }
  const bool chip = *found == SpecKind::Accelerator && wanted == SpecKind::System;
  const bool swapped = (*found == SpecKind::System && wanted == SpecKind::Model) ||
                       (*found == SpecKind::Model && wanted == SpecKind::System);
  diagnostics.error({tree.mark.file, 0, 0},
                    fmt::format("this is {}; {} is wanted", kind_words(*found), kind_words(wanted)),
                    chip      ? "a system names it; write one in ten lines (configs/README.md)"
                    : swapped ? "the order is MODEL SYSTEM"
                              : "");
  return false;
}

bool names_system(const SpecLibrary& library, const std::string& name) {
  if (is_file(name)) {
    return kind_of_file(name) == SpecKind::System;
  }
  const auto counted = name.find("x-");
  const bool count =
      counted != std::string::npos && name.find_first_not_of("0123456789") == counted;
  return !library.find("systems", count ? name.substr(counted + 2) : name).empty();
}

bool names_model(const SpecLibrary& library, const std::string& name) {
  return is_file(name) ? kind_of_file(name) == SpecKind::Model
                       : !library.resolve_model(name).empty();
}

void refuse_kind(const hardware::SpecNode& tree, hardware::Diagnostics& diagnostics) {
  const std::vector<std::string> kinds{"model", "accelerator", "system", "kernels", "engine"};
  if (is_foreign_config(tree)) {
    refuse_foreign_config(tree, diagnostics);
    return;
  }
  std::string help =
      "a spec begins with 'model: NAME', 'accelerator: NAME', 'system: NAME', "
      "'engine: NAME' or 'kernels: NAME'";
  hardware::Mark mark = tree.mark;
  for (const hardware::SpecNode::Entry& entry : tree.entries) {
    const std::string hint = hardware::did_you_mean(entry.key, kinds);
    if (!hint.empty()) {
      help = hint;
      mark = entry.key_mark;
      break;
    }
  }
  diagnostics.error(mark, "what kind of spec is it? No first-level key says", help);
}

}  // namespace fathom::cli
