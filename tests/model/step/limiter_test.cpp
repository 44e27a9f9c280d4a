#include "model/step/limiter.h"

#include "tests/support/catch.h"

namespace fathom::model {
namespace {

Elasticities of(std::initializer_list<std::pair<Resource, double>> values) {
  Elasticities out{};
  for (const auto& [resource, value] : values) {
    out.at(static_cast<std::size_t>(resource)) = value;
  }
  return out;
}

}  // namespace

TEST_CASE("the limiter has the largest elasticity and names the next with its factor") {
  const Limiter l = find_limiter(
      {}, of({{Resource::Memory, 0.6}, {Resource::LinkLatency, 0.3}, {Resource::Launch, 0.1}}),
      1.27);
  CHECK(l.resource == Resource::Memory);
  CHECK(l.next == Resource::LinkLatency);
  CHECK_THAT(l.margin(), WithinRel(2.0, 1e-12));
  CHECK_THAT(l.factor, WithinRel(2.0, 1e-12));
  CHECK_FALSE(l.both);
}

TEST_CASE("a margin within the uncertainty of both terms names both") {
  const Limiter l =
      find_limiter({}, of({{Resource::Memory, 0.4}, {Resource::LinkLatency, 0.3}}), 1.27);
  CHECK(l.both);
  const Limiter sure =
      find_limiter({}, of({{Resource::Memory, 0.4}, {Resource::LinkLatency, 0.3}}), 1.05);
  CHECK_FALSE(sure.both);
}

TEST_CASE("tensor compute that leads under a binding power limit is called power") {
  StepTime step;
  step.power_capped = true;
  const auto elasticities = of({{Resource::Compute, 0.7}, {Resource::Memory, 0.2}});
  CHECK(find_limiter(step, elasticities, 1.27).resource == Resource::Power);
  step.power_capped = false;
  CHECK(find_limiter(step, elasticities, 1.27).resource == Resource::Compute);
}

TEST_CASE("memory-bound work at its cap is not called power-limited") {
  StepTime step;
  step.power_capped = true;
  const auto elasticities = of({{Resource::Memory, 0.7}, {Resource::Compute, 0.2}});
  CHECK(find_limiter(step, elasticities, 1.27).resource == Resource::Memory);
}

}  // namespace fathom::model
