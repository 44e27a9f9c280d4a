#include "model/layout/shard.h"

#include "model/llm/parameter_count.h"
#include "tests/support/small_models.h"
#include "tests/support/specs.h"

namespace fathom::model {
namespace {

LayerShard first_layer(const ModelSpec& model, const Layout& layout) {
  return make_shard(model, layout, Format::Bf16).layers.front();
}

TEST_CASE("heads cut rows, what follows them cuts columns") {
  const LayerShard rank = first_layer(test::small_dense_model(), test::layout_of(2, 1, 1));
  CHECK(rank.at(Role::Query).rows == 8);
  CHECK(rank.at(Role::Query).columns == 8);
  CHECK(rank.at(Role::Output).rows == 8);
  CHECK(rank.at(Role::Output).columns == 8);
  CHECK(rank.at(Role::DenseUp).rows == 8);
  CHECK(rank.at(Role::DenseUp).count == 2);
  CHECK(rank.at(Role::DenseDown).columns == 8);
  CHECK(rank.at(Role::Norms).rows == 2);
  CHECK(rank.at(Role::Norms).columns == 8);
}

TEST_CASE("a KV head is replicated once TP exceeds the KV heads") {
  const ModelSpec model = test::small_dense_model();  // 2 KV heads of 4
  CHECK(first_layer(model, test::layout_of(1, 1, 1)).at(Role::Key).rows == 8);
  CHECK(first_layer(model, test::layout_of(2, 1, 1)).at(Role::Key).rows == 4);
  CHECK(first_layer(model, test::layout_of(4, 1, 1)).at(Role::Key).rows == 4);
  CHECK(first_layer(model, test::layout_of(2, 1, 1)).kv_cache_row == Bytes(16));
  CHECK(first_layer(model, test::layout_of(4, 1, 1)).kv_cache_row == Bytes(16));
}

TEST_CASE("the latent, its down-projections and the indexer are whole on every TP rank") {
  const ModelSpec model = test::small_latent_model();
  const LayerShard one = first_layer(model, test::layout_of(1, 1, 1));
  const LayerShard four = first_layer(model, test::layout_of(4, 1, 1));
  for (const Role role : {Role::QueryDown, Role::LatentDown, Role::LatentNorms, Role::IndexQuery,
                          Role::IndexKey, Role::IndexWeights}) {
    CHECK(four.at(role).bytes == one.at(role).bytes);
    CHECK(one.at(role).bytes.base() > 0);
  }
  for (const Role role : {Role::QueryUp, Role::LatentUp, Role::Output}) {
    CHECK(four.at(role).bytes * 4 == one.at(role).bytes);
  }
  CHECK(four.kv_cache_row == one.kv_cache_row);
  CHECK(four.kv_index_row == one.kv_index_row);
  CHECK(one.kv_cache_row == Bytes(12));
}

TEST_CASE("EP gives a rank whole experts, TP a part of each") {
  const ModelSpec model = test::small_moe_model();  // 4 experts of width 6, gate and up
  const LayerShard ep = first_layer(model, test::layout_of(2, 1, 2));
  CHECK(ep.at(Role::ExpertUp).count == 4);
  CHECK(ep.at(Role::ExpertUp).rows == 6);
  CHECK(ep.at(Role::ExpertDown).count == 2);
  const LayerShard tp = first_layer(model, test::layout_of(2, 1, 1));
  CHECK(tp.at(Role::ExpertUp).count == 8);
  CHECK(tp.at(Role::ExpertUp).rows == 3);
  CHECK(tp.at(Role::ExpertDown).columns == 3);
  CHECK(ep.at(Role::ExpertUp).bytes == tp.at(Role::ExpertUp).bytes);
  const LayerShard both = first_layer(model, test::layout_of(2, 2, 2));
  CHECK(both.at(Role::ExpertUp).count == 4);
  CHECK(both.at(Role::ExpertUp).rows == 3);
}

TEST_CASE("FP4 shards are padded to 128 rows and 64 columns, whole tensors are not") {
  ModelSpec model = test::small_dense_model();
  model.layers.front().mlp = DenseMlp{.width = 192};
  for (const Format format : {Format::Nvfp4, Format::Nvfp4Weight}) {
    model = with_weight_format(model, format);
    CHECK(first_layer(model, test::layout_of(1, 1, 1)).at(Role::DenseUp).rows == 192);
    CHECK(first_layer(model, test::layout_of(2, 1, 1)).at(Role::DenseUp).rows == 128);       // 96
    CHECK(first_layer(model, test::layout_of(2, 1, 1)).at(Role::DenseDown).columns == 128);  // 96
  }
}

TEST_CASE("stages hold layers in order, the first ones more where they do not divide") {
  ModelSpec model = test::small_dense_model();
  model.layers.push_back(model.layers.front());
  model.layers.back().count = 4;  // 3 + 4 layers
  Layout layout;
  layout.pp = 3;
  const Shard shard = make_shard(model, layout, Format::Bf16);
  REQUIRE(shard.stages.size() == 3);
  CHECK(shard.stages.at(0).layers == std::vector<Count>{3, 0});
  CHECK(shard.stages.at(1).layers == std::vector<Count>{0, 2});
  CHECK(shard.stages.at(2).layers == std::vector<Count>{0, 2});
  CHECK((shard.stages.at(0).first && !shard.stages.at(0).last));
  CHECK((shard.stages.at(2).last && !shard.stages.at(2).first));
}

TEST_CASE("a tied table is stored once, and copied where the last stage is another") {
  ModelSpec model = test::small_dense_model();
  model.tied_embeddings = true;
  const auto sum = [&](Count pp) {
    Layout layout;
    layout.pp = pp;
    const Shard shard = make_shard(model, layout, Format::Bf16);
    Bytes bytes;
    for (const Stage& stage : shard.stages) {
      bytes += shard.weight_bytes(stage, false);
    }
    return bytes;
  };
  const Bytes whole = take_census(model).weight_bytes;
  CHECK(sum(1) == whole);
  CHECK(sum(3) == whole + Bytes(2 * 32 * 8));
}

TEST_CASE("drafting adds the MTP layer's weights and cache to the last stage only") {
  const ModelSpec model = test::model_config("glm-5-fp8");
  Layout layout;
  layout.pp = 2;
  const Shard shard = make_shard(model, layout, Format::Fp8);
  const Stage& first = shard.stages.front();
  const Stage& last = shard.stages.back();
  CHECK(shard.weight_bytes(first, true) == shard.weight_bytes(first, false));
  const Census census = take_census(model);
  CHECK_THAT((shard.weight_bytes(last, true) - shard.weight_bytes(last, false)).base(),
             WithinRel(census.mtp_bytes.base(), 1e-12));
  CHECK(shard.kv_bytes_per_token(first, true) == Bytes(39.0 * 788));
  CHECK(shard.kv_bytes_per_token(last, true) == Bytes(40.0 * 788));
}

TEST_CASE("TP divides a recurrent mixer by heads, its groups only as far as there are any") {
  const ModelSpec model = test::small_model_of(test::kSmallMamba2);  // 4 heads of 4, 2 groups
  const LayerShard two = first_layer(model, test::layout_of(2, 1, 1));
  CHECK(two.at(Role::StateIn).rows == 18);     // z, x and steps: 36
  CHECK(two.at(Role::StateGroups).rows == 8);  // B and C: 16
  CHECK(two.at(Role::Conv).rows == 8);
  CHECK(two.at(Role::ConvGroups).rows == 8);
  CHECK(two.at(Role::StateOut).columns == 8);
  const LayerShard four = first_layer(model, test::layout_of(4, 1, 1));
  CHECK(four.at(Role::StateIn).rows == 9);
  CHECK(four.at(Role::StateGroups).rows == 8);  // one group, replicated
  CHECK(four.at(Role::ConvGroups).rows == 8);
}

TEST_CASE("the latent, compressor and indexer of compressed attention are whole on every rank") {
  const ModelSpec model = test::small_model_of(test::kSmallCompressed);
  const LayerShard one = first_layer(model, {});
  const LayerShard two = first_layer(model, test::layout_of(2, 1, 1));
  for (const Role role : {Role::QueryDown, Role::LatentDown, Role::CompressorKv,
                          Role::CompressorGate, Role::IndexQuery, Role::IndexKey}) {
    CHECK(two.at(role).bytes == one.at(role).bytes);
    CHECK(one.at(role).bytes.base() > 0);
  }
  for (const Role role : {Role::QueryUp, Role::OutputDown, Role::Output}) {
    CHECK(two.at(role).bytes * 2 == one.at(role).bytes);
  }
  CHECK(two.cache.growing == one.cache.growing);
  CHECK(two.cache.state == one.cache.state);
}

TEST_CASE("context parallelism divides rows and rings, never a state") {
  ModelSpec model = test::small_model_of(test::kSmallCompressed);
  Layout layout = test::layout_of(2, 1, 1);
  const Shard whole = make_shard(model, layout, Format::Bf16);
  layout.dcp = 2;
  const Shard half = make_shard(model, layout, Format::Bf16);
  const Bytes state = whole.layers.front().cache.state * 3;
  const Bytes all = whole.sequence_bytes(whole.stages.front(), 100, false);
  CHECK(half.sequence_bytes(half.stages.front(), 100, false) == (all - state) / 2 + state);
  CHECK(half.fixed_bytes(half.stages.front(), false) == state + Bytes(3 * 8 * 8 / 2.0));
}

TEST_CASE("stages follow the order of interleaved layers") {
  ModelSpec model = test::small_dense_model();
  model.layers.push_back(model.layers.front());
  model.layers.front().count = 2;
  model.layers.back().count = 2;
  model.order = {0, 1, 1, 0};
  Layout layout;
  layout.pp = 2;
  const Shard shard = make_shard(model, layout, Format::Bf16);
  CHECK(shard.stages.at(0).layers == std::vector<Count>{1, 1});
  model.order = {0, 0, 1, 1};
  CHECK(make_shard(model, layout, Format::Bf16).stages.at(0).layers == std::vector<Count>{2, 0});
}

TEST_CASE("copies of embedding and head in a checkpoint are not held twice") {
  ModelSpec model = test::model_config("deepseek-r1");
  const auto held = [&model] {
    const Shard shard = make_shard(model, test::layout_of(8, 1, 8), Format::Bf16);
    return shard.weight_bytes(shard.stages.front(), true);
  };
  REQUIRE_FALSE(model.mtp_shared_embedding);
  const Bytes with_copies = held();
  model.mtp_shared_embedding = true;
  CHECK(held() == with_copies);
}

}  // namespace
}  // namespace fathom::model
