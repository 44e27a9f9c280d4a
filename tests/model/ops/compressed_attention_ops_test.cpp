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

ModelSpec with(Count ratio, Count top_k) {
  CompressedAttention a = test::kSmallCompressed;
  a.ratio = ratio;
  a.indexer =
      top_k > 0 ? std::optional<Indexer>({.heads = 2, .head = 4, .top_k = top_k}) : std::nullopt;
  return test::small_model_of(a);
}

Work core(const ModelSpec& model, const StepShape& shape, const Layout& layout = {}) {
  return test::work_of(layer(model, layout, shape), OperatorKind::AttentionCore);
}

TEST_CASE("a query sees the window and the entries that were picked") {
  const Work work = core(with(4, 4), kDecode);
  CHECK(work.flop.base() == 3 * 4 * 4 * 4 * (8 + 4));
  // Entries of 4 x 2 bytes: 12 read; one raw entry written and a quarter of a compressed one.
  CHECK(work.cache_bytes == Bytes(3 * 8 * (12 + 1.25)));
}

TEST_CASE("without an indexer it sees every entry, without a ratio the window only") {
  CHECK(core(with(4, 0), kDecode).flop.base() == 3 * 4 * 4 * 4 * (8 + 25));
  CHECK(core(with(0, 0), kDecode).flop.base() == 3 * 4 * 4 * 4 * 8);
  CHECK(core(with(0, 0), kDecode).cache_bytes == Bytes(3 * 8 * (8 + 1)));
}

TEST_CASE("an indexer that picks all entries is dense but for its scan") {
  CHECK(core(with(4, 25), kDecode).flop == core(with(4, 0), kDecode).flop);
  CHECK(core(with(4, 25), kDecode).cache_bytes == core(with(4, 0), kDecode).cache_bytes);
}

TEST_CASE("prefill sees the causal half of window and entries") {
  const StepShape shape{.phase = Phase::Prefill, .new_tokens = 16};
  const Work work = core(with(4, 0), shape);
  // Window: 1 + ... + 8, then 8 times 8. Entries: (1 + ... + 16) / 4.
  CHECK(work.flop.base() == 4 * 4 * 4 * (36 + 64 + 136 / 4.0));
  CHECK(work.causal);
}

TEST_CASE("the index scan reads FP4 keys of entries, a quarter of a key a token") {
  const OperatorList list = layer(with(4, 4), {}, kDecode);
  const Work scan = test::work_of(list, OperatorKind::IndexScan);
  CHECK(scan.flop.base() == 3 * 2 * 2 * (4 + 1) * 25);
  CHECK(scan.cache_bytes == Bytes(3 * 25 * 4 * 0.5));
  CHECK(scan.activation_bytes == Bytes(3 * 25 * 4));
  CHECK(test::count_of(layer(with(4, 0), {}, kDecode), OperatorKind::IndexScan) == 0);
}

TEST_CASE("entries are made by one more operator, where there are any") {
  const Work made = test::work_of(layer(with(4, 0), {}, kDecode), OperatorKind::Compress);
  CHECK(made.flop.base() == 2 * 2 * 3 * 4 * 8);  // entries and their weights
  CHECK(test::count_of(layer(with(0, 0), {}, kDecode), OperatorKind::Compress) == 0);
}

TEST_CASE("the output is projected in groups, then together") {
  const OperatorList list = layer(with(0, 0), {}, kDecode);
  CHECK(test::count_of(list, OperatorKind::OutputProjection) == 2);
  const Work first = test::work_of(list, OperatorKind::OutputProjection);
  CHECK(first.flop.base() == 2 * 3 * (2 * 4) * (16 / 2.0));
  CHECK(first.activation_bytes == Bytes(3 * (16 + 8) * 2));  // all heads in, all groups out
}

TEST_CASE("TP divides heads and output groups, not the entries that are read") {
  const Layout two = test::layout_of(2, 1, 1);
  CHECK(core(with(4, 4), kDecode, two).flop * 2 == core(with(4, 4), kDecode).flop);
  CHECK(core(with(4, 4), kDecode, two).cache_bytes == core(with(4, 4), kDecode).cache_bytes);
  const OperatorList list = layer(with(4, 4), two, kDecode);
  CHECK(test::count_of(list, OperatorKind::AttentionReduce) == 1);
  CHECK(test::work_of(list, OperatorKind::IndexScan).flop ==
        test::work_of(layer(with(4, 4), {}, kDecode), OperatorKind::IndexScan).flop);
}

}  // namespace
}  // namespace fathom::model
