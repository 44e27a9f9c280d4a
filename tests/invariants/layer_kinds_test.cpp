// What holds for every kind of mixer.

#include "model/layout/legality.h"
#include "model/ops/build_ops.h"
#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

/// Small models of one layer kind each.
std::vector<ModelSpec> models() {
  std::vector<ModelSpec> out{test::small_dense_model(), test::small_moe_model(),
                             test::small_latent_model()};
  for (const Attention& mixer : test::small_mixers()) {
    out.push_back(test::small_model_of(mixer));
  }
  ModelSpec window = test::small_dense_model();
  std::get<GroupedAttention>(window.layers.front().attention).window = 16;
  out.push_back(window);
  return out;
}

Shard shard_of(const ModelSpec& model, const Layout& layout = {}) {
  return make_shard(model, layout, Format::Bf16);
}

OperatorList layer(const ModelSpec& model, const StepShape& shape) {
  const Shard shard = shard_of(model);
  return layer_ops(test::plain_context(shard), shard.layers.front(), shape);
}

void check_same(const ModelSpec& a, const ModelSpec& b, const StepShape& shape) {
  const OperatorList first = layer(a, shape);
  const OperatorList second = layer(b, shape);
  REQUIRE(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Operator& x = *(first.begin() + i);
    const Operator& y = *(second.begin() + i);
    CHECK(x.kind == y.kind);
    CHECK(x.work.flop == y.work.flop);
    CHECK(x.work.cache_bytes == y.work.cache_bytes);
    CHECK(x.work.weight_bytes == y.work.weight_bytes);
    CHECK(x.work.activation_bytes == y.work.activation_bytes);
  }
}

std::vector<StepShape> shapes() {
  return {{.sequences = 3, .context = 99},
          {.sequences = 3, .new_tokens = 2, .context = 98},
          {.phase = Phase::Prefill, .sequences = 2, .new_tokens = 100},
          {.phase = Phase::Prefill, .new_tokens = 40, .context = 60}};
}

TEST_CASE("the ranks of a TP group hold each tensor once, or each of them whole") {
  for (const ModelSpec& model : models()) {
    const Layout two = test::layout_of(2, 1, 1);
    REQUIRE_FALSE(check_legal(model, two, 0));
    const LayerShard rank = shard_of(model, two).layers.front();
    Bytes sum;
    for (const Tensor& tensor : layer_tensors(model.layers.front(), model.hidden)) {
      const double copies = tensor.split == Split::Replicated ? 2 : 1;
      INFO(model.id << " " << role_name(tensor.role));
      CHECK(rank.at(tensor.role).bytes * 2 == tensor.bytes() * copies);
      sum += rank.at(tensor.role).bytes;
    }
    CHECK(rank.weight_bytes == sum);
  }
}

TEST_CASE("the states of a TP group sum to the model's") {
  for (const ModelSpec& model : models()) {
    const LayerCache one = shard_of(model).layers.front().cache;
    const LayerCache two = shard_of(model, test::layout_of(2, 1, 1)).layers.front().cache;
    const Attention& a = model.layers.front().attention;
    const bool one_latent = std::holds_alternative<LatentAttention>(a) ||
                            std::holds_alternative<CompressedAttention>(a);
    CHECK(two.of_sequence(100) * (one_latent ? 1 : 2) == one.of_sequence(100));
  }
}

TEST_CASE("a window of the whole context is none") {
  ModelSpec with = test::small_dense_model();
  std::get<GroupedAttention>(with.layers.front().attention).window = 100;
  for (const StepShape& shape : shapes()) {
    check_same(with, test::small_dense_model(), shape);
  }
  const LayerCache cache = shard_of(with).layers.front().cache;
  CHECK(cache.of_sequence(100) ==
        shard_of(test::small_dense_model()).layers.front().cache.of_sequence(100));
}

TEST_CASE("a chunk of the whole context is none") {
  ModelSpec with = test::small_dense_model();
  std::get<GroupedAttention>(with.layers.front().attention).chunk = 100;
  for (const StepShape& shape : shapes()) {
    check_same(with, test::small_dense_model(), shape);
  }
}

TEST_CASE("a longer context never lessens FLOP or bytes of a layer") {
  for (const ModelSpec& model : models()) {
    for (StepShape shape : shapes()) {
      double flop = 0;
      double bytes = 0;
      for (const double context : {0.0, 1.0, 7.0, 8.0, 15.5, 16.0, 17.0, 100.0, 1000.0}) {
        shape.context = context;
        double all_flop = 0;
        double all_bytes = 0;
        for (const Operator& op : layer(model, shape)) {
          all_flop += op.work.flop.base();
          all_bytes += op.work.cache_bytes.base();
        }
        INFO(model.id << " at " << context);
        // A sparse prefill of a latent changes to the absorbed form beyond top_k.
        if (shape.phase == Phase::Decode || model.id != "small-latent") {
          CHECK(all_flop >= flop);
          CHECK(all_bytes >= bytes);
        }
        flop = all_flop;
        bytes = all_bytes;
      }
    }
  }
}

TEST_CASE("a prompt in two parts costs the pairs of a prompt in one") {
  for (const ModelSpec& model : models()) {
    const auto core = [&model](double tokens, double context) {
      const StepShape shape{.phase = Phase::Prefill, .new_tokens = tokens, .context = context};
      return test::work_of(layer(model, shape), OperatorKind::AttentionCore).flop.base();
    };
    if (model.id != "small-latent") {  // expanded below top_k, absorbed above
      CHECK_THAT(core(60, 0) + core(40, 60), WithinRel(core(100, 0), 1e-12));
    }
  }
}

TEST_CASE("a longer sequence never keeps less") {
  for (const ModelSpec& model : models()) {
    const LayerCache cache = shard_of(model).layers.front().cache;
    for (double tokens = 1; tokens < 200; tokens += 1) {
      CHECK(cache.of_sequence(tokens + 1) >= cache.of_sequence(tokens));
      CHECK(cache.of_sequence(tokens) >= cache.fixed());
    }
  }
}

}  // namespace
}  // namespace fathom::model
