#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

using hardware::Work;

OperatorList layer(const ModelSpec& model, const Layout& layout, const StepShape& shape) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  return layer_ops(test::plain_context(shard), shard.layers.front(), shape);
}

constexpr StepShape kDecode{.sequences = 3, .context = 99};
constexpr StepShape kPrefill{.phase = Phase::Prefill, .sequences = 2, .new_tokens = 200};

Work update(const Attention& mixer, const Layout& layout, const StepShape& shape) {
  return test::work_of(layer(test::small_model_of(mixer), layout, shape),
                       OperatorKind::StateUpdate);
}

TEST_CASE("decode updates a state of 4 x 4 x 4 for each sequence, whatever the context") {
  CHECK(update(test::kSmallMamba1, {}, kDecode).flop.base() == 3 * 6 * 16 * 4);
  CHECK(update(test::kSmallMamba2, {}, kDecode).flop.base() == 3 * 6 * 16 * 4);
  CHECK(update(test::kSmallDelta, {}, kDecode).flop.base() == 3 * 7 * 4 * 4 * 4);
  CHECK(update(test::kSmallKeyed, {}, kDecode).flop.base() == 3 * 7 * 4 * 4 * 4);
  CHECK(update(test::kSmallLightning, {}, kDecode).flop.base() == 3 * 4 * 4 * 4 * 4);
  StepShape longer = kDecode;
  longer.context = 99'999;
  CHECK(update(test::kSmallDelta, {}, longer).flop == update(test::kSmallDelta, {}, kDecode).flop);
  CHECK(update(test::kSmallDelta, {}, longer).cache_bytes ==
        update(test::kSmallDelta, {}, kDecode).cache_bytes);
}

TEST_CASE("decode reads and writes state and tail once") {
  // Lightning: 64 values of 4 bytes. Mamba-2: the same, and a tail of 3 x 32 x 2 bytes.
  CHECK(update(test::kSmallLightning, {}, kDecode).cache_bytes == Bytes(3 * 2 * 256));
  CHECK(update(test::kSmallMamba2, {}, kDecode).cache_bytes == Bytes(3 * 2 * (256 + 192)));
}

TEST_CASE("prefill touches the state once a chunk: 2 of 128 tokens, 4 of 64") {
  CHECK(update(test::kSmallMamba2, {}, kPrefill).cache_bytes == Bytes(2 * 2 * 2 * 448));
  CHECK(update(test::kSmallDelta, {}, kPrefill).cache_bytes == Bytes(2 * 2 * 4 * (256 + 192)));
}

TEST_CASE("prefill multiplies within chunks and with the state between them") {
  const double tokens = 2 * 200;
  CHECK(update(test::kSmallMamba1, {}, kPrefill).flop.base() == tokens * 6 * 16 * 4);
  CHECK(update(test::kSmallMamba2, {}, kPrefill).flop.base() ==
        tokens * (128 * (2 * 4 + 16) + 4 * 16 * 4));
  CHECK(update(test::kSmallLightning, {}, kPrefill).flop.base() ==
        tokens * 4 * (2 * 128 * 4 + 4 * 4 * 4));
  const double delta = tokens * 4 * (2 * 64 * (2 * 4 + 2 * 4) + 64 * (4 + 4) + 6 * 4 * 4);
  CHECK(update(test::kSmallDelta, {}, kPrefill).flop.base() == delta);
  CHECK(update(test::kSmallKeyed, {}, kPrefill).flop.base() == delta);
}

TEST_CASE("what a token is projected to is one GEMM, halves of low rank are their own") {
  const OperatorList mamba = layer(test::small_model_of(test::kSmallMamba2), {}, kDecode);
  const Work in = test::work_of(mamba, OperatorKind::StateIn);
  CHECK(in.flop.base() == 2 * 3 * 8 * (2 * 16 + 4 + 2 * 2 * 4));
  CHECK(in.weight_bytes == Bytes(2 * 8 * 52));
  CHECK(test::count_of(mamba, OperatorKind::StateProjection) == 0);
  const OperatorList keyed = layer(test::small_model_of(test::kSmallKeyed), {}, kDecode);
  CHECK(test::work_of(keyed, OperatorKind::StateIn).flop.base() ==
        2 * 3 * 8 * (48 + 4 + 2 + 16));  // the full-rank gate reads the hidden state too
  CHECK(test::count_of(keyed, OperatorKind::StateProjection) == 1);  // decay up
  CHECK(test::work_of(keyed, OperatorKind::OutputProjection).flop.base() == 2 * 3 * 16 * 8);
}

TEST_CASE("TP halves the update and ends in one all-reduce; Mamba-1 sums step, B and C too") {
  const Layout two = test::layout_of(2, 1, 1);
  for (const Attention& mixer : {Attention(test::kSmallMamba1), Attention(test::kSmallDelta),
                                 Attention(test::kSmallKeyed), Attention(test::kSmallLightning)}) {
    CHECK(update(mixer, two, kDecode).flop * 2 == update(mixer, {}, kDecode).flop);
    CHECK(update(mixer, two, kDecode).cache_bytes * 2 == update(mixer, {}, kDecode).cache_bytes);
  }
  const auto reduces = [&two](const Attention& mixer) {
    return test::count_of(layer(test::small_model_of(mixer), two, kDecode),
                          OperatorKind::AttentionReduce);
  };
  CHECK(reduces(test::kSmallDelta) == 1);
  CHECK(reduces(test::kSmallMamba1) == 2);
  const Work first = test::work_of(layer(test::small_model_of(test::kSmallMamba1), two, kDecode),
                                   OperatorKind::AttentionReduce);
  CHECK(first.message == Bytes(3 * (2 + 2 * 4) * 2));
}

TEST_CASE("a layer without attention is its FFN") {
  const OperatorList list = layer(test::small_model_of(NoAttention{}), {}, kDecode);
  CHECK(list.size() == 3);
  CHECK(test::count_of(list, OperatorKind::DenseUp) == 1);
}

TEST_CASE("a mixer without FFN has no GEMM but its own") {
  ModelSpec model = test::small_model_of(test::kSmallLightning);
  model.layers.front().mlp = NoMlp{};
  const OperatorList list = layer(model, {}, kDecode);
  CHECK(test::count_of(list, OperatorKind::DenseUp) == 0);
  CHECK(test::count_of(list, OperatorKind::StateUpdate) == 1);
}

}  // namespace
}  // namespace fathom::model
