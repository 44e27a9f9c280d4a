#include "model/llm/tensor_list.h"
#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

/// Parameters of a block at hidden 8.
template <class Block>
Count parameters(const Block& block) {
  const Formats formats = test::all_formats(Format::Bf16);
  TensorList list(formats, 8);
  add_tensors(block, list);
  Count sum = 0;
  for (const Tensor& tensor : list.take()) {
    sum += tensor.parameters();
  }
  return sum;
}

constexpr GroupedAttention kGrouped{.heads = 4, .kv_heads = 2, .head = 4, .value_head = 4};
constexpr Count kPlain = 8 * 16 + 8 * 8 + 8 * 8 + 16 * 8;  // query, key, value, output

TEST_CASE("grouped attention: projections, biases and norms") {
  GroupedAttention a = kGrouped;
  CHECK(parameters(a) == kPlain);
  a.qkv_bias = true;
  CHECK(parameters(a) == kPlain + 16 + 8 + 8);
  a.output_bias = true;
  CHECK(parameters(a) == kPlain + 32 + 8);
  GroupedAttention normed = kGrouped;
  normed.qk_norm = GroupedAttention::QkNorm::Head;
  CHECK(parameters(normed) == kPlain + 2L * 4);
  normed.qk_norm = GroupedAttention::QkNorm::Full;
  CHECK(parameters(normed) == kPlain + (4L + 2) * 4);
}

TEST_CASE("an element-wise gate doubles the query, a head-wise one has a row a head") {
  GroupedAttention a = kGrouped;
  a.gate = GroupedAttention::Gate::Element;
  CHECK(parameters(a) == kPlain + 8L * 16);
  a.gate = GroupedAttention::Gate::Head;
  CHECK(parameters(a) == kPlain + 8L * 4);
}

TEST_CASE("sinks are one logit a head") {
  GroupedAttention a = kGrouped;
  a.sinks = true;
  CHECK(parameters(a) == kPlain + 4);
}

TEST_CASE("a layer without its own keys or values has no such projections") {
  GroupedAttention a = kGrouped;
  a.value_is_key = true;
  CHECK(parameters(a) == kPlain - 8L * 8);
  a.value_is_key = false;
  a.shared_kv = true;
  a.qk_norm = GroupedAttention::QkNorm::Head;
  a.qkv_bias = true;
  CHECK(parameters(a) == kPlain - 2L * 8 * 8 + 4 + 16);  // the query's norm and bias stay
}

TEST_CASE("a low-rank query: down, its norm, up") {
  GroupedAttention a = kGrouped;
  a.kv_heads = 1;
  a.query_rank = 3;
  CHECK(parameters(a) == 8 * 3 + 3 + 3 * 16 + 2 * 8 * 4 + 16 * 8);
}

TEST_CASE("an indexer of single tokens weighs its heads, one of blocks does not") {
  GroupedAttention a = kGrouped;
  a.indexer = Indexer{.heads = 2, .head = 4, .top_k = 32, .block = 16};
  CHECK(parameters(a) == kPlain + 8L * 2 * 4 + 8L * 4 + 2L * 4);
  a.indexer->block = 1;
  CHECK(parameters(a) == kPlain + 8L * 2 * 4 + 8L * 4 + 2L * 4 + 8L * 2);
  a.indexer->shared = true;
  CHECK(parameters(a) == kPlain);
}

TEST_CASE("latent attention, with and without a query rank, a gate, an indexer") {
  LatentAttention a{.heads = 4,
                    .query_rank = 6,
                    .latent_rank = 4,
                    .nope_head = 2,
                    .rope_head = 2,
                    .value_head = 4};
  const Count kv = 8 * (4 + 2) + 4 + 4 * 4 * (2 + 4);
  const Count output = 4L * 4 * 8;
  CHECK(parameters(a) == 8 * 6 + 6 + 6 * 4 * (2 + 2) + kv + output);
  const Count with_rank = parameters(a);
  a.gate = true;
  CHECK(parameters(a) == with_rank + 8L * 4 * 4);
  a.indexer = Indexer{.heads = 2, .head = 4, .top_k = 10};
  CHECK(parameters(a) == with_rank + 128 + 6L * 2 * 4 + 8L * 4 + 2L * 4 + 8L * 2);
  a.gate = false;
  a.indexer.reset();
  a.query_rank = 0;
  CHECK(parameters(a) == 8L * 4 * (2 + 2) + kv + output);
}

TEST_CASE("compressed attention: window only, with entries, with an indexer") {
  CompressedAttention a = test::kSmallCompressed;
  a.ratio = 0;
  a.indexer.reset();
  // Query down, norm, up; latent and its norm; sinks; two output projections.
  const Count window = 8 * 8 + 8 + 8 * 4 * 4 + 8 * 4 + 4 + 4 + (2 * 4) * (4 * 4 / 2) + 8 * 2 * 4;
  CHECK(parameters(a) == window);
  a.ratio = 8;
  CHECK(parameters(a) == window + 2L * 4 * 8 + 8L * 4 + 4);
  const Count compressor = 2 * 8 * 8 + 4 * 8 + 4;  // twice as wide: two windows overlap
  const Count indexer = 8 * 2 * 4 + 8 * 2 + 2 * 8 * 8 + 4 * 8 + 4;
  CHECK(parameters(test::kSmallCompressed) == window + compressor + indexer);
}

}  // namespace
}  // namespace fathom::model
