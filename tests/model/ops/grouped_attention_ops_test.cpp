#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

using hardware::Collective;
using hardware::Work;

constexpr StepShape kDecode{.sequences = 3, .context = 9};
constexpr StepShape kPrefill{.phase = Phase::Prefill, .sequences = 2, .new_tokens = 4};

OperatorList layer(const ModelSpec& model, const Layout& layout, const StepShape& shape,
                   const KernelCounts& kernels = {}) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  OpsContext context = test::plain_context(shard);
  context.kernels = kernels;
  return layer_ops(context, shard.layers.front(), shape);
}

Work core(const ModelSpec& model, const Layout& layout, const StepShape& shape) {
  return test::work_of(layer(model, layout, shape), OperatorKind::AttentionCore);
}

TEST_CASE("decode attends 4 Hq d FLOP for each position and reads each cached row") {
  const Work work = core(test::small_dense_model(), {}, kDecode);
  CHECK(work.flop.base() == 3 * 4 * 4 * 4 * 10);         // 10 positions with its own
  CHECK(work.cache_bytes == Bytes(3 * 2 * 8 * 2 * 11));  // reads 10 rows, writes one
  CHECK_FALSE(work.causal);
}

TEST_CASE("prefill attends the causal half and reads its own rows once") {
  const Work work = core(test::small_dense_model(), {}, kPrefill);
  CHECK(work.flop.base() == 2 * 4 * 4 * 4 * 10);        // 1 + 2 + 3 + 4 positions
  CHECK(work.cache_bytes == Bytes(2 * 2 * 8 * 2 * 8));  // writes 4 rows, reads 4
  CHECK(work.causal);
}

TEST_CASE("a prefill after a cached prefix attends it too") {
  StepShape shape = kPrefill;
  shape.context = 5;
  CHECK(core(test::small_dense_model(), {}, shape).flop.base() == 2 * 4 * 4 * 4 * (10 + 4 * 5));
}

TEST_CASE("a window bounds what is attended and what is read") {
  ModelSpec model = test::small_dense_model();
  std::get<GroupedAttention>(model.layers.front().attention).window = 6;
  const Work work = core(model, {}, kDecode);
  CHECK(work.flop.base() == 3 * 4 * 4 * 4 * 6);
  CHECK(work.cache_bytes == Bytes(3 * 2 * 8 * 2 * 7));
}

TEST_CASE("projections of query, key and value are one GEMM") {
  const OperatorList list = layer(test::small_dense_model(), {}, kDecode);
  const Work qkv = test::work_of(list, OperatorKind::QkvProjection);
  CHECK(qkv.flop.base() == 2 * 3 * 8 * (16 + 8 + 8));
  CHECK(qkv.weight_bytes == Bytes(2 * 8 * 32));
  CHECK(test::work_of(list, OperatorKind::OutputProjection).flop.base() == 2 * 3 * 16 * 8);
  CHECK(test::count_of(list, OperatorKind::AttentionReduce) == 0);
}

TEST_CASE("TP divides FLOP by heads and ends in an all-reduce of the whole row") {
  const OperatorList list = layer(test::small_dense_model(), test::layout_of(4, 1, 1), kDecode);
  CHECK(test::work_of(list, OperatorKind::AttentionCore).flop.base() == 3 * 4 * 4 * 10);
  // 2 KV heads on 4 ranks: a rank still reads a whole head.
  CHECK(test::work_of(list, OperatorKind::AttentionCore).cache_bytes == Bytes(3 * 8 * 2 * 11));
  const Work reduce = test::work_of(list, OperatorKind::AttentionReduce);
  CHECK(reduce.collective == Collective::AllReduce);
  CHECK(reduce.ranks == 4);
  CHECK(reduce.message == Bytes(3 * 8 * 2));
}

TEST_CASE("context parallelism reads a part of the cache and gathers queries for it") {
  Layout layout = test::layout_of(4, 1, 1);
  CHECK(test::count_of(layer(test::small_dense_model(), layout, kDecode),
                       OperatorKind::ContextGather) == 0);
  layout.dcp = 2;
  const OperatorList list = layer(test::small_dense_model(), layout, kDecode);
  const Work gather = test::work_of(list, OperatorKind::ContextGather);
  CHECK(gather.collective == Collective::AllGather);
  CHECK(gather.ranks == 2);
  CHECK(gather.message == Bytes(3 * 2 * 4 * 2));  // one head of 4 from each of 2 ranks
  const Work reduce = test::work_of(list, OperatorKind::ContextReduce);
  CHECK(reduce.collective == Collective::ReduceScatter);
  CHECK(reduce.message == Bytes(3 * 2 * 4 * 2));
  // Reads half of the 10 rows, writes one.
  CHECK(test::work_of(list, OperatorKind::AttentionCore).cache_bytes == Bytes(3 * 8 * 2 * 6));
}

TEST_CASE("split-KV decode counts the kernels of the engine, prefill one") {
  const KernelCounts kernels{.split_kv_kernels = 2};
  CHECK(test::work_of(layer(test::small_dense_model(), {}, kDecode, kernels),
                      OperatorKind::AttentionCore)
            .kernels == 2);
  CHECK(test::work_of(layer(test::small_dense_model(), {}, kPrefill, kernels),
                      OperatorKind::AttentionCore)
            .kernels == 1);
}

}  // namespace
}  // namespace fathom::model
