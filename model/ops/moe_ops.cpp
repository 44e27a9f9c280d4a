#include "model/ops/family_ops.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {

using hardware::Bytes;
using hardware::Collective;
using hardware::Flop;
using hardware::KernelClass;
using hardware::Work;

namespace {

/// How the tokens of all DP ranks, `all` of them, fall on the experts of one rank.
struct Routing {
  double pairs = 0;           ///< token-expert pairs on the mean rank
  double touched = 0;         ///< distinct experts on the mean rank
  double pair_imbalance = 1;  ///< fullest rank over the mean
  double touch_imbalance = 1;
};

Routing route(const MoeMlp& f, const Layout& layout, double all) {
  Routing out;
  const double ep = number(layout.expert_ep);
  const double experts = number(f.experts);
  const double picks = f.mean_picks();
  out.pairs = all * picks / ep;
  const double distinct = distinct_experts(experts, picks, all);
  out.touched = distinct / ep;
  if (ep > 1) {
    const double hit = distinct / experts;
    out.pair_imbalance = fullest_over_mean(out.pairs, std::sqrt(out.pairs * (1 - 1 / ep)), ep);
    const double most = experts / std::max(distinct, 1e-9);
    out.touch_imbalance = std::min(
        most, fullest_over_mean(out.touched, std::sqrt(experts / ep * hit * (1 - hit)), ep));
  }
  return out;
}

/// One grouped GEMM over the touched experts of a rank.
Work grouped(const OpsContext& context, const LocalTensor& weight, const MoeMlp& f,
             const Routing& routing, const Layout& layout) {
  Work work;
  const double local_experts = number(f.experts) / number(layout.expert_ep);
  const double matrices = number(weight.count) / local_experts;  // gate and up, or down
  work.kernel_class = KernelClass::GroupedGemm;
  work.format = weight.format;
  work.arithmetic = context.arithmetic[static_cast<std::size_t>(weight.format)];
  work.rows = routing.touched > 0 ? routing.pairs / routing.touched : 0;
  work.kernels = 1;
  work.weight_bytes = weight.bytes * (routing.touched / local_experts);
  const double outputs = number(weight.rows) * matrices;
  work.flop = Flop(2 * routing.pairs * outputs * number(weight.columns));
  work.activation_bytes =
      Bytes(routing.pairs * (number(weight.columns) + outputs) * kActivationBytes);
  work.imbalance = routing.pair_imbalance;
  work.imbalance_bytes = routing.touch_imbalance;
  return work;
}

void combine(const OpsContext& context, const LayerShard& layer, double tokens, double all,
             OperatorList& list) {
  const auto& f = std::get<MoeMlp>(layer.kind.mlp);
  const Layout& layout = context.shard->layout;
  const Count ranks = layout.ranks_per_stage();
  if (ranks == 1) {
    return;
  }
  const double hidden = number(context.shard->hidden);
  const double sent = f.latent > 0 ? number(f.latent) : hidden;  // between the ranks of experts
  if (layout.attention_dp == 1) {
    // Tokens are on every rank: TP and EP end in the same all-reduce and need no dispatch.
    list.add(OperatorKind::MoeReduce,
             message(Collective::AllReduce, ranks, tokens * hidden * kActivationBytes));
    return;
  }
  Work exchange = message(Collective::Exchange, ranks, all * sent * kActivationBytes);
  const bool whole_experts = layout.expert_tp == 1;
  exchange.message_direct =
      whole_experts
          ? Bytes(all * exchange_bytes_per_token(sent, number(f.experts), f.mean_picks(),
                                                 number(ranks), kActivationBytes, kActivationBytes,
                                                 ExchangeConvention::Deduplicated))
          : Bytes();
  list.add(OperatorKind::ExpertExchange, exchange);
  if (layout.attention_tp > 1) {
    // The TP group gets its tokens back; partial sums of shared experts, and of a parallel
    // attention, are added on the way.
    const bool partial = f.shared_width > 0 || layer.kind.parallel;
    const Collective back = partial ? Collective::AllReduce : Collective::AllGather;
    list.add(OperatorKind::MoeReduce,
             message(back, layout.attention_tp, tokens * hidden * kActivationBytes));
  }
}

}  // namespace

void moe_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
             OperatorList& list) {
  const auto& f = std::get<MoeMlp>(layer.kind.mlp);
  const Layout& layout = context.shard->layout;
  const double tokens = shape.tokens();
  const double hidden = number(context.shard->hidden);
  const double expert_hidden = f.latent > 0 ? number(f.latent) : hidden;
  const double all = shape.all_tokens(number(layout.attention_dp));
  const Routing routing = route(f, layout, all);
  const LocalTensor& up = layer.at(Role::ExpertUp);
  const double quantised = quantises(context, up.format) ? 2 : 0;

  list.add(OperatorKind::Router, gemm(context, layer.at(Role::Router), tokens));
  Work around =
      small(context.kernels.moe_small + quantised * context.kernels.quantise,
            routing.pairs * (expert_hidden * (context.kernels.moe_passes + quantised / 2) +
                             number(up.rows) * context.kernels.moe_width_passes));
  around.imbalance_bytes = 1;
  list.add(OperatorKind::MoeSmall, around);
  if (f.latent > 0) {
    list.add(OperatorKind::ExpertsIn, gemm(context, layer.at(Role::ExpertsIn), tokens));
  }
  list.add(OperatorKind::ExpertUp, grouped(context, up, f, routing, layout));
  list.add(OperatorKind::ExpertDown,
           grouped(context, layer.at(Role::ExpertDown), f, routing, layout));
  if (f.latent > 0) {
    list.add(OperatorKind::ExpertsOut, gemm(context, layer.at(Role::ExpertsOut), tokens));
  }
  if (f.shared_width > 0) {
    list.add(OperatorKind::SharedUp, gemm(context, layer.at(Role::SharedUp), tokens));
    Work down = gemm(context, layer.at(Role::SharedDown), tokens);
    list.add(OperatorKind::DenseSmall, small(1, tokens * (number(layer.at(Role::SharedUp).rows) *
                                                              context.kernels.ffn_width_passes +
                                                          hidden)));
    list.add(OperatorKind::SharedDown, down);
  }
  combine(context, layer, tokens, all, list);
}

}  // namespace fathom::model
