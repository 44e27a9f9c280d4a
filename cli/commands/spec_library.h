#pragma once

#include "cli/commands/config_folders.h"
#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "hardware/cost/coefficients.h"
#include "hardware/machine/read_system.h"
#include "model/engine/engine.h"
#include "model/llm/model_spec.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fathom::cli {

/// One change from the command line with its root: `system`, `accelerator`, `model`, `engine`,
/// `coefficients` or `workload`.
struct RootedOverride {
  std::string root;
  hardware::Override change;
};

/// A system as read for a count of GPUs, with the ends of its intervals.
struct SystemSet {
  hardware::SystemSpec point;
  hardware::SystemSpec slow;
  hardware::SystemSpec fast;
  std::vector<std::string> sources;
};

/// An accelerator as a system names it.
struct AcceleratorName {
  std::string name;     ///< id, or the path of a file
  hardware::Mark from;  ///< where it is named
  std::string beside;   ///< the folder of the file that names it; empty for none
};

/// Finds and reads specs by name, each file once. Names resolve as the command-line reference
/// says: a path, --config-path, FATHOM_PATH, share/fathom/configs beside the program, the source
/// configs recorded at build time.
class SpecLibrary {
 public:
  SpecLibrary(std::vector<std::string> config_paths, std::vector<RootedOverride> overrides);

  /// The spec, or null with diagnostics left.
  const model::ModelSpec* model(const std::string& name, hardware::Diagnostics& diagnostics);
  const model::EngineSpec* engine(const std::string& name, hardware::Diagnostics& diagnostics);
  const SystemSet* system(const std::string& name, hardware::Diagnostics& diagnostics);
  const hardware::Coefficients* coefficients(const std::string& architecture,
                                             hardware::Diagnostics& diagnostics);
  /// A file beside the one that names it, else a file as given, else an id of the library.
  const hardware::AcceleratorSpec* accelerator(const AcceleratorName& wanted,
                                               hardware::Diagnostics& diagnostics);
  [[nodiscard]] std::string accelerator_path(const AcceleratorName& wanted) const;
  /// True when the library has a model of that id.
  [[nodiscard]] bool has_model(const std::string& id) const;

  /// Ids of `models`, `accelerators`, `systems`, `engines` or `kernels`, sorted.
  [[nodiscard]] std::vector<std::string> list(const std::string& kind) const;
  /// The file of a spec, or empty.
  [[nodiscard]] std::string find(const std::string& kind, const std::string& name) const;
  /// The tree of a file with the overrides of `root` applied; null with diagnostics.
  const hardware::SpecNode* tree(const std::string& path, const std::string& root,
                                 hardware::Diagnostics& diagnostics);
  [[nodiscard]] const std::vector<std::string>& folders() const { return folders_.found; }
  /// All places where a library was looked for.
  [[nodiscard]] const std::vector<std::string>& looked() const { return folders_.looked; }
  /// The file of a model: a path, a folder with a config.json, an id or an alias; or empty.
  [[nodiscard]] std::string resolve_model(const std::string& name) const;

 private:
  ConfigFolders folders_;
  std::vector<RootedOverride> overrides_;
  std::map<std::string, hardware::SpecNode> trees_;
  std::map<std::string, std::optional<model::ModelSpec>> models_;
  std::map<std::string, std::optional<model::EngineSpec>> engines_;
  std::map<std::string, std::optional<hardware::AcceleratorSpec>> accelerators_;
  std::map<std::string, std::optional<SystemSet>> systems_;
  std::map<std::string, std::optional<hardware::Coefficients>> coefficients_;
};

}  // namespace fathom::cli
