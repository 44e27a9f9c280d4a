#include "model/layout/enumerate.h"
#include "model/layout/legality.h"
#include "model/layout/shard.h"
#include "model/llm/parameter_count.h"
#include "model/ops/build_ops.h"
#include "tests/support/small_models.h"
#include "tests/support/specs.h"

namespace fathom::model {
namespace {

/// How many ranks of a stage hold the same part of a tensor.
double copies(const Tensor& tensor, const Layout& layout, Count kv_heads) {
  const auto number = [](Count n) { return static_cast<double>(n); };
  switch (tensor.split) {
    case Split::Replicated:
      return number(layout.ranks_per_stage());
    case Split::KvHeads:
      return number(layout.attention_dp) *
             std::max(1.0, number(layout.attention_tp) / number(kv_heads));
    case Split::Heads:
    case Split::HeadInputs:
    case Split::Vocabulary:
    case Split::FfnRows:
    case Split::FfnColumns:
      return number(layout.attention_dp);
    case Split::ExpertRows:
    case Split::ExpertColumns:
      return 1;
    case Split::Experts:
      return number(layout.expert_tp);
  }
  return 0;
}

Count kv_heads_of(const LayerKind& layer) { return all_kv_heads(layer.attention); }

std::vector<Layout> legal_layouts(const ModelSpec& model, Count gpus) {
  std::vector<Layout> out;
  for (const Layout& layout : enumerate_layouts(model, gpus)) {
    if (!check_legal(model, layout, gpus)) {
      out.push_back(layout);
    }
  }
  return out;
}

TEST_CASE("the ranks of a stage hold each tensor as often as it is replicated") {
  for (const char* id : {"glm-5", "qwen3-235b-a22b", "mixtral-8x7b", "llama-3.1-8b",
                         "qwen3-30b-a3b-fp8", "glm-5-fp8"}) {
    const ModelSpec model = test::model_config(id);
    const auto layouts = legal_layouts(model, 8);
    REQUIRE_FALSE(layouts.empty());
    for (const Layout& layout : layouts) {
      const Shard shard = make_shard(model, layout, Format::Bf16);
      for (std::size_t i = 0; i < model.layers.size(); ++i) {
        for (const Tensor& tensor : layer_tensors(model.layers.at(i), model.hidden)) {
          const double held = shard.layers.at(i).at(tensor.role).bytes.base() *
                              static_cast<double>(layout.ranks_per_stage());
          const double times = copies(tensor, layout, kv_heads_of(model.layers.at(i)));
          INFO(id << " " << print_layout(layout, model.is_moe()) << " role "
                  << static_cast<int>(tensor.role));
          CHECK_THAT(held, WithinRel(tensor.bytes().base() * times, 1e-12));
        }
      }
    }
  }
}

TEST_CASE("stages hold the model once at TP1, however many there are") {
  for (const char* id : {"glm-5-nvfp4", "deepseek-r1", "llama-3.1-70b", "qwen3-30b-a3b"}) {
    const ModelSpec model = test::model_config(id);
    const Census census = take_census(model);
    for (const Count pp : {1, 2, 3, 7, 8}) {
      Layout layout;
      layout.pp = pp;
      const Shard shard = make_shard(model, layout, Format::Bf16);
      Bytes weights;
      Bytes with_mtp;
      Bytes cache;
      Count layers = 0;
      for (const Stage& stage : shard.stages) {
        weights += shard.weight_bytes(stage, false);
        with_mtp += shard.weight_bytes(stage, true);
        cache += shard.kv_bytes_per_token(stage, false);
        for (const Count count : stage.layers) {
          layers += count;
        }
      }
      INFO(id << " pp " << pp);
      CHECK(layers == model.layer_count());
      CHECK_THAT(weights.base(), WithinRel(census.weight_bytes.base(), 1e-12));
      CHECK_THAT(cache.base(),
                 WithinRel(kv_bytes_per_token(model, Format::Bf16).total().base(), 1e-12));
      if (model.mtp_shared_embedding) {
        CHECK_THAT(with_mtp.base(),
                   WithinRel((census.weight_bytes + census.mtp_bytes).base(), 1e-12));
      }
    }
  }
}

TEST_CASE("stages differ by at most one layer") {
  const ModelSpec model = test::model_config("glm-5");
  for (Count pp = 1; pp <= 78; ++pp) {
    Layout layout;
    layout.pp = pp;
    Count least = 78;
    Count most = 0;
    for (const Stage& stage : make_shard(model, layout, Format::Bf16).stages) {
      const Count layers = stage.layers.at(0) + stage.layers.at(1);
      least = std::min(least, layers);
      most = std::max(most, layers);
    }
    CHECK(most - least <= 1);
    CHECK(least >= 1);
  }
}

TEST_CASE("KV of TP ranks sums to the model until TP exceeds the KV heads, then it is replicated") {
  const ModelSpec model = test::model_config("qwen3-235b-a22b");  // 4 KV heads
  const double whole = kv_bytes_per_token(model, Format::Bf16).total().base();
  for (const Count tp : {1, 2, 4, 8, 16}) {
    const Shard shard = make_shard(model, test::layout_of(tp, 1, 1), Format::Bf16);
    const double sum =
        shard.kv_bytes_per_token(shard.stages.front(), false).base() * static_cast<double>(tp);
    CHECK_THAT(sum, WithinRel(whole * std::max(1.0, static_cast<double>(tp) / 4), 1e-12));
  }
}

TEST_CASE("a layer's tensors sum to its weight bytes") {
  const Shard shard =
      make_shard(test::model_config("glm-5-nvfp4"), test::layout_of(8, 1, 1), Format::Fp8);
  for (const LayerShard& layer : shard.layers) {
    Bytes sum;
    for (const LocalTensor& tensor : layer.tensors) {
      sum += tensor.bytes;
    }
    CHECK_THAT(layer.weight_bytes.base(), WithinRel(sum.base(), 1e-12));
  }
}

double flop_of_all_ranks(const ModelSpec& model, const Layout& layout, double tokens) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  const StepShape shape{.sequences = tokens / static_cast<double>(layout.attention_dp),
                        .context = 100};
  double flop = 0;
  for (const Operator& op : layer_ops(test::plain_context(shard), shard.layers.back(), shape)) {
    // The router runs on every rank of a TP group.
    flop += op.kind == OperatorKind::Router ? 0 : op.work.flop.base();
  }
  return flop * static_cast<double>(layout.ranks_per_stage());
}

TEST_CASE("the FLOP of all ranks are those of one, for every layout without replicated work") {
  const ModelSpec model = test::model_config("mixtral-8x7b");  // 8 KV heads: none replicated
  const double one = flop_of_all_ranks(model, {}, 64);
  for (const Layout& layout : legal_layouts(model, 8)) {
    if (layout.pp == 1 && layout.replicas == 1) {
      INFO(print_layout(layout, true));
      CHECK_THAT(flop_of_all_ranks(model, layout, 64), WithinRel(one, 1e-12));
    }
  }
}

TEST_CASE("active parameters are half of the FLOP of a token without attention") {
  // One token at no context: two FLOP for each weight that it meets, norms and lookups aside.
  const ModelSpec model = test::model_config("qwen3-30b-a3b");
  const Shard shard = make_shard(model, {}, Format::Bf16);
  const OpsContext context = test::plain_context(shard);
  const StepShape token{};
  double flop = 0;
  for (const Operator& op : layer_ops(context, shard.layers.front(), token)) {
    flop += op.kind == OperatorKind::AttentionCore ? 0 : 48 * op.work.flop.base();
  }
  for (const Operator& op : head_ops(context, token)) {
    flop += op.work.flop.base();
  }
  const Census census = take_census(model);
  const Count norms = census.groups.at(static_cast<std::size_t>(Group::Norm)).parameters;
  CHECK_THAT(flop,
             WithinRel(2 * static_cast<double>(census.active_no_input_embedding - norms), 1e-12));
}

}  // namespace
}  // namespace fathom::model
