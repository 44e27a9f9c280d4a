#pragma once

#include "cli/commands/scenario_builder.h"
#include "model/predict/predict.h"
#include "tests/support/catch.h"

#include <string>

namespace fathom::test {

/// Builds a scenario from inputs as the command line does; the test fails where that fails.
inline cli::BuiltScenario build(const cli::Inputs& inputs,
                                cli::Evidence evidence = cli::Evidence::Default,
                                std::vector<cli::RootedOverride> overrides = {}) {
  cli::SpecLibrary library({"configs"}, std::move(overrides));
  hardware::Diagnostics diagnostics;
  auto built = cli::build_scenario(inputs, evidence, library, diagnostics);
  INFO(built.error);
  INFO(hardware::render(diagnostics));
  REQUIRE(built.scenario);
  return *std::move(built.scenario);
}

/// Predicts it, to the limits.
inline model::Prediction predict(const cli::Inputs& inputs,
                                 cli::Evidence evidence = cli::Evidence::Default,
                                 std::vector<cli::RootedOverride> overrides = {}) {
  const cli::BuiltScenario s = build(inputs, evidence, std::move(overrides));
  REQUIRE(s.layout);
  const auto answer = model::predict(s.setup, *s.layout, s.question, model::Depth::Limits);
  REQUIRE(std::holds_alternative<model::Prediction>(answer));
  return std::get<model::Prediction>(answer);
}

}  // namespace fathom::test
