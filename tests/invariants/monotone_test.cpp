#include "hardware/cost/price.h"
#include "model/ops/build_ops.h"
#include "tests/support/small_models.h"
#include "tests/support/specs.h"

namespace fathom::model {
namespace {

using hardware::Goodness;
using hardware::Pricer;
using hardware::SystemSpec;

/// Seconds of all layers of one step, one operator after the other.
double seconds(const ModelSpec& model, const Layout& layout, const StepShape& shape,
               const Pricer& pricer) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  OpsContext context = test::plain_context(shard);
  context.kernels.attention_small = context.kernels.moe_small = context.kernels.dense_small = 4;
  context.kernels.attention_passes = context.kernels.moe_passes = 4;
  double sum = 0;
  for (const LayerShard& layer : shard.layers) {
    for (const Operator& op : layer_ops(context, layer, shape)) {
      sum += pricer.price(op.work).total() * static_cast<double>(layer.kind.count);
    }
  }
  return sum;
}

std::vector<StepShape> shapes() {
  return {{.sequences = 1, .context = 1000},
          {.sequences = 64, .context = 8000},
          {.phase = Phase::Prefill, .sequences = 1, .new_tokens = 4096}};
}

std::vector<Layout> layouts() {
  return {{},
          test::layout_of(8, 1, 1),
          test::layout_of(8, 1, 8),
          test::layout_of(1, 8, 8),
          test::layout_of(2, 4, 4)};
}

TEST_CASE("a better machine is never slower, resource by resource") {
  const std::vector<Goodness> better{
      {.compute = 2}, {.memory = 2}, {.link_bandwidth = 2}, {.link_latency = 2}, {.launch = 2}};
  const ModelSpec model = test::model_config("glm-5-nvfp4");
  for (const char* id : {"rtx-pro-6000-se", "rtx-pro-6000-se-no-p2p"}) {
    const SystemSpec system = test::system_config(id, 8);
    const auto coefficients = test::coefficients_config("blackwell-gb202");
    for (const Layout& layout : layouts()) {
      for (const StepShape& shape : shapes()) {
        const double before = seconds(model, layout, shape, make_pricer(system, coefficients, {}));
        for (const Goodness& goodness : better) {
          const double after =
              seconds(model, layout, shape, make_pricer(system, coefficients, {}, goodness));
          CHECK(after <= before);
          CHECK(after > 0);
        }
        CHECK(seconds(model, layout, shape, make_pricer(system, coefficients, {}, {.memory = 2})) <
              before);
      }
    }
  }
}

TEST_CASE("doubling every resource halves the time") {
  const SystemSpec system = test::system_config("h200-sxm", 8);
  const auto coefficients = test::coefficients_config("hopper");
  const ModelSpec model = test::model_config("glm-5-fp8");
  const Goodness twice{
      .compute = 2, .memory = 2, .link_bandwidth = 2, .link_latency = 2, .launch = 2};
  for (const Layout& layout : layouts()) {
    for (const StepShape& shape : shapes()) {
      CHECK_THAT(seconds(model, layout, shape, make_pricer(system, coefficients, {}, twice)),
                 WithinRel(seconds(model, layout, shape, make_pricer(system, coefficients, {})) / 2,
                           1e-9));
    }
  }
}

TEST_CASE("no coefficients are faster than the bound") {
  const ModelSpec model = test::model_config("glm-5-fp8");
  for (const char* id : {"h200-sxm", "h100-sxm"}) {
    const SystemSpec system = test::system_config(id, 8);
    const Pricer bound = make_pricer(system, hardware::Coefficients::bound(), {});
    const Pricer real = make_pricer(system, test::coefficients_config("hopper"), {});
    for (const Layout& layout : layouts()) {
      for (const StepShape& shape : shapes()) {
        CHECK(seconds(model, layout, shape, bound) < seconds(model, layout, shape, real));
      }
    }
  }
}

TEST_CASE("longer contexts and larger batches never take less time") {
  const Pricer pricer =
      make_pricer(test::system_config("h200-sxm", 8), test::coefficients_config("hopper"), {});
  for (const char* id : {"glm-5-fp8", "llama-3.1-70b", "qwen3-30b-a3b"}) {
    const ModelSpec model = test::model_config(id);
    double last = 0;
    for (double batch = 1; batch <= 1024; batch *= 2) {
      const double now =
          seconds(model, test::layout_of(8, 1, 1), {.sequences = batch, .context = 2000}, pricer);
      CHECK(now >= last);
      last = now;
    }
    last = 0;
    for (double context = 1; context <= 1e5; context *= 3) {
      const double now =
          seconds(model, test::layout_of(8, 1, 1), {.sequences = 16, .context = context}, pricer);
      CHECK(now >= last);
      last = now;
    }
  }
}

TEST_CASE(
    "a virtual machine read at its slow end is slower than at its point, at its fast end "
    "faster") {
  const auto read = [](hardware::IntervalEnd end) {
    return test::system_config("rtx-pro-6000-se-vm", 8, end);
  };
  const SystemSpec slow = read(hardware::IntervalEnd::Slow);
  const SystemSpec point = read(hardware::IntervalEnd::Point);
  const SystemSpec fast = read(hardware::IntervalEnd::Fast);
  CHECK(point.has_intervals);
  for (const auto& [a, b] : {std::pair{&slow.link, &point.link}, {&point.link, &fast.link}}) {
    for (const auto transport :
         {&hardware::LinkSpec::ring, &hardware::LinkSpec::all_to_all, &hardware::LinkSpec::send}) {
      CHECK((a->*transport).latency > (b->*transport).latency);
      CHECK((a->*transport).efficiency < (b->*transport).efficiency);
    }
  }
  const auto coefficients = test::coefficients_config("blackwell-gb202");
  const ModelSpec model = test::model_config("glm-5-nvfp4");
  for (const Layout& layout : layouts()) {
    for (const StepShape& shape : shapes()) {
      const double a = seconds(model, layout, shape, make_pricer(slow, coefficients, {}));
      const double b = seconds(model, layout, shape, make_pricer(point, coefficients, {}));
      const double c = seconds(model, layout, shape, make_pricer(fast, coefficients, {}));
      if (layout.ranks_per_stage() == 1) {
        CHECK((a == b && b == c));
      } else {
        CHECK(a > b);
        CHECK(b > c);
      }
    }
  }
}

TEST_CASE("bare metal without peers is the fast end of the virtual machine") {
  const SystemSpec fast = test::system_config("rtx-pro-6000-se-vm", 8, hardware::IntervalEnd::Fast);
  const SystemSpec metal = test::system_config("rtx-pro-6000-se-no-p2p", 8);
  CHECK(fast.link.ring.latency == metal.link.ring.latency);
  CHECK(fast.link.ring.efficiency == metal.link.ring.efficiency);
  CHECK_FALSE(metal.has_intervals);
  CHECK_FALSE(metal.link.peer_to_peer);
}

}  // namespace
}  // namespace fathom::model
