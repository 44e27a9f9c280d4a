#include "model/ops/build_ops.h"

#include "tests/support/catch.h"
#include "tests/support/small_models.h"

#include <set>
#include <string>
#include <type_traits>

namespace fathom::model {
namespace {

using hardware::Collective;
using hardware::Work;

static_assert(std::is_trivially_copyable_v<Operator>);
static_assert(std::is_trivially_copyable_v<OperatorList>);

struct Lists {
  OperatorList embedding, head, stage;
};

Lists outer(const ModelSpec& model, const Layout& layout, const StepShape& shape,
            const KernelCounts& kernels = {}) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  OpsContext context = test::plain_context(shard);
  context.kernels = kernels;
  return {embedding_ops(context, shape), head_ops(context, shape), stage_ops(context, shape)};
}

TEST_CASE("the head runs on sampled positions only") {
  const StepShape prefill{.phase = Phase::Prefill, .sequences = 3, .new_tokens = 100};
  const Lists lists = outer(test::small_dense_model(), {}, prefill);
  CHECK(test::work_of(lists.head, OperatorKind::LmHead).flop.base() == 2 * 3 * 8 * 32);
  CHECK(test::work_of(lists.head, OperatorKind::LmHead).weight_bytes == Bytes(2 * 8 * 32));
  CHECK(test::count_of(lists.head, OperatorKind::LogitsGather) == 0);
}

TEST_CASE("a verifying step samples every position") {
  const StepShape step{.sequences = 3, .new_tokens = 4, .context = 10, .sampled = 4};
  CHECK(test::work_of(outer(test::small_dense_model(), {}, step).head, OperatorKind::LmHead)
            .flop.base() == 2 * 12 * 8 * 32);
}

TEST_CASE("a vocabulary cut over ranks gathers logits and all-reduces the embedding") {
  const Lists lists = outer(test::small_dense_model(), test::layout_of(4, 1, 1), {.sequences = 3});
  CHECK(test::work_of(lists.head, OperatorKind::LmHead).flop.base() == 2 * 3 * 8 * 8);
  const Work gather = test::work_of(lists.head, OperatorKind::LogitsGather);
  CHECK(gather.collective == Collective::AllGather);
  CHECK(gather.ranks == 4);
  CHECK(gather.message == Bytes(3 * 32 * 2));
  const Work reduce = test::work_of(lists.embedding, OperatorKind::EmbeddingReduce);
  CHECK(reduce.collective == Collective::AllReduce);
  CHECK(reduce.message == Bytes(3 * 8 * 2));
}

TEST_CASE("an engine may leave the logits where they are") {
  const Lists lists =
      outer(test::small_dense_model(), test::layout_of(4, 1, 1), {}, {.all_gather_logits = false});
  CHECK(test::count_of(lists.head, OperatorKind::LogitsGather) == 0);
}

TEST_CASE("a tied head reads the embedding's table") {
  ModelSpec model = test::small_dense_model();
  model.tied_embeddings = true;
  const Work head = test::work_of(outer(model, {}, {}).head, OperatorKind::LmHead);
  CHECK(head.weight_bytes == Bytes(2 * 8 * 32));
  CHECK(head.flop.base() == 2 * 8 * 32);
}

TEST_CASE("a stage sends its rows to the next") {
  const Work send = test::work_of(outer(test::small_dense_model(), {}, {.sequences = 3}).stage,
                                  OperatorKind::StageSend);
  CHECK(send.collective == Collective::Send);
  CHECK(send.message == Bytes(3 * 8 * 2));
}

TEST_CASE("a step without tokens has no operators") {
  for (const ModelSpec& model :
       {test::small_dense_model(), test::small_moe_model(), test::small_latent_model()}) {
    const Layout layout = test::layout_of(4, 1, 1);
    const Lists lists = outer(model, layout, {.sequences = 0, .context = 10});
    CHECK(lists.embedding.size() == 0);
    CHECK(lists.head.size() == 0);
    CHECK(lists.stage.size() == 0);
    const Shard shard = make_shard(model, layout, Format::Bf16);
    CHECK(layer_ops(test::plain_context(shard), shard.layers.front(), {.sequences = 0}).size() ==
          0);
  }
}

TEST_CASE("every kind of operator has a name of its own") {
  std::set<std::string> names;
  for (int i = 0; i < kOperatorKindCount; ++i) {
    const std::string name = operator_name(static_cast<OperatorKind>(i));
    CHECK_FALSE(name.empty());
    CHECK(names.insert(name).second);
  }
}

TEST_CASE("the longest layer fits the list") {
  ModelSpec model = test::small_latent_model();
  model.layers.front().mlp = MoeMlp{.experts = 4, .top_k = 2, .width = 6, .shared_width = 6};
  Layout layout = test::layout_of(2, 2, 4);
  layout.dcp = 2;
  const Shard shard = make_shard(model, layout, Format::Bf16);
  const OperatorList list =
      layer_ops(test::plain_context(shard), shard.layers.front(), {.sequences = 3, .context = 50});
  CHECK(list.size() <= OperatorList::kCapacity);
  CHECK(list.size() >= 20);
}

TEST_CASE("a layer's own embedding is a small GEMM in each layer and one table on the way in") {
  ModelSpec model = test::small_dense_model();
  model.per_layer_embedding = PerLayerEmbedding{.vocabulary = 32, .width = 2};
  model.layers.front().per_layer_width = 2;
  const StepShape shape{.sequences = 3};
  const Shard shard = make_shard(model, test::layout_of(2, 1, 1), Format::Bf16);
  const OpsContext context = test::plain_context(shard);
  const OperatorList layers = layer_ops(context, shard.layers.front(), shape);
  CHECK(test::work_of(layers, OperatorKind::PerLayerInput).flop.base() == 2 * 3 * 2 * (8 * 2));
  const OperatorList in = embedding_ops(context, shape);
  // 3 layers of width 2: projected from the embedding, looked up in a table that TP divides.
  CHECK(test::work_of(in, OperatorKind::PerLayerInput).flop.base() == 2 * 3 * 8 * 6);
  CHECK(test::work_of(in, OperatorKind::PerLayerInput).activation_bytes ==
        hardware::Bytes(2 * 3 * (8 + 6 + 2 * 6)));
  CHECK(test::count_of(in, OperatorKind::EmbeddingReduce) == 2);
}

TEST_CASE("hyper-connections mix their streams twice a layer and send all of them on") {
  ModelSpec model = test::small_dense_model();
  model.layers.front().hyper_streams = 4;
  const StepShape shape{.sequences = 3};
  const Shard shard = make_shard(model, {}, Format::Bf16);
  const OpsContext context = test::plain_context(shard);
  const hardware::Work mix =
      test::work_of(layer_ops(context, shard.layers.front(), shape), OperatorKind::HyperConnection);
  CHECK(mix.flop.base() == 2 * 3 * 2 * (2 * 4 + 4 * 4) * (4 * 8));
  const hardware::Work send = test::work_of(stage_ops(context, shape), OperatorKind::StageSend);
  CHECK(send.message == hardware::Bytes(3 * 4 * 8 * 2));
}

}  // namespace
}  // namespace fathom::model
