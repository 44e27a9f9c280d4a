#include "cli/commands/scenario_builder.h"
#include "model/plan/plan.h"

#include <benchmark/benchmark.h>

namespace {

using namespace fathom;

cli::BuiltScenario scenario(const char* model, const char* system, const char* layout) {
  cli::SpecLibrary library({}, {});
  hardware::Diagnostics diagnostics;
  const cli::Inputs inputs{{"model", model},  {"system", system}, {"layout", layout},
                           {"isl", "128"},    {"osl", "64"},      {"concurrency", "512"},
                           {"phase", "serve"}};
  return cli::build_scenario(inputs, cli::Evidence::Default, library, diagnostics).scenario.value();
}

void one_step(benchmark::State& state, const char* layout) {
  const auto s = scenario("glm-5-nvfp4", "8x-rtx-pro-6000-se-no-p2p", layout);
  const model::Predictor predictor(s.setup.model, s.setup.system, s.setup.engine,
                                   s.setup.coefficients, *s.layout, s.question.run);
  double context = 160;
  for (auto _ : state) {
    context += 1;
    benchmark::DoNotOptimize(predictor.step({model::Phase::Decode, 512, 1, context, 1}).total);
  }
}

void whole_plan(benchmark::State& state) {
  const auto s = scenario("glm-5-nvfp4", "8x-rtx-pro-6000-se-no-p2p", "tp8");
  model::PlanRequest request;
  request.question = s.question;
  for (auto _ : state) {
    benchmark::DoNotOptimize(model::make_plan(s.setup, request).rows.size());
  }
}

}  // namespace

BENCHMARK_CAPTURE(one_step, tp8, "tp8");
BENCHMARK_CAPTURE(one_step, dp8ep8, "dp8ep8");
BENCHMARK_CAPTURE(one_step, tp2pp4, "tp2pp4");
BENCHMARK(whole_plan);
