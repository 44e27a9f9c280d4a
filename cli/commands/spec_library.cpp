#include "cli/commands/spec_library.h"

#include "cli/commands/source_line.h"
#include "hardware/base/csv_reader.h"
#include "hardware/base/spec_reader.h"
#include "hardware/base/suggest.h"
#include "model/engine/read_engine.h"
#include "model/llm/read_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace fathom::cli {
namespace {

namespace fs = std::filesystem;
using hardware::Count;
using hardware::Diagnostics;
using hardware::IntervalEnd;
using hardware::Mark;
using hardware::SpecNode;

std::string fold(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<std::string> search_folders(std::vector<std::string> given) {
  if (const char* env = std::getenv("FATHOM_PATH")) {
    std::string list = env;
    while (!list.empty()) {
      const auto colon = list.find(':');
      given.push_back(list.substr(0, colon));
      list = colon == std::string::npos ? "" : list.substr(colon + 1);
    }
  }
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    given.push_back((program.parent_path().parent_path() / "share/fathom/configs").string());
  }
  given.emplace_back(FATHOM_SOURCE_CONFIGS);
  std::vector<std::string> out;
  for (const std::string& folder : given) {
    if (!folder.empty() && fs::is_directory(folder, failed)) {
      out.push_back(folder);
    }
  }
  return out;
}

/// How a library file is named in messages: from its `configs` folder on, so that reports do not
/// depend on where the library lies.
std::string display_name(const std::string& path, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (path.rfind(folder + "/", 0) == 0) {
      return "configs" + path.substr(folder.size());
    }
  }
  return path;
}

struct SystemName {
  std::string base;
  Count gpus = 0;
};

/// "8x-h200-sxm" is 8 GPUs of the node "h200-sxm".
SystemName split_system(const std::string& name) {
  Count count = 0;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), count);
  const auto digits = static_cast<std::size_t>(end - name.data());
  if (status == std::errc{} && digits > 0 && name.compare(digits, 2, "x-") == 0 && count > 0) {
    return {name.substr(digits + 2), count};
  }
  return {name, 0};
}

}  // namespace

SpecLibrary::SpecLibrary(std::vector<std::string> config_paths,
                         std::vector<RootedOverride> overrides)
    : folders_(search_folders(std::move(config_paths))), overrides_(std::move(overrides)) {}

std::string SpecLibrary::find(const std::string& kind, const std::string& name) const {
  for (const std::string& folder : folders_) {
    const std::string path = fmt::format("{}/{}/{}.yaml", folder, kind, fold(name));
    if (name.find("..") == std::string::npos && is_file(path)) {
      return path;
    }
  }
  return {};
}

std::vector<std::string> SpecLibrary::list(const std::string& kind) const {
  std::set<std::string> names;
  for (const std::string& folder : folders_) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(fmt::format("{}/{}", folder, kind), failed)) {
      if (entry.path().extension() == ".yaml") {
        names.insert(entry.path().stem().string());
      }
    }
  }
  return {names.begin(), names.end()};
}

bool SpecLibrary::has_model(const std::string& id) const { return !find("models", id).empty(); }

const SpecNode* SpecLibrary::tree(const std::string& path, const std::string& root,
                                  Diagnostics& diagnostics) {
  const auto known = trees_.find(path);
  if (known != trees_.end()) {
    return &known->second;
  }
  const auto text = hardware::read_file_text(path, diagnostics);
  if (!text) {
    return nullptr;
  }
  auto node = hardware::read_spec_text(*text, display_name(path, folders_), diagnostics);
  if (!node) {
    return nullptr;
  }
  bool sound = true;
  for (const RootedOverride& change : overrides_) {
    if (change.root == root) {
      sound = hardware::apply_override(*node, change.change, diagnostics) && sound;
    }
  }
  return sound ? &trees_.emplace(path, *std::move(node)).first->second : nullptr;
}

void SpecLibrary::unknown(const std::string& what, const std::string& kind, const std::string& name,
                          const Mark& from, Diagnostics& diagnostics) const {
  const std::vector<std::string> names = list(kind);
  std::string help = "the nearest are " +
                     fmt::format("{}", fmt::join(hardware::nearest_names(name, names, 3), ", "));
  if (what == "model") {
    help += "; or pass the path of a model spec (configs/README.md)";
  } else if (what == "system") {
    help += "; write <N>x- before one, or write a system in ten lines (configs/README.md)";
  }
  diagnostics.error(from, fmt::format("unknown {} '{}'", what, name), help);
}

std::string SpecLibrary::resolve_model(const std::string& name) const {
  if (is_file(name)) {
    return name;
  }
  std::string path = find("models", name);
  if (!path.empty()) {
    return path;
  }
  for (const std::string& folder : folders_) {
    Diagnostics ignored;
    const auto table = hardware::read_csv_file(folder + "/models/names.csv", ignored);
    if (!table || table->columns.size() < 2) {
      continue;
    }
    for (const auto& row : table->rows) {
      if (row.cells.at(0) == fold(name)) {
        return fmt::format("{}/models/{}", folder, row.cells.at(1));
      }
    }
  }
  return {};
}

const model::ModelSpec* SpecLibrary::model(const std::string& name, Diagnostics& diagnostics) {
  const auto known = models_.find(name);
  if (known != models_.end() && known->second) {
    return &*known->second;
  }
  const std::string path = resolve_model(name);
  if (path.empty()) {
    unknown("model", "models", name, {}, diagnostics);
    return nullptr;
  }
  const SpecNode* node = tree(path, "model", diagnostics);
  auto& slot = models_[name];
  if (node != nullptr) {
    slot = model::read_model(*node, diagnostics);
  }
  return slot ? &*slot : nullptr;
}

const model::EngineSpec* SpecLibrary::engine(const std::string& name, Diagnostics& diagnostics) {
  const auto known = engines_.find(name);
  if (known != engines_.end() && known->second) {
    return &*known->second;
  }
  const std::string path = is_file(name) ? name : find("engines", name);
  if (path.empty()) {
    unknown("engine", "engines", name, {}, diagnostics);
    return nullptr;
  }
  auto& slot = engines_[name];
  if (const SpecNode* node = tree(path, "engine", diagnostics)) {
    slot = model::read_engine(*node, diagnostics);
  }
  return slot ? &*slot : nullptr;
}

const hardware::AcceleratorSpec* SpecLibrary::accelerator(const std::string& name, const Mark& from,
                                                          Diagnostics& diagnostics) {
  const auto known = accelerators_.find(name);
  if (known != accelerators_.end() && known->second) {
    return &*known->second;
  }
  const std::string path = is_file(name) ? name : find("accelerators", name);
  if (path.empty()) {
    unknown("accelerator", "accelerators", name, from, diagnostics);
    return nullptr;
  }
  auto& slot = accelerators_[name];
  if (const SpecNode* node = tree(path, "accelerator", diagnostics)) {
    slot = hardware::read_accelerator(*node, diagnostics);
  }
  return slot ? &*slot : nullptr;
}

const hardware::Coefficients* SpecLibrary::coefficients(const std::string& architecture,
                                                        Diagnostics& diagnostics) {
  const auto known = coefficients_.find(architecture);
  if (known != coefficients_.end() && known->second) {
    return &*known->second;
  }
  const std::string path = find("kernels", architecture);
  if (path.empty()) {
    unknown("kernel file", "kernels", architecture, {}, diagnostics);
    return nullptr;
  }
  auto& slot = coefficients_[architecture];
  if (const SpecNode* node = tree(path, "coefficients", diagnostics)) {
    slot = hardware::read_coefficients(*node, diagnostics);
  }
  return slot ? &*slot : nullptr;
}

const SystemSet* SpecLibrary::system(const std::string& name, Diagnostics& diagnostics) {
  const auto known = systems_.find(name);
  if (known != systems_.end() && known->second) {
    return &*known->second;
  }
  const bool file = is_file(name);
  const SystemName split = file ? SystemName{name, 0} : split_system(fold(name));
  const std::string path = file ? name : find("systems", split.base);
  if (path.empty()) {
    unknown("system", "systems", split.base, {}, diagnostics);
    return nullptr;
  }
  auto& slot = systems_[name];
  const SpecNode* node = tree(path, "system", diagnostics);
  if (node == nullptr) {
    return nullptr;
  }
  const auto id = hardware::accelerator_of(*node, diagnostics);
  const hardware::AcceleratorSpec* chip =
      id ? accelerator(*id, node->find("accelerator")->mark, diagnostics) : nullptr;
  if (chip == nullptr) {
    return nullptr;
  }
  const auto read = [&](IntervalEnd end, Diagnostics& into) {
    return hardware::read_system(*node, *chip, split.gpus, end, into);
  };
  const auto point = read(IntervalEnd::Point, diagnostics);
  if (!point) {
    return nullptr;
  }
  Diagnostics seen;  // the same tree leaves the same diagnostics
  const auto slow = read(IntervalEnd::Slow, seen);
  const auto fast = read(IntervalEnd::Fast, seen);
  slot = SystemSet{*point, slow.value_or(*point), fast.value_or(*point), {}};
  const std::string chip_path = is_file(*id) ? *id : find("accelerators", *id);
  const SpecNode& chip_tree = trees_.at(chip_path);
  for (const char* key : {"memory.bandwidth", "compute.dense_peak", "power.tdp"}) {
    slot->sources.push_back(source_line(chip_tree, key));
  }
  for (const char* key : {"link.bandwidth", "link.ring"}) {
    slot->sources.push_back(source_line(*node, key));
  }
  std::erase(slot->sources, std::string());
  return &*slot;
}

}  // namespace fathom::cli
