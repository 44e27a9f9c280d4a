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

ModelSpec with(void (*change)(GroupedAttention&)) {
  ModelSpec model = test::small_dense_model();
  change(std::get<GroupedAttention>(model.layers.front().attention));
  return model;
}

TEST_CASE("attention restarts at each chunk") {
  const ModelSpec model = with([](GroupedAttention& a) { a.chunk = 8; });
  const Work decode = core(model, {}, kDecode);  // position 10 is the second of its chunk
  CHECK(decode.flop.base() == 3 * 4 * 4 * 4 * 2);
  CHECK(decode.cache_bytes == Bytes(3 * 2 * 8 * 2 * (2 + 1)));
  StepShape across = kPrefill;
  across.context = 6;  // positions 7, 8 of one chunk, 1, 2 of the next; 10 rows are touched
  CHECK(core(model, {}, across).flop.base() == 2 * 4 * 4 * 4 * (7 + 8 + 1 + 2));
  CHECK(core(model, {}, across).cache_bytes == Bytes(2 * 2 * 8 * 2 * (10 + 4)));
}

TEST_CASE("a layer that shares a cache reads it, writes nothing and projects no keys") {
  const ModelSpec model = with([](GroupedAttention& a) { a.shared_kv = true; });
  const OperatorList list = layer(model, {}, kDecode);
  const Work attention = test::work_of(list, OperatorKind::AttentionCore);
  CHECK(attention.flop.base() == 3 * 4 * 4 * 4 * 10);
  CHECK(attention.cache_bytes == Bytes(3 * 2 * 8 * 2 * 10));
  CHECK(test::work_of(list, OperatorKind::QkvProjection).flop.base() == 2 * 3 * 8 * 16);
}

TEST_CASE("values that are keys save a projection and no cache") {
  const ModelSpec model = with([](GroupedAttention& a) { a.value_is_key = true; });
  const OperatorList list = layer(model, {}, kDecode);
  CHECK(test::work_of(list, OperatorKind::QkvProjection).flop.base() == 2 * 3 * 8 * (16 + 8));
  CHECK(test::work_of(list, OperatorKind::AttentionCore).cache_bytes ==
        core(test::small_dense_model(), {}, kDecode).cache_bytes);
}

TEST_CASE("sinks change no work") {
  const ModelSpec model = with([](GroupedAttention& a) { a.sinks = true; });
  const Work plain = core(test::small_dense_model(), {}, kDecode);
  CHECK(core(model, {}, kDecode).flop == plain.flop);
  CHECK(core(model, {}, kDecode).cache_bytes == plain.cache_bytes);
}

TEST_CASE("a gate widens the first GEMM: by the query, or by one row a head") {
  const auto flop = [](const ModelSpec& model) {
    return test::work_of(layer(model, {}, kDecode), OperatorKind::QkvProjection).flop.base();
  };
  CHECK(flop(with([](GroupedAttention& a) { a.gate = GroupedAttention::Gate::Element; })) ==
        2 * 3 * 8 * (32 + 16));
  CHECK(flop(with([](GroupedAttention& a) { a.gate = GroupedAttention::Gate::Head; })) ==
        2 * 3 * 8 * (32 + 4));
}

TEST_CASE("a low-rank query is two GEMMs, the first with the keys and whole on every rank") {
  const ModelSpec model = with([](GroupedAttention& a) { a.query_rank = 3; });
  const OperatorList list = layer(model, {}, kDecode);
  CHECK(test::work_of(list, OperatorKind::QkvProjection).flop.base() == 2 * 3 * 8 * (3 + 16));
  CHECK(test::work_of(list, OperatorKind::QueryUp).flop.base() == 2 * 3 * 3 * 16);
  const OperatorList two = layer(model, test::layout_of(2, 1, 1), kDecode);
  CHECK(test::work_of(two, OperatorKind::QkvProjection).flop.base() == 2 * 3 * 8 * (3 + 8));
  CHECK(test::work_of(two, OperatorKind::QueryUp).flop.base() == 2 * 3 * 3 * 8);
}

TEST_CASE("a parallel layer ends in one all-reduce") {
  ModelSpec model = test::small_dense_model();
  const auto reduces = [&model] {
    const OperatorList list = layer(model, test::layout_of(2, 1, 1), kDecode);
    return test::count_of(list, OperatorKind::AttentionReduce) +
           test::count_of(list, OperatorKind::FfnReduce);
  };
  CHECK(reduces() == 2);
  model.layers.front().parallel = true;
  CHECK(reduces() == 1);
}

}  // namespace
}  // namespace fathom::model
