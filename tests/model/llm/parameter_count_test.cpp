#include "model/llm/parameter_count.h"

#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

GroupCensus group(const Census& census, Group g) {
  return census.groups.at(static_cast<std::size_t>(g));
}

TEST_CASE("the census of a small model can be added up by hand") {
  const Census census = take_census(test::small_dense_model());
  // 3 layers of 384 attention, 384 FFN, 16 norm; two tables of 256; a final norm of 8.
  CHECK(census.total == 3 * (384 + 384 + 16) + 2 * 256 + 8);
  CHECK(census.weight_bytes == Bytes(2.0 * static_cast<double>(census.total)));
  CHECK(census.mtp == 0);
}

TEST_CASE("groups sum to the total, in parameters and in bytes") {
  for (const ModelSpec& model :
       {test::small_dense_model(), test::small_moe_model(), test::small_latent_model()}) {
    const Census census = take_census(model);
    Count parameters = 0;
    Bytes bytes;
    for (const GroupCensus& g : census.groups) {
      parameters += g.parameters;
      bytes += g.bytes;
      Bytes by_format;
      for (const Bytes& one : g.bytes_by_format) {
        by_format += one;
      }
      CHECK(by_format == g.bytes);
    }
    CHECK(parameters == census.total);
    CHECK(bytes == census.weight_bytes);
  }
}

TEST_CASE("a token touches all but the experts that were not drawn") {
  const Census moe = take_census(test::small_moe_model());
  constexpr Count one_expert = 144;  // 3 x 8 x 6
  CHECK(moe.active_all == moe.total - 6 * one_expert);
  CHECK(moe.active_no_input_embedding == moe.active_all - 256);
  CHECK(moe.active_no_embeddings == moe.active_all - 512);
  const Census dense = take_census(test::small_dense_model());
  CHECK(dense.active_all == dense.total);
}

TEST_CASE("a tied table is read as the head and counts once") {
  ModelSpec model = test::small_dense_model();
  model.tied_embeddings = true;
  const Census census = take_census(model);
  CHECK(census.active_no_input_embedding == census.active_all);
  CHECK(census.active_no_embeddings == census.active_all - 256);
}

TEST_CASE("layers of multi-token prediction are kept apart from the total") {
  ModelSpec model = test::small_dense_model();
  const Census before = take_census(model);
  model.mtp = {model.layers.front()};
  model.mtp.front().count = 1;
  const Census after = take_census(model);
  CHECK(after.total == before.total);
  CHECK(after.weight_bytes == before.weight_bytes);
  CHECK(after.mtp == 384 + 384 + 16 + 128 + 24);
  CHECK(after.mtp_bytes == Bytes(2.0 * 936));
}

TEST_CASE("one expert of all tokens is a dense FFN but for the router") {
  ModelSpec moe = test::small_dense_model();
  moe.layers.front().mlp = MoeMlp{.experts = 1, .top_k = 1, .width = 16};
  const Census a = take_census(test::small_dense_model());
  const Census b = take_census(moe);
  CHECK(group(b, Group::RoutedExperts).parameters == group(a, Group::DenseFfn).parameters);
  CHECK(group(b, Group::RoutedExperts).bytes == group(a, Group::DenseFfn).bytes);
  CHECK(b.total == a.total + 24);
  CHECK(b.active_all == b.total);
}

TEST_CASE("the cache of grouped attention is keys and values of the heads held") {
  const Attention a = test::small_dense_model().layers.front().attention;
  CHECK(layer_cache(a, {.kv = Format::Bf16}, 2, 1).row == Bytes(2 * (4 + 4) * 2));
  CHECK(layer_cache(a, {.kv = Format::Fp8}, 2, 1).row == Bytes(2 * (4 + 4)));
  CHECK(layer_cache(a, {.kv = Format::Bf16}, 2, 1).index == Bytes(0));
}

TEST_CASE("KV heads divide by TP and are replicated beyond their number") {
  const Attention a = GroupedAttention{.heads = 64, .kv_heads = 4, .head = 128, .value_head = 128};
  CHECK(kv_heads_on_rank(a, 1) == 4);
  CHECK(kv_heads_on_rank(a, 2) == 2);
  CHECK(kv_heads_on_rank(a, 4) == 1);
  CHECK(kv_heads_on_rank(a, 8) == 1);
  const Attention latent = LatentAttention{.heads = 64};
  CHECK(kv_heads_on_rank(latent, 1) == 1);
  CHECK(kv_heads_on_rank(latent, 8) == 1);
}

TEST_CASE("a latent row is 576 elements, 656 bytes in FP8 where the attention is sparse") {
  LatentAttention a{.heads = 64, .query_rank = 2048, .latent_rank = 512, .rope_head = 64};
  CHECK(layer_cache(a, {.kv = Format::Bf16}, 1, 1).per_token() == Bytes(1152));
  CHECK(layer_cache(a, {.kv = Format::Fp8}, 1, 1).per_token() == Bytes(576));
  a.indexer = Indexer{.heads = 32, .head = 128, .top_k = 2048};
  CHECK(layer_cache(a, {.kv = Format::Bf16}, 1, 1).row == Bytes(1152));
  CHECK(layer_cache(a, {.kv = Format::Fp8}, 1, 1).row == Bytes(656));
  CHECK(layer_cache(a, {.kv = Format::Fp8}, 1, 1).index == Bytes(132));
  CHECK(layer_cache(a, {.kv = Format::Bf16}, 1, 1).index == Bytes(132));
}

}  // namespace
}  // namespace fathom::model
