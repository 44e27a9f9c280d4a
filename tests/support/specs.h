#pragma once

#include "hardware/base/spec_reader.h"
#include "hardware/cost/coefficients.h"
#include "hardware/machine/read_system.h"
#include "model/engine/read_engine.h"
#include "model/llm/read_model.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fathom::test {

/// The tree of a file; the test fails with the reader's text when there is none. Tests run from
/// the repository root.
inline hardware::SpecNode tree(const std::string& path) {
  hardware::Diagnostics diagnostics;
  auto node = hardware::read_spec_file(path, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(node);
  return *std::move(node);
}

/// The same from memory; the name in messages is a.yaml.
inline hardware::SpecNode tree_of(const std::string& text) {
  hardware::Diagnostics diagnostics;
  auto node = hardware::read_spec_text(text, "a.yaml", diagnostics);
  INFO(render(diagnostics));
  REQUIRE(node);
  return *std::move(node);
}

inline model::ModelSpec model_config(const std::string& id) {
  hardware::Diagnostics diagnostics;
  auto spec = model::read_model(tree("configs/models/" + id + ".yaml"), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(spec);
  return *std::move(spec);
}

inline model::EngineSpec engine_config(const std::string& id) {
  hardware::Diagnostics diagnostics;
  auto spec = model::read_engine(tree("configs/engines/" + id + ".yaml"), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(spec);
  return *std::move(spec);
}

inline hardware::AcceleratorSpec accelerator_config(const std::string& id) {
  hardware::Diagnostics diagnostics;
  auto spec = hardware::read_accelerator(tree("configs/accelerators/" + id + ".yaml"), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(spec);
  return *std::move(spec);
}

inline hardware::SystemSpec system_config(
    const std::string& id, hardware::Count gpus,
    hardware::IntervalEnd end = hardware::IntervalEnd::Point) {
  hardware::Diagnostics diagnostics;
  const hardware::SpecNode node = tree("configs/systems/" + id + ".yaml");
  const auto accelerator = hardware::accelerator_of(node, diagnostics);
  REQUIRE(accelerator);
  auto spec = hardware::read_system(node, accelerator_config(*accelerator), gpus, end, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(spec);
  return *std::move(spec);
}

inline hardware::Coefficients coefficients_config(const std::string& architecture) {
  hardware::Diagnostics diagnostics;
  auto spec =
      hardware::read_coefficients(tree("configs/kernels/" + architecture + ".yaml"), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(spec);
  return *std::move(spec);
}

/// The YAML files of one folder of configs/, sorted.
inline std::vector<std::string> config_files(const std::string& kind) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("configs/" + kind)) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path().generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace fathom::test
