#include "cli/commands/spec_library.h"

#include "cli/commands/config_folders.h"
#include "cli/commands/source_line.h"
#include "cli/commands/spec_kind.h"
#include "cli/commands/unknown_name.h"
#include "hardware/base/csv_reader.h"
#include "hardware/base/spec_reader.h"
#include "model/engine/read_engine.h"
#include "model/llm/import_model.h"
#include "model/llm/read_model.h"
#include "model/llm/write_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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

/// The system with both ends of its intervals, without sources.
std::optional<SystemSet> read_ends(const SpecNode& node, const hardware::AcceleratorSpec& chip,
                                   Count gpus, Diagnostics& diagnostics) {
  const auto read = [&](IntervalEnd end, Diagnostics& into) {
    return hardware::read_system(node, chip, gpus, end, into);
  };
  const auto point = read(IntervalEnd::Point, diagnostics);
  if (!point) {
    return std::nullopt;
  }
  Diagnostics seen;  // the same tree leaves the same diagnostics
  const auto slow = read(IntervalEnd::Slow, seen);
  const auto fast = read(IntervalEnd::Fast, seen);
  return SystemSet{*point, slow.value_or(*point), fast.value_or(*point), {}};
}

/// Where the numbers come from that a prediction rests on most.
std::vector<std::string> machine_sources(const SpecNode& accelerator, const SpecNode& system) {
  std::vector<std::string> sources;
  for (const char* key : {"memory.bandwidth", "compute.dense_peak", "power.tdp"}) {
    sources.push_back(source_line(accelerator, key));
  }
  for (const char* key : {"link.bandwidth", "link.ring"}) {
    sources.push_back(source_line(system, key));
  }
  std::erase(sources, std::string());
  return sources;
}

/// The text of a spec file; of a foreign model file, the spec that it becomes.
struct SpecText {
  std::string text;
  bool imported = false;  ///< its lines are not those of the file
};

std::optional<SpecText> spec_text_of(const std::string& path, Diagnostics& diagnostics) {
  if (model::recognise_model(path) == model::ForeignModel::None) {
    auto text = hardware::read_file_text(path, diagnostics);
    return text ? std::optional<SpecText>({*std::move(text), false}) : std::nullopt;
  }
  const auto imported = model::import_model(path, diagnostics);
  return imported ? std::optional<SpecText>({model::write_model(*imported), true}) : std::nullopt;
}

}  // namespace

SpecLibrary::SpecLibrary(std::vector<std::string> config_paths,
                         std::vector<RootedOverride> overrides)
    : folders_(find_config_folders(std::move(config_paths))), overrides_(std::move(overrides)) {}

std::string SpecLibrary::find(const std::string& kind, const std::string& name) const {
  for (const std::string& folder : folders_.found) {
    std::string path = fmt::format("{}/{}/{}.yaml", folder, kind, fold(name));
    if (name.find("..") == std::string::npos && is_file(path)) {
      return path;
    }
  }
  return {};
}

std::vector<std::string> SpecLibrary::list(const std::string& kind) const {
  std::set<std::string> names;
  for (const std::string& folder : folders_.found) {
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
  const auto text = spec_text_of(path, diagnostics);
  if (!text) {
    return nullptr;
  }
  const std::string shown =
      display_name(path, folders_.found) + (text->imported ? " (as imported)" : "");
  auto node = hardware::read_spec_text(text->text, shown, diagnostics);
  if (!node) {
    return nullptr;
  }
  bool sound = true;
  for (const RootedOverride& change : overrides_) {
    if (change.root == root) {
      sound = hardware::apply_override(*node, change.change, diagnostics) && sound;
    }
  }
  const bool changed = std::any_of(overrides_.begin(), overrides_.end(),
                                   [](const RootedOverride& o) { return o.root == "model"; });
  if (root == "model" && changed) {
    // A claim of the unchanged model says nothing about the changed one.
    std::erase_if(node->entries, [](const SpecNode::Entry& e) { return e.key == "published"; });
  }
  return sound ? &trees_.emplace(path, *std::move(node)).first->second : nullptr;
}

std::string SpecLibrary::resolve_model(const std::string& name) const {
  if (is_file(name)) {
    return name;
  }
  if (std::string inside = model::model_file_in(name); !inside.empty()) {
    return inside;
  }
  std::string path = find("models", name);
  if (!path.empty()) {
    return path;
  }
  for (const std::string& folder : folders_.found) {
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
    report_unknown(*this, SpecKind::Model, name, {}, {}, diagnostics);
    return nullptr;
  }
  const SpecNode* node = tree(path, "model", diagnostics);
  auto& slot = models_[name];
  if (node != nullptr && is_kind(*node, SpecKind::Model, diagnostics)) {
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
    report_unknown(*this, SpecKind::Engine, name, {}, {}, diagnostics);
    return nullptr;
  }
  auto& slot = engines_[name];
  if (const SpecNode* node = tree(path, "engine", diagnostics);
      node != nullptr && is_kind(*node, SpecKind::Engine, diagnostics)) {
    slot = model::read_engine(*node, diagnostics);
  }
  return slot ? &*slot : nullptr;
}

std::string SpecLibrary::accelerator_path(const AcceleratorName& wanted) const {
  std::string beside = in_folder(wanted.beside, wanted.name);
  if (!wanted.beside.empty() && is_file(beside)) {
    return beside;
  }
  return is_file(wanted.name) ? wanted.name : find("accelerators", wanted.name);
}

const hardware::AcceleratorSpec* SpecLibrary::accelerator(const AcceleratorName& wanted,
                                                          Diagnostics& diagnostics) {
  const std::string path = accelerator_path(wanted);
  const auto known = accelerators_.find(path);
  if (known != accelerators_.end() && known->second) {
    return &*known->second;
  }
  if (path.empty()) {
    report_unknown(*this, SpecKind::Accelerator, wanted.name, wanted.from, wanted.beside,
                   diagnostics);
    return nullptr;
  }
  auto& slot = accelerators_[path];
  if (const SpecNode* node = tree(path, "accelerator", diagnostics);
      node != nullptr && is_kind(*node, SpecKind::Accelerator, diagnostics)) {
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
  const std::string path = is_file(architecture) ? architecture : find("kernels", architecture);
  if (path.empty()) {
    report_unknown(*this, SpecKind::Kernels, architecture, {}, {}, diagnostics);
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
    report_unknown(*this, SpecKind::System, looks_like_path(name) ? name : split.base, {}, {},
                   diagnostics);
    return nullptr;
  }
  auto& slot = systems_[name];
  const SpecNode* node = tree(path, "system", diagnostics);
  if (node == nullptr || !is_kind(*node, SpecKind::System, diagnostics)) {
    return nullptr;
  }
  const auto id = hardware::accelerator_of(*node, diagnostics);
  if (!id) {
    return nullptr;
  }
  const AcceleratorName wanted{*id, node->find("accelerator")->mark, folder_of(path)};
  const hardware::AcceleratorSpec* chip = accelerator(wanted, diagnostics);
  if (chip == nullptr) {
    return nullptr;
  }
  slot = read_ends(*node, *chip, split.gpus, diagnostics);
  if (!slot) {
    return nullptr;
  }
  const SpecNode& chip_tree = trees_.at(accelerator_path(wanted));
  if (chip->has_intervals) {
    Diagnostics seen;  // the same tree has been read without a fault
    const auto at = [&](IntervalEnd end) {
      return hardware::read_accelerator(chip_tree, seen, end).value_or(*chip);
    };
    slot->slow.accelerator = at(IntervalEnd::Slow);
    slot->fast.accelerator = at(IntervalEnd::Fast);
  }
  slot->sources = machine_sources(chip_tree, *node);
  return &*slot;
}

}  // namespace fathom::cli
