#include "model/serving/steady_state.h"

#include "tests/support/catch.h"

namespace fathom::model {
namespace {

ServingMetrics run(const ClosedLoop& load, double decode, double prefill) {
  return steady_state(
      load, [=](double, double) { return decode; },
      [=](double sequences, double) { return prefill * sequences; });
}

}  // namespace

TEST_CASE("one request alone feels its prefill and its decode steps") {
  const ServingMetrics m = run({.concurrency = 1, .isl = 100, .osl = 11}, 0.01, 0.5);
  CHECK_THAT(m.ttft, WithinRel(0.5, 1e-12));
  CHECK_THAT(m.tpot, WithinRel(0.01, 1e-12));
  CHECK_THAT(m.e2e, WithinRel(0.6, 1e-12));
  CHECK_THAT(m.output_tok_s, WithinRel(11 / 0.6, 1e-12));
  CHECK_THAT(m.total_tok_s, WithinRel(111 / 0.6, 1e-12));
}

TEST_CASE("Little's law holds: requests in flight = rate x time in the system") {
  for (const double c : {1.0, 7.0, 64.0}) {
    const ServingMetrics m =
        run({.concurrency = c, .isl = 100, .osl = 101, .batched_prompts = 8}, 0.02, 0.01);
    CHECK_THAT(m.requests_per_s * m.e2e, WithinRel(c, 1e-9));
  }
}

TEST_CASE("a cache that holds fewer sequences caps the batch and the rest wait") {
  const ServingMetrics free = run({.concurrency = 32, .isl = 100, .osl = 101}, 0.02, 0.01);
  const ServingMetrics held =
      run({.concurrency = 32, .isl = 100, .osl = 101, .max_concurrency = 8}, 0.02, 0.01);
  CHECK_FALSE(free.capped);
  CHECK(held.capped);
  CHECK(held.running == 8);
  CHECK(held.ttft > free.ttft);
  CHECK_THAT(held.requests_per_s * held.e2e, WithinRel(32.0, 1e-9));
}

TEST_CASE("more requests in flight never lower the throughput of a constant step") {
  double last = 0;
  for (double c = 1; c <= 256; c *= 2) {
    const double rate =
        run({.concurrency = c, .isl = 50, .osl = 50, .batched_prompts = 64}, 0.02, 1e-4)
            .output_tok_s;
    CHECK(rate >= last);
    last = rate;
  }
}

TEST_CASE("accepted drafts shorten the time per token") {
  const ServingMetrics plain = run({.concurrency = 1, .isl = 10, .osl = 101}, 0.02, 0.1);
  const ServingMetrics drafted =
      run({.concurrency = 1, .isl = 10, .osl = 101, .tokens_per_step = 2}, 0.02, 0.1);
  CHECK_THAT(drafted.tpot, WithinRel(plain.tpot / 2, 1e-12));
}

}  // namespace fathom::model
