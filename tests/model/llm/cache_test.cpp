#include "model/llm/cache.h"

#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

constexpr GroupedAttention kGrouped{.heads = 4, .kv_heads = 2, .head = 4, .value_head = 4};
/// DeepSeek-V4-Flash's layer that picks among its entries, one for each 4 tokens.
constexpr CompressedAttention kCsa{.heads = 64,
                                   .query_rank = 1024,
                                   .head = 512,
                                   .rope_head = 64,
                                   .window = 128,
                                   .ratio = 4,
                                   .output_groups = 8,
                                   .output_rank = 1024,
                                   .indexer = Indexer{.heads = 64, .head = 128, .top_k = 512}};

LayerCache cache_of(const Attention& attention, Count tp = 1, const CacheFormats& formats = {}) {
  return layer_cache(attention, formats, kv_heads_on_rank(attention, tp), tp);
}

TEST_CASE("a window or a chunk bounds the rows of a sequence") {
  GroupedAttention a = kGrouped;
  CHECK(cache_of(a).of_sequence(10) == Bytes(10 * 32));  // 2 heads x (4 + 4) x 2 bytes
  a.window = 6;
  CHECK(cache_of(a).of_sequence(4) == Bytes(4 * 32));
  CHECK(cache_of(a).of_sequence(10) == Bytes(6 * 32));
  CHECK(cache_of(a).per_token() == Bytes(32));
  CHECK(cache_of(a).beyond_bound() == Bytes(0));
  GroupedAttention chunked = kGrouped;
  chunked.chunk = 6;
  CHECK(cache_of(chunked).of_sequence(10) == Bytes(6 * 32));
}

TEST_CASE("shared keys and values are kept once, by the layer that makes them") {
  GroupedAttention a = kGrouped;
  a.shared_kv = true;
  CHECK(cache_of(a).of_sequence(10) == Bytes(0));
}

TEST_CASE("values that are keys are cached apart all the same, sinks not at all") {
  GroupedAttention a = kGrouped;
  a.value_is_key = true;
  a.sinks = true;
  CHECK(cache_of(a).row == Bytes(32));
}

TEST_CASE("an indexer keeps one key and a scale a token, unless it takes another's picks") {
  GroupedAttention a = kGrouped;
  a.indexer = Indexer{.heads = 2, .head = 128, .top_k = 2048, .block = 128};
  CHECK(cache_of(a).index == Bytes(132));
  a.indexer->shared = true;
  CHECK(cache_of(a).index == Bytes(0));
}

TEST_CASE("a compressed layer keeps a ring, an entry for each few tokens, index keys and sums") {
  const LayerCache c = cache_of(kCsa);
  CHECK(c.row == Bytes(1024));
  CHECK(c.growing == Bytes(1024.0 / 4));
  CHECK(c.index == Bytes(64.0 / 4));             // FP4
  CHECK(c.state == Bytes(2 * 4 * 2 * 512 * 4));  // two sums of 4 x 2 windows, FP32
  CHECK(c.fixed() == Bytes(128 * 1024 + 32768));
  CHECK(c.per_token() == Bytes(256 + 16));
  CHECK(c.of_sequence(1000) == Bytes(128 * 1024 + 32768 + 272 * 1000));
  CHECK(c.of_sequence(10) == Bytes(128 * 1024 + 32768 + 272 * 10));  // the ring is there at once
  CHECK(cache_of(kCsa, 1, {.kv = Format::Fp8}).row == Bytes(584));   // 448 + 64 x 2 + 8
}

TEST_CASE("DeepSeek-V4-Flash adds 5,536 bytes and 336 of index keys a token") {
  CompressedAttention hca = kCsa;
  hca.ratio = 128;
  hca.indexer.reset();
  CompressedAttention window = hca;
  window.ratio = 0;
  const Bytes entries = cache_of(kCsa).growing * 21 + cache_of(hca).growing * 20;
  CHECK(entries == Bytes(5536));
  CHECK(cache_of(kCsa).index * 21 == Bytes(336));
  CHECK(cache_of(window).growing == Bytes(0));
  const LayerCache one = cache_of(window);
  CHECK((one.fixed() - one.state) * 43 == Bytes(5'636'096));
}

TEST_CASE("state of published models, FP32 with a 16-bit convolution tail") {
  const Mamba2 nemotron{.heads = 64, .head = 64, .groups = 8, .state = 128, .conv = 4};
  CHECK(cache_of(nemotron).state * 23 == Bytes(48'234'496 + 847'872));
  const Mamba1 jamba{.inner = 8192, .state = 16, .conv = 4, .dt_rank = 256};
  CHECK(cache_of(jamba).state * 28 == Bytes(14'680'064 + 1'376'256));
  const KeyedDelta kimi{.heads = 32, .head = 128, .conv = 4, .decay_rank = 128};
  CHECK(cache_of(kimi).state * 20 == Bytes(41'943'040 + 1'474'560));
  const LightningAttention minimax{.heads = 64, .head = 128};
  CHECK(cache_of(minimax).state * 70 == Bytes(293'601'280));
}

TEST_CASE("a state has one size, whatever the length") {
  const LayerCache c = cache_of(test::kSmallDelta);
  CHECK(c.state == Bytes(4 * 4 * 4 * 4 + (2 * 2 * 4 + 4 * 4) * 3 * 2));
  CHECK(c.of_sequence(1) == c.state);
  CHECK(c.of_sequence(1e6) == c.state);
  CHECK(c.per_token() == Bytes(0));
  CHECK(c.fixed() == c.state);
}

TEST_CASE("a 16-bit state halves the state and not the tail") {
  const Bytes half = cache_of(test::kSmallDelta, 1, {.state = Format::Bf16}).state;
  CHECK(half == Bytes(4 * 4 * 4 * 2 + (2 * 2 * 4 + 4 * 4) * 3 * 2));
}

TEST_CASE("TP divides state by heads; groups of B and C are replicated beyond their number") {
  // 16 channels x 4 x 4 bytes and a tail of 16 x 3 x 2; a group's B and C have a tail of 48.
  CHECK(cache_of(test::kSmallMamba2, 1).state == Bytes(256 + 96 + 2 * 48));
  CHECK(cache_of(test::kSmallMamba2, 2).state == Bytes(128 + 48 + 48));
  CHECK(cache_of(test::kSmallMamba2, 4).state == Bytes(64 + 24 + 48));
  CHECK(cache_of(test::kSmallLightning, 4).state * 4 == cache_of(test::kSmallLightning).state);
}

TEST_CASE("an FFN on its own keeps nothing") {
  CHECK(cache_of(NoAttention{}).of_sequence(1000) == Bytes(0));
}

}  // namespace
}  // namespace fathom::model
