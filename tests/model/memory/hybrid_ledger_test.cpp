// The ledger of models whose cache is more than equal tokens: windows, state, layers without any.

#include "model/memory/ledger.h"
#include "tests/support/catch.h"
#include "tests/support/small_models.h"

#include <cmath>

namespace fathom::model {
namespace {

hardware::AcceleratorSpec accelerator() {
  hardware::AcceleratorSpec a;
  a.capacity = Bytes(1e6);
  return a;
}

EngineSpec engine() {
  EngineSpec e;
  e.memory_fraction = 0.9;
  e.max_batched_tokens = 16;
  e.kv_block_tokens = 16;
  return e;
}

Ledger ledger(const ModelSpec& model, const Layout& layout, double tokens) {
  return make_ledger(model, make_shard(model, layout, Format::Bf16), accelerator(), engine(),
                     {.max_sequences = 1, .sequence_tokens = tokens});
}

/// One full layer and two of another kind; a row is 2 heads x 8 x 2 = 32 bytes.
ModelSpec full_and_two(const Attention& other) {
  ModelSpec model = test::small_dense_model();
  model.layers.push_back(model.layers.front());
  model.layers.front().count = 1;
  model.layers.back().count = 2;
  model.layers.back().attention = other;
  return model;
}

GroupedAttention window(Count tokens) {
  return {.heads = 4, .kv_heads = 2, .head = 4, .value_head = 4, .window = tokens};
}

void check_sequences(const Ledger& l, double length) {
  const double held = std::floor(l.kv / l.one_sequence);
  CHECK(held > 1);
  CHECK(l.max_concurrency == held);
  CHECK(l.kv_tokens == static_cast<Count>(held * length));
}

TEST_CASE("a model with windows holds sequences, and tokens are sequences x length") {
  const Ledger l = ledger(full_and_two(window(10)), {}, 160);
  CHECK(l.bounded);
  CHECK(l.one_sequence == Bytes(32 * 160 + 2 * 32 * 10));
  CHECK(l.kv_bytes_per_token == Bytes(3 * 32));  // while no window is full
  check_sequences(l, 160);
}

TEST_CASE("a model with a state pays it once a sequence") {
  const Ledger l = ledger(full_and_two(test::kSmallMamba2), {}, 160);
  CHECK(l.bounded);
  CHECK(l.state_per_sequence == Bytes(2 * 448));
  CHECK(l.one_sequence == Bytes(32 * 160 + 2 * 448));
  check_sequences(l, 160);
}

TEST_CASE("a model of states alone holds as many sequences of any length") {
  const ModelSpec model = test::small_model_of(test::kSmallLightning);
  const Ledger brief = ledger(model, {}, 16);
  const Ledger lengthy = ledger(model, {}, 16000);
  CHECK(brief.one_sequence == Bytes(3 * 4 * 16 * 4));
  CHECK(brief.max_concurrency == lengthy.max_concurrency);
  CHECK(lengthy.kv_tokens == brief.kv_tokens * 1000);
}

TEST_CASE("a window that is never full holds what a model without one does") {
  const Ledger with = ledger(full_and_two(window(1000)), {}, 160);
  const Ledger without = ledger(test::small_dense_model(), {}, 160);
  CHECK_FALSE(without.bounded);
  CHECK(with.max_concurrency == without.max_concurrency);
  CHECK(with.one_sequence == without.one_sequence);
}

TEST_CASE("a stage that keeps no cache does not bind") {
  Layout layout;
  layout.pp = 3;
  const Ledger l = ledger(full_and_two(NoAttention{}), layout, 160);
  CHECK(l.stage == 0);
  CHECK(l.one_sequence == Bytes(32 * 160));
  CHECK(l.max_concurrency == std::floor(static_cast<double>(l.kv_tokens) / 160));
  CHECK(l.max_concurrency > 1);
}

TEST_CASE("hyper-connections keep several residual streams") {
  ModelSpec model = test::small_dense_model();
  const auto peak = [](const ModelSpec& m) {
    return activation_peak(make_shard(m, {}, Format::Bf16), 10, 0);
  };
  const Bytes plain = peak(model);
  CHECK(plain == Bytes(2 * 10 * (4 * 8 + 3 * 16)));
  model.layers.front().hyper_streams = 4;
  CHECK(peak(model) == Bytes(2 * 10 * (7 * 8 + 3 * 16)));
}

}  // namespace
}  // namespace fathom::model
