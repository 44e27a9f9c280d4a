#include "hardware/cost/price.h"
#include "model/ops/build_ops.h"
#include "tests/support/small_models.h"
#include "tests/support/specs.h"

namespace fathom::model {
namespace {

using hardware::Collective;

template <class Visit>
void each_operator(const ModelSpec& model, const Layout& layout, const StepShape& shape,
                   Visit visit) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  const OpsContext context = test::plain_context(shard);
  for (const OperatorList& list :
       {embedding_ops(context, shape), head_ops(context, shape), draft_ops(context, shape)}) {
    for (const Operator& op : list) {
      visit(op);
    }
  }
  for (const LayerShard& layer : shard.layers) {
    for (const Operator& op : layer_ops(context, layer, shape)) {
      visit(op);
    }
  }
}

TEST_CASE("one rank has no messages, in decode and in prefill") {
  for (const std::string& path : test::config_files("models")) {
    const ModelSpec model = test::model_config(std::filesystem::path(path).stem().string());
    for (const Phase phase : {Phase::Decode, Phase::Prefill}) {
      int operators = 0;
      each_operator(model, {}, {.phase = phase, .sequences = 4, .new_tokens = 2, .context = 100},
                    [&](const Operator& op) {
                      ++operators;
                      CHECK(op.work.collective == Collective::None);
                      CHECK(op.work.message == Bytes(0));
                    });
      CHECK(operators >= 10);
    }
  }
}

TEST_CASE("several ranks have messages among exactly their group") {
  int messages = 0;
  each_operator(test::model_config("glm-5"), test::layout_of(4, 1, 1), {.sequences = 4},
                [&](const Operator& op) {
                  if (op.work.collective != Collective::None) {
                    ++messages;
                    CHECK(op.work.ranks == 4);
                    CHECK(op.work.message.base() > 0);
                  }
                });
  CHECK(messages == 6);  // two in each of two kinds of layer, embedding, logits
}

TEST_CASE("no work is no time, whatever the coefficients") {
  const hardware::Pricer pricer = make_pricer(test::system_config("rtx-pro-6000-se", 8),
                                              test::coefficients_config("blackwell-gb202"), {});
  CHECK(pricer.price({}).total() == 0);
  int operators = 0;
  each_operator(test::model_config("glm-5"), test::layout_of(8, 1, 1), {.sequences = 0},
                [&](const Operator&) { ++operators; });
  CHECK(operators == 0);
}

TEST_CASE("a step of twice the tokens is twice the FLOP of every GEMM") {
  const ModelSpec model = test::model_config("qwen3-30b-a3b");
  double one = 0;
  double two = 0;
  each_operator(model, {}, {.sequences = 8, .context = 100},
                [&](const Operator& op) { one += op.work.flop.base(); });
  each_operator(model, {}, {.sequences = 16, .context = 100},
                [&](const Operator& op) { two += op.work.flop.base(); });
  CHECK_THAT(two, WithinRel(2 * one, 1e-12));
}

TEST_CASE("a context of no tokens reads only what the step itself writes") {
  const ModelSpec model = test::model_config("llama-3.1-8b");
  const Shard shard = make_shard(model, {}, Format::Bf16);
  const OperatorList list =
      layer_ops(test::plain_context(shard), shard.layers.front(), {.sequences = 3});
  CHECK(test::work_of(list, OperatorKind::AttentionCore).cache_bytes ==
        shard.layers.front().kv_cache_row * 6);
}

}  // namespace
}  // namespace fathom::model
