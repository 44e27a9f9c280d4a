#include "model/step/step_time.h"

#include "tests/support/catch.h"

namespace fathom::model {
namespace {

DeviceTime device(double memory, double compute) {
  DeviceTime d;
  d.cost.memory = memory;
  d.cost.compute = compute;
  return d;
}

double sum(const StepTime& s) {
  return s.compute + s.memory + s.link_bandwidth + s.link_latency + s.launch + s.host +
         s.imbalance + s.bubble;
}

}  // namespace

TEST_CASE("one stage without host is the sum of its costs") {
  const DeviceTime stage = device(3, 1);
  const StepTime s = assemble(&stage, 1, 1, Flow::Steady, {}, {});
  CHECK(s.total == 4);
  CHECK(s.memory == 3);
  CHECK(s.bubble == 0);
}

TEST_CASE("micro-batches wait for the longest stage and the excess is bubble") {
  const std::array<DeviceTime, 2> stages{device(3, 0), device(1, 0)};
  // Two in flight: max(3 + 1, 2 x 3) = 6.
  const StepTime two = assemble(stages.data(), 2, 2, Flow::Steady, {}, {});
  CHECK(two.total == 6);
  CHECK(two.bubble == 2);
  // One in flight passes through both.
  const StepTime one = assemble(stages.data(), 2, 1, Flow::Steady, {}, {});
  CHECK(one.total == 4);
  CHECK(one.bubble == 0);
}

TEST_CASE("a prefill in micro-batches ends when the last has passed every stage") {
  const std::array<DeviceTime, 2> stages{device(3, 0), device(1, 0)};
  // The second waits 3 at the first stage and passes 3 + 1.
  const StepTime two = assemble(stages.data(), 2, 2, Flow::Drain, {}, {});
  CHECK(two.total == 7);
  CHECK(two.bubble == 0);
  const StepTime one = assemble(stages.data(), 2, 1, Flow::Drain, {}, {});
  CHECK(one.total == 4);
}

TEST_CASE("the eight parts add up to the step, host and power included") {
  const DeviceTime stage = device(3e-3, 2e-3);
  DeviceTime hot = stage;
  hot.flop[1] = 1e12;
  const HostTime host{.launch = 4e-3, .beside = 1e-3, .exposed = 0.5e-3};
  const PowerEnvelope power{.limit = 300,
                            .max_clock = 2e9,
                            .clock_exponent = 0.5,
                            .base = 100,
                            .per_byte = 0,
                            .per_flop = {0, 5e-12, 0, 0, 0},
                            .power_exponent = 1};
  const StepTime s = assemble(&hot, 1, 1, Flow::Steady, host, power);
  CHECK_THAT(sum(s), WithinRel(s.total, 1e-12));
  CHECK(s.power_capped);
  CHECK_THAT(s.power, WithinRel(300.0, 1e-3));
  CHECK(s.clock < 2e9);
}

TEST_CASE("a host much longer than the device is the whole step") {
  const DeviceTime stage = device(1e-3, 0);
  const StepTime s = assemble(&stage, 1, 1, Flow::Steady, {.launch = 100e-3}, {});
  CHECK_THAT(s.total, WithinRel(100e-3, 1e-3));
  CHECK(s.host > 0.999 * s.total);
  CHECK_THAT(s.device_share, WithinRel(0.01, 1e-2));
}

TEST_CASE("a power limit below the draw lengthens only tensor compute") {
  DeviceTime stage = device(2e-3, 3e-3);
  stage.flop[1] = 2e12;
  PowerEnvelope power{.limit = 0,
                      .max_clock = 2e9,
                      .clock_exponent = 1,
                      .base = 50,
                      .per_byte = 0,
                      .per_flop = {0, 1e-12, 0, 0, 0},
                      .power_exponent = 1};
  const StepTime free = assemble(&stage, 1, 1, Flow::Steady, {}, power);
  CHECK_THAT(free.power, WithinRel(50 + 2 / 5e-3, 1e-9));
  power.limit = 300;
  const StepTime held = assemble(&stage, 1, 1, Flow::Steady, {}, power);
  CHECK(held.memory == free.memory);
  CHECK(held.compute > free.compute);
  CHECK(held.power <= 300.001);
}

TEST_CASE("a lower power limit never makes a step faster") {
  DeviceTime stage = device(1e-3, 3e-3);
  stage.flop[1] = 2e12;
  double last = 0;
  for (const double limit : {500.0, 400.0, 300.0, 200.0, 120.0}) {
    const StepTime s = assemble(&stage, 1, 1, Flow::Steady, {},
                                {.limit = limit,
                                 .max_clock = 2e9,
                                 .clock_exponent = 0.5,
                                 .base = 100,
                                 .per_flop = {0, 0.8e-12, 0, 0, 0},
                                 .power_exponent = 1});
    CHECK(s.total >= last);
    last = s.total;
  }
}

TEST_CASE("no work is no time") {
  const DeviceTime nothing;
  const StepTime s = assemble(&nothing, 1, 1, Flow::Steady, {}, {});
  CHECK(s.total == 0);
  CHECK(s.device_share == 0);
}

}  // namespace fathom::model
