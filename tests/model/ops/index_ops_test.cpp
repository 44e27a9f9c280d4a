#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

using hardware::Work;

OperatorList layer(const ModelSpec& model, const Layout& layout, const StepShape& shape) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  return layer_ops(test::plain_context(shard), shard.layers.front(), shape);
}

constexpr StepShape kDecode{.sequences = 3, .context = 99};  // 100 positions with its own

ModelSpec with(const Indexer& indexer) {
  ModelSpec model = test::small_dense_model();
  std::get<GroupedAttention>(model.layers.front().attention).indexer = indexer;
  return model;
}

TEST_CASE("an index scan of single tokens weighs the scores of its heads") {
  const OperatorList list = layer(with({.heads = 2, .head = 4, .top_k = 32}), {}, kDecode);
  const Work scan = test::work_of(list, OperatorKind::IndexScan);
  CHECK(scan.flop.base() == 3 * 2 * 2 * (4 + 1) * 100);
  CHECK(scan.cache_bytes == Bytes(3 * 100 * (4 + 4)));  // FP8 key and scale
  CHECK(scan.activation_bytes == Bytes(3 * 100 * 4));
  CHECK(test::work_of(list, OperatorKind::TopK).activation_bytes == Bytes(3 * 100 * 4));
  CHECK(test::work_of(list, OperatorKind::IndexProjection).flop.base() ==
        2 * 3 * 8 * (2 * 4 + 4 + 2));
}

TEST_CASE("a scan of blocks keeps one score a block and has no weights") {
  const OperatorList list =
      layer(with({.heads = 2, .head = 4, .top_k = 32, .block = 16}), {}, kDecode);
  const Work scan = test::work_of(list, OperatorKind::IndexScan);
  CHECK(scan.flop.base() == 3 * 2 * 2 * 4 * 100);
  CHECK(scan.activation_bytes == Bytes(3 * 100 * 4 / 16.0));
  CHECK(test::work_of(list, OperatorKind::IndexProjection).flop.base() == 2 * 3 * 8 * (2 * 4 + 4));
}

TEST_CASE("the core attends and reads what was picked") {
  const Work core =
      test::work_of(layer(with({.heads = 2, .head = 4, .top_k = 32, .block = 16}), {}, kDecode),
                    OperatorKind::AttentionCore);
  CHECK(core.flop.base() == 3 * 4 * 4 * 4 * 32);
  CHECK(core.cache_bytes == Bytes(3 * 32 * (32 + 1)));
}

TEST_CASE("a layer that takes another's picks scans nothing and attends as much") {
  const OperatorList list =
      layer(with({.heads = 2, .head = 4, .top_k = 32, .shared = true}), {}, kDecode);
  CHECK(test::count_of(list, OperatorKind::IndexScan) == 0);
  CHECK(test::count_of(list, OperatorKind::IndexProjection) == 0);
  CHECK(test::work_of(list, OperatorKind::AttentionCore).flop.base() == 3 * 4 * 4 * 4 * 32);
}

TEST_CASE("every TP rank scans for itself; context parallelism divides the scan") {
  const ModelSpec model = with({.heads = 2, .head = 4, .top_k = 32});
  const auto scan = [&model](const Layout& layout) {
    return test::work_of(layer(model, layout, kDecode), OperatorKind::IndexScan);
  };
  Layout four = test::layout_of(4, 1, 1);
  CHECK(scan(four).flop == scan({}).flop);
  four.dcp = 2;
  CHECK(scan(four).flop * 2 == scan({}).flop);
  CHECK(scan(four).cache_bytes * 2 == scan({}).cache_bytes);
}

TEST_CASE("an indexer counts its small kernels, unless it takes another's picks") {
  KernelCounts kernels;
  kernels.attention_small = 5;
  kernels.indexer_small = 2;
  const auto small_kernels = [&kernels](const Indexer& indexer) {
    const Shard shard = make_shard(with(indexer), {}, Format::Bf16);
    OpsContext context = test::plain_context(shard);
    context.kernels = kernels;
    return test::work_of(layer_ops(context, shard.layers.front(), kDecode),
                         OperatorKind::AttentionSmall)
        .kernels;
  };
  CHECK(small_kernels({.heads = 2, .head = 4, .top_k = 32}) == 7);
  CHECK(small_kernels({.heads = 2, .head = 4, .top_k = 32, .shared = true}) == 5);
}

}  // namespace
}  // namespace fathom::model
