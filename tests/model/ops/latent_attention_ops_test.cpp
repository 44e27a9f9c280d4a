#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

using hardware::Work;

/// The small latent model: 4 heads, latent 4, rope 2, nope 2, value 4; index 2 heads of 4, top 10.
OperatorList layer(const ModelSpec& model, const StepShape& shape, const Layout& layout = {}) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  return layer_ops(test::plain_context(shard), shard.layers.front(), shape);
}

ModelSpec without_indexer() {
  ModelSpec model = test::small_latent_model();
  std::get<LatentAttention>(model.layers.front().attention).indexer.reset();
  return model;
}

constexpr StepShape decode_at(double context) { return {.sequences = 3, .context = context}; }
constexpr StepShape prefill_of(double tokens) {
  return {.phase = Phase::Prefill, .sequences = 1, .new_tokens = tokens};
}

TEST_CASE("decode is absorbed: 2 H ((rkv + dr) + rkv) FLOP for each position") {
  const OperatorList list = layer(without_indexer(), decode_at(19));
  const Work work = test::work_of(list, OperatorKind::AttentionCore);
  CHECK(work.flop.base() == 3 * 2 * 4 * (6 + 4) * 20);
  CHECK(work.cache_bytes == Bytes(3 * 12 * 21));  // each row once for all heads, one written
  CHECK(test::count_of(list, OperatorKind::Absorb) == 1);
  CHECK(test::count_of(list, OperatorKind::LatentExpand) == 0);
}

TEST_CASE("absorbing reads the up-projection once and is 2 T H rkv (dn + dv) FLOP") {
  const Work work = test::work_of(layer(without_indexer(), decode_at(19)), OperatorKind::Absorb);
  CHECK(work.flop.base() == 2 * 3 * 4 * 4 * (2 + 4));
  CHECK(work.weight_bytes == Bytes(2 * 4 * (2 + 4) * 4));
}

TEST_CASE("prefill is expanded: 2 H (dn + dr + dv) FLOP for each pair of the causal half") {
  const OperatorList list = layer(without_indexer(), prefill_of(4));
  const Work work = test::work_of(list, OperatorKind::AttentionCore);
  CHECK(work.flop.base() == 2 * 4 * (2 + 2 + 4) * 10);
  CHECK(work.causal);
  CHECK(test::work_of(list, OperatorKind::LatentExpand).flop.base() == 2 * 4 * 4 * 6 * 4);
  CHECK(test::count_of(list, OperatorKind::Absorb) == 0);
}

TEST_CASE("a cached prefix is expanded again") {
  StepShape shape = prefill_of(4);
  shape.context = 5;
  CHECK(test::work_of(layer(without_indexer(), shape), OperatorKind::LatentExpand).flop.base() ==
        2 * 9 * 4 * 6 * 4);
}

TEST_CASE("TP divides heads, not the cache that each rank reads") {
  const Work one =
      test::work_of(layer(without_indexer(), decode_at(19)), OperatorKind::AttentionCore);
  const Work four = test::work_of(layer(without_indexer(), decode_at(19), test::layout_of(4, 1, 1)),
                                  OperatorKind::AttentionCore);
  CHECK(four.flop * 4 == one.flop);
  CHECK(four.cache_bytes == one.cache_bytes);
}

TEST_CASE("a sparse decode attends and reads the top k of the context") {
  const Work work =
      test::work_of(layer(test::small_latent_model(), decode_at(99)), OperatorKind::AttentionCore);
  CHECK(work.flop.base() == 3 * 2 * 4 * (6 + 4) * 10);
  CHECK(work.cache_bytes == Bytes(3 * 12 * 11));
}

TEST_CASE("below the top k sparse attention saves nothing and still scans its index") {
  const OperatorList sparse = layer(test::small_latent_model(), decode_at(8));
  const OperatorList full = layer(without_indexer(), decode_at(8));
  CHECK(test::work_of(sparse, OperatorKind::AttentionCore).flop ==
        test::work_of(full, OperatorKind::AttentionCore).flop);
  CHECK(test::work_of(sparse, OperatorKind::IndexScan).flop.base() > 0);
  CHECK(test::count_of(full, OperatorKind::IndexScan) == 0);
  CHECK(test::count_of(full, OperatorKind::TopK) == 0);
}

TEST_CASE(
    "the index scan is 2 Hi (di + 1) FLOP and one index row for each position, on each rank") {
  for (const Count tp : {1, 4}) {
    const OperatorList list =
        layer(test::small_latent_model(), decode_at(99), test::layout_of(tp, 1, 1));
    const Work scan = test::work_of(list, OperatorKind::IndexScan);
    CHECK(scan.flop.base() == 3 * 2 * 2 * (4 + 1) * 100);
    CHECK(scan.cache_bytes == Bytes(3 * 8 * 100));  // 4 FP8 elements and their FP32 scale
    const Work project = test::work_of(list, OperatorKind::IndexProjection);
    CHECK(project.flop.base() == 2 * 3 * (8 * 8 + 4 * 8 + 2 * 8));
  }
}

TEST_CASE("a sparse prefill beyond the top k runs absorbed, below it expanded") {
  const OperatorList longer = layer(test::small_latent_model(), prefill_of(12));
  CHECK(test::count_of(longer, OperatorKind::Absorb) == 1);
  // 1 + 2 + ... + 10 + 10 + 10 positions, absorbed width 10.
  CHECK(test::work_of(longer, OperatorKind::AttentionCore).flop.base() == 2 * 4 * 10 * 75);
  const OperatorList shorter = layer(test::small_latent_model(), prefill_of(10));
  CHECK(test::count_of(shorter, OperatorKind::LatentExpand) == 1);
}

TEST_CASE("query and latent go down in one kernel, then the query up") {
  const OperatorList list = layer(without_indexer(), decode_at(0));
  CHECK(test::work_of(list, OperatorKind::LatentDown).flop.base() == 2 * 3 * 8 * (8 + 6));
  CHECK(test::work_of(list, OperatorKind::QueryUp).flop.base() == 2 * 3 * 8 * 16);
}

TEST_CASE("context parallelism divides what a rank reads of latent and index") {
  Layout layout = test::layout_of(4, 1, 1);
  layout.dcp = 2;
  const OperatorList list = layer(test::small_latent_model(), decode_at(99), layout);
  CHECK(test::work_of(list, OperatorKind::IndexScan).cache_bytes == Bytes(3 * 8 * 50));
  CHECK(test::work_of(list, OperatorKind::AttentionCore).cache_bytes == Bytes(3 * 12 * 6));
  CHECK(test::work_of(list, OperatorKind::ContextGather).message == Bytes(3 * 2 * 6 * 2));
  CHECK(test::work_of(list, OperatorKind::ContextReduce).message == Bytes(3 * 2 * 4 * 2));
}

}  // namespace
}  // namespace fathom::model
