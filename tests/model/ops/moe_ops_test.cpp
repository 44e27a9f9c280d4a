#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

using hardware::Collective;
using hardware::Work;

constexpr double kExact = 1e-12;

/// One layer of 3 tokens a DP rank.
OperatorList layer(const ModelSpec& model, const Layout& layout) {
  const Shard shard = make_shard(model, layout, Format::Bf16);
  return layer_ops(test::plain_context(shard), shard.layers.front(),
                   {.sequences = 3, .context = 10});
}

TEST_CASE("3 tokens that draw 2 of 4 experts touch 3.5 of them") {
  const OperatorList list = layer(test::small_moe_model(), {});
  const Work up = test::work_of(list, OperatorKind::ExpertUp);
  const Work down = test::work_of(list, OperatorKind::ExpertDown);
  CHECK(up.flop.base() == 2 * 3 * 2 * 8 * 12);  // 6 token-expert pairs, gate and up
  CHECK_THAT(up.weight_bytes.base(), WithinRel(3.5 * 2 * 8 * 12, kExact));
  CHECK(up.activation_bytes == Bytes(6 * (8 + 12) * 2));
  CHECK_THAT(up.rows, WithinRel(6 / 3.5, kExact));
  CHECK(down.flop.base() == 2 * 3 * 2 * 8 * 6);
  CHECK_THAT(down.weight_bytes.base(), WithinRel(3.5 * 2 * 8 * 6, kExact));
  CHECK(up.imbalance == 1);
  CHECK(up.imbalance_bytes == 1);
  const Work router = test::work_of(list, OperatorKind::Router);
  CHECK(router.flop.base() == 2 * 3 * 8 * 4);
  CHECK(router.weight_bytes == Bytes(2 * 8 * 4));
}

TEST_CASE("one expert of every token is a dense FFN, in FLOP and in bytes") {
  ModelSpec moe = test::small_dense_model();
  moe.layers.front().mlp = MoeMlp{.experts = 1, .top_k = 1, .width = 16};
  for (const Count tp : {1, 2, 4}) {
    const OperatorList a = layer(test::small_dense_model(), test::layout_of(tp, 1, 1));
    const OperatorList b = layer(moe, test::layout_of(tp, 1, 1));
    const auto same = [&](OperatorKind dense, OperatorKind expert) {
      const Work x = test::work_of(a, dense);
      const Work y = test::work_of(b, expert);
      CHECK(x.flop.base() > 0);
      CHECK(x.flop == y.flop);
      CHECK(x.weight_bytes == y.weight_bytes);
      CHECK(x.activation_bytes == y.activation_bytes);
      CHECK(x.rows == y.rows);
    };
    same(OperatorKind::DenseUp, OperatorKind::ExpertUp);
    same(OperatorKind::DenseDown, OperatorKind::ExpertDown);
    CHECK(test::work_of(a, OperatorKind::FfnReduce).message ==
          test::work_of(b, OperatorKind::MoeReduce).message);
  }
}

TEST_CASE("shared experts are a dense FFN beside the routed ones") {
  ModelSpec model = test::small_moe_model();
  std::get<MoeMlp>(model.layers.front().mlp).shared_width = 5;
  const OperatorList list = layer(model, {});
  CHECK(test::work_of(list, OperatorKind::SharedUp).flop.base() == 2 * 3 * 8 * 10);
  CHECK(test::work_of(list, OperatorKind::SharedDown).flop.base() == 2 * 3 * 8 * 5);
  CHECK(test::work_of(list, OperatorKind::SharedUp).weight_bytes == Bytes(2 * 8 * 10));
  CHECK(test::count_of(layer(test::small_moe_model(), {}), OperatorKind::SharedUp) == 0);
}

TEST_CASE("EP over replicated tokens ends in the same all-reduce as TP and dispatches nothing") {
  const OperatorList tp = layer(test::small_moe_model(), test::layout_of(4, 1, 1));
  const OperatorList ep = layer(test::small_moe_model(), test::layout_of(4, 1, 4));
  const Work a = test::work_of(tp, OperatorKind::MoeReduce);
  const Work b = test::work_of(ep, OperatorKind::MoeReduce);
  CHECK(a.collective == Collective::AllReduce);
  CHECK(b.collective == Collective::AllReduce);
  CHECK(a.message == Bytes(3 * 8 * 2));
  CHECK(b.message == a.message);
  CHECK(b.ranks == a.ranks);
  CHECK(test::count_of(ep, OperatorKind::ExpertExchange) == 0);
}

TEST_CASE("TP and EP give the mean rank the same FLOP and bytes") {
  const OperatorList tp = layer(test::small_moe_model(), test::layout_of(2, 1, 1));
  const OperatorList ep = layer(test::small_moe_model(), test::layout_of(2, 1, 2));
  for (const OperatorKind kind : {OperatorKind::ExpertUp, OperatorKind::ExpertDown}) {
    CHECK(test::work_of(tp, kind).flop == test::work_of(ep, kind).flop);
    CHECK_THAT(test::work_of(ep, kind).weight_bytes.base(),
               WithinRel(test::work_of(tp, kind).weight_bytes.base(), kExact));
  }
}

TEST_CASE("under EP the fullest rank stands above the mean, under TP none does") {
  const Work tp = test::work_of(layer(test::small_moe_model(), test::layout_of(4, 1, 1)),
                                OperatorKind::ExpertUp);
  const Work ep = test::work_of(layer(test::small_moe_model(), test::layout_of(4, 1, 4)),
                                OperatorKind::ExpertUp);
  CHECK(tp.imbalance == 1);
  CHECK(tp.imbalance_bytes == 1);
  CHECK(ep.imbalance > 1);
  CHECK(ep.imbalance <= 4);
  CHECK(ep.imbalance_bytes > 1);
  CHECK(ep.imbalance_bytes <= 4 / 3.5 * (1 + kExact));  // no rank holds more than its experts
}

TEST_CASE("with tokens spread over DP ranks the experts see all of them") {
  const OperatorList one = layer(test::small_moe_model(), {});
  const OperatorList two = layer(test::small_moe_model(), test::layout_of(1, 2, 2));
  // 6 tokens in all on 2 ranks: a rank computes as many pairs as one rank with its own 3.
  CHECK(test::work_of(two, OperatorKind::ExpertUp).flop ==
        test::work_of(one, OperatorKind::ExpertUp).flop);
  const double touched = 4 * (1 - 1.0 / 64) / 2;  // 1 - (1/2)^6 of 4 experts, half of them here
  CHECK_THAT(test::work_of(two, OperatorKind::ExpertUp).weight_bytes.base(),
             WithinRel(touched * 2 * 8 * 12, kExact));
}

TEST_CASE("experts see the sequences that there are, not the fullest rank's on every rank") {
  const Shard shard = make_shard(test::small_moe_model(), test::layout_of(1, 2, 2), Format::Bf16);
  const OperatorList list =
      layer_ops(test::plain_context(shard), shard.layers.front(),
                {.sequences = 2, .context = 10, .all_sequences = 3});  // 2 here, 1 there
  // 3 tokens draw 6 pairs, 3 on each rank.
  CHECK(test::work_of(list, OperatorKind::ExpertUp).flop.base() == 2 * 3 * 8 * 12);
  CHECK_THAT(test::work_of(list, OperatorKind::ExpertUp).weight_bytes.base(),
             WithinRel(3.5 / 2 * 2 * 8 * 12, kExact));
  CHECK(test::work_of(list, OperatorKind::Router).flop.base() == 2 * 2 * 8 * 4);  // its own 2
}

TEST_CASE("partial sums of shared experts are reduced over the TP group, gathered without any") {
  ModelSpec model = test::small_moe_model();
  const Layout layout = test::layout_of(2, 2, 4);
  CHECK(test::work_of(layer(model, layout), OperatorKind::MoeReduce).collective ==
        Collective::AllGather);
  std::get<MoeMlp>(model.layers.front().mlp).shared_width = 6;
  const Work reduce = test::work_of(layer(model, layout), OperatorKind::MoeReduce);
  CHECK(reduce.collective == Collective::AllReduce);
  CHECK(reduce.ranks == 2);
  CHECK(reduce.message == Bytes(3 * 8 * 2));
}

TEST_CASE("an exchange counts what leaves the rank, once for each remote rank") {
  const OperatorList list = layer(test::small_moe_model(), test::layout_of(1, 2, 2));
  const Work work = test::work_of(list, OperatorKind::ExpertExchange);
  CHECK(work.collective == Collective::Exchange);
  CHECK(work.ranks == 2);
  CHECK(work.message == Bytes(6 * 8 * 2));  // the gathered tokens of both ranks
  // 3 own tokens, 5/6 of which leave, 8 elements of 2 bytes, there and back.
  CHECK_THAT(work.message_direct.base(), WithinRel(3 * 5.0 / 6 * 8 * 4, kExact));
  CHECK(test::count_of(list, OperatorKind::MoeReduce) == 0);
}

TEST_CASE("parts of experts cannot be sent to, so their tokens are gathered") {
  const OperatorList list = layer(test::small_moe_model(), test::layout_of(1, 4, 2));
  CHECK(test::work_of(list, OperatorKind::ExpertExchange).message_direct == Bytes(0));
  CHECK(test::work_of(list, OperatorKind::ExpertExchange).message == Bytes(12 * 8 * 2));
}

ModelSpec with(void (*change)(MoeMlp&)) {
  ModelSpec model = test::small_moe_model();
  change(std::get<MoeMlp>(model.layers.front().mlp));
  return model;
}

TEST_CASE("experts in a latent multiply, and are sent, in its width") {
  const ModelSpec model = with([](MoeMlp& f) { f.latent = 4; });
  const OperatorList list = layer(model, {});
  CHECK(test::work_of(list, OperatorKind::ExpertsIn).flop.base() == 2 * 3 * 8 * 4);
  CHECK(test::work_of(list, OperatorKind::ExpertsOut).flop.base() == 2 * 3 * 8 * 4);
  CHECK(test::work_of(list, OperatorKind::ExpertUp).flop.base() == 2 * 6 * 4 * 12);
  CHECK(test::work_of(list, OperatorKind::ExpertDown).flop.base() == 2 * 6 * 4 * 6);
  const Layout two_dp = test::layout_of(1, 2, 2);
  CHECK(test::work_of(layer(model, two_dp), OperatorKind::ExpertExchange).message ==
        Bytes(2 * 3 * 4 * 2));
  // One sum for shared experts and the latent's way out: in the hidden width.
  CHECK(test::work_of(layer(model, test::layout_of(2, 1, 1)), OperatorKind::MoeReduce).message ==
        Bytes(3 * 8 * 2));
}

TEST_CASE("choices that cost nothing widen the router and thin out the pairs") {
  const OperatorList list = layer(with([](MoeMlp& f) { f.zero_experts = 4; }), {});
  CHECK(test::work_of(list, OperatorKind::Router).flop.base() == 2 * 3 * 8 * 8);
  CHECK(test::work_of(list, OperatorKind::ExpertUp).flop.base() == 2 * 3 * 1 * 8 * 12);
}

TEST_CASE("choices that cost nothing are not sent") {
  const Layout two_dp = test::layout_of(1, 2, 2);
  const auto direct = [&two_dp](const ModelSpec& model) {
    return test::work_of(layer(model, two_dp), OperatorKind::ExpertExchange).message_direct;
  };
  CHECK(direct(with([](MoeMlp& f) { f.zero_experts = 4; })) ==
        direct(with([](MoeMlp& f) { f.top_k = 1; })));
}

TEST_CASE("partial sums of a parallel attention are added with the experts'") {
  ModelSpec model = test::small_moe_model();
  const Layout layout = test::layout_of(2, 2, 4);
  const auto back = [&] { return test::work_of(layer(model, layout), OperatorKind::MoeReduce); };
  CHECK(back().collective == Collective::AllGather);
  model.layers.front().parallel = true;
  CHECK(back().collective == Collective::AllReduce);
  CHECK(test::count_of(layer(model, layout), OperatorKind::AttentionReduce) == 0);
}

}  // namespace
}  // namespace fathom::model
