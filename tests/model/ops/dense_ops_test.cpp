#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

using hardware::Work;

OperatorList layer(const ModelSpec& model, const Layout& layout, const KernelCounts& kernels = {}) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  OpsContext context = test::plain_context(shard);
  context.kernels = kernels;
  return layer_ops(context, shard.layers.front(), {.sequences = 3, .context = 10});
}

TEST_CASE("a gated FFN of 3 tokens, hidden 8, width 16 can be counted by hand") {
  const OperatorList list = layer(test::small_dense_model(), {});
  const Work up = test::work_of(list, OperatorKind::DenseUp);
  const Work down = test::work_of(list, OperatorKind::DenseDown);
  CHECK(up.flop.base() == 2 * 3 * 8 * 32);
  CHECK(up.weight_bytes == Bytes(2 * 8 * 32));
  CHECK(up.activation_bytes == Bytes(3 * (8 + 32) * 2));
  CHECK(down.flop.base() == 2 * 3 * 8 * 16);
  CHECK(down.weight_bytes == Bytes(2 * 8 * 16));
  CHECK(test::count_of(list, OperatorKind::FfnReduce) == 0);
}

TEST_CASE("TP halves a rank's FFN and ends it in an all-reduce of the whole row") {
  const OperatorList list = layer(test::small_dense_model(), test::layout_of(2, 1, 1));
  CHECK(test::work_of(list, OperatorKind::DenseUp).flop.base() == 3 * 8 * 32);
  CHECK(test::work_of(list, OperatorKind::DenseDown).weight_bytes == Bytes(8 * 16));
  const Work reduce = test::work_of(list, OperatorKind::FfnReduce);
  CHECK(reduce.collective == hardware::Collective::AllReduce);
  CHECK(reduce.ranks == 2);
  CHECK(reduce.message == Bytes(3 * 8 * 2));
}

TEST_CASE("an FFN without a gate has one matrix up") {
  ModelSpec model = test::small_dense_model();
  model.layers.front().mlp = DenseMlp{.width = 16, .gated = false};
  CHECK(test::work_of(layer(model, {}), OperatorKind::DenseUp).flop.base() == 2 * 3 * 8 * 16);
}

TEST_CASE("an engine's small kernels and passes are its own figures") {
  const OperatorList list = layer(test::small_dense_model(), {},
                                  {.dense_small = 2.5, .dense_passes = 4, .ffn_width_passes = 3});
  const Work small = test::work_of(list, OperatorKind::DenseSmall);
  CHECK(small.kernels == 2.5);
  CHECK(small.activation_bytes == Bytes(3 * (8 * 4 + 16 * 3) * 2));
}

}  // namespace
}  // namespace fathom::model
