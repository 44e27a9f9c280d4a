#pragma once

#include "cli/commands/input_reader.h"
#include "cli/commands/inputs.h"
#include "cli/commands/spec_library.h"
#include "model/predict/predict.h"

#include <optional>
#include <string>
#include <vector>

namespace fathom::cli {

enum class Evidence : std::uint8_t { Bound, Default };

/// A question with all that it stands on, ready for the library's doors.
struct BuiltScenario {
  model::Setup setup;
  model::Question question;
  std::optional<model::Layout> layout;
  std::string model_name;
  std::string system_name;
  std::vector<std::string> notes;
  std::vector<std::string> sources;
  Evidence evidence = Evidence::Default;
};

/// Either a scenario, or one line that says which input is wrong and how to mend it. A wrong spec
/// file leaves diagnostics instead.
struct BuildResult {
  std::optional<BuiltScenario> scenario;
  std::string error;
};

/// Turns inputs into a scenario. Layout may be missing (plan, fit). `names` says whether messages
/// name flags or columns.
BuildResult build_scenario(const Inputs& inputs, Evidence evidence, SpecLibrary& library,
                           hardware::Diagnostics& diagnostics, NamedBy names = NamedBy::Column);

}  // namespace fathom::cli
