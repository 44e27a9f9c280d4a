// One decode step of DeepSeek-R1 on 8 H200, from the specs in a configs folder.
#include "hardware/base/spec_reader.h"
#include "hardware/machine/read_system.h"
#include "model/engine/read_engine.h"
#include "model/llm/read_model.h"
#include "model/predict/predict.h"

#include <iostream>
#include <string>

int main(int argc, char** argv) {
  using namespace fathom;
  const std::string configs = argc > 1 ? argv[1] : "configs";
  hardware::Diagnostics faults;
  const auto tree = [&](const std::string& file) {
    return hardware::read_spec_file(configs + "/" + file, faults).value();
  };
  const auto card = hardware::read_accelerator(tree("accelerators/h200-sxm.yaml"), faults).value();
  const auto machine = hardware::read_system(tree("systems/h200-sxm.yaml"), card, 8,
                                             hardware::IntervalEnd::Point, faults);
  model::Setup setup;
  setup.model = model::read_model(tree("models/deepseek-r1.yaml"), faults).value();
  setup.system = setup.slow_system = setup.fast_system = machine.value();
  setup.engine = model::read_engine(tree("engines/generic.yaml"), faults).value();
  setup.coefficients = hardware::read_coefficients(tree("kernels/hopper.yaml"), faults).value();

  model::Question question;
  question.batch = 64;
  question.context = 4096;
  const auto layout = model::parse_layout("tp8", setup.model.is_moe()).layout.value();
  const auto answer = model::predict(setup, layout, question, model::Depth::Limits);
  if (const auto* p = std::get_if<model::Prediction>(&answer)) {
    std::cout << p->step.total << " s a step, limited by "
              << model::resource_name(p->limiter.resource) << '\n';
  }
  return std::holds_alternative<model::Prediction>(answer) ? 0 : 1;
}
