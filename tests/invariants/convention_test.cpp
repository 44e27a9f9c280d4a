// A report never ranks EP below TP on a difference of conventions (docs/physics.md section 11).

#include "hardware/cost/communication_cost.h"
#include "model/ops/build_ops.h"
#include "tests/support/small_models.h"
#include "tests/support/specs.h"

namespace fathom::model {
namespace {

using hardware::Pricer;

struct Sent {
  double bytes = 0;
  double seconds = 0;
};

/// What one rank sends in one mixture-of-experts layer.
Sent sent(const ModelSpec& model, const Layout& layout, double sequences, const Pricer& pricer) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  Sent sum;
  for (const Operator& op : layer_ops(test::plain_context(shard), shard.layers.back(),
                                      {.sequences = sequences, .context = 1000})) {
    const hardware::Transfer transfer = price_collective(pricer, op.work);
    sum.bytes += transfer.wire_bytes;
    sum.seconds += transfer.total();
  }
  return sum;
}

TEST_CASE("with attention TP, experts EP and TP send the same bytes in the same time") {
  const ModelSpec model = test::model_config("glm-5-nvfp4");
  for (const char* id : {"rtx-pro-6000-se", "rtx-pro-6000-se-no-p2p"}) {
    const Pricer pricer =
        make_pricer(test::system_config(id, 8), test::coefficients_config("blackwell-gb202"), {});
    for (const double batch : {1.0, 32.0, 512.0}) {
      const Sent tp = sent(model, test::layout_of(8, 1, 1), batch, pricer);
      for (const Count ep : {2, 4, 8}) {
        const Sent other = sent(model, test::layout_of(8, 1, ep), batch, pricer);
        CHECK(tp.bytes > 0);
        CHECK(other.bytes == tp.bytes);
        CHECK(other.seconds == tp.seconds);
      }
    }
  }
}

TEST_CASE("a priced exchange sends what its convention counts, or less by gathering") {
  const ModelSpec model = test::model_config("glm-5-nvfp4");
  const Pricer pricer =
      make_pricer(test::system_config("rtx-pro-6000-se", 8),
                  test::coefficients_config("blackwell-gb202"), {.nvlink = false});
  const double direct =
      exchange_bytes_per_token(6144, 256, 8, 8, 2, 2, ExchangeConvention::Deduplicated);
  const double gathers = all_reduce_bytes_per_token(6144, 8, 2);
  const Sent one = sent(model, test::layout_of(1, 8, 8), 512, pricer);
  const double each = one.bytes / (512 * 8);
  INFO(each);
  CHECK((std::abs(each - direct) < 1 || std::abs(each - gathers) < 1));
  CHECK(direct < gathers);
}

TEST_CASE("an all-reduce that is priced as a ring sends what the convention counts") {
  Pricer pricer;
  set_routes(test::system_config("rtx-pro-6000-se-no-p2p", 8), {}, false, {}, pricer);
  const Sent layer = sent(test::model_config("glm-5-nvfp4"), test::layout_of(8, 1, 1), 32, pricer);
  CHECK_THAT(layer.bytes, WithinRel(32 * 2 * all_reduce_bytes_per_token(6144, 8, 2), 1e-12));
}

}  // namespace
}  // namespace fathom::model
