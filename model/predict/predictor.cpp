#include "model/predict/predictor.h"

#include "model/step/elasticity.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {

using hardware::Cost;
using hardware::Goodness;
using hardware::Pricer;

namespace {

KernelCounts kernel_counts(const EngineSpec& e, bool ideal) {
  KernelCounts k;
  if (ideal) {
    return k;
  }
  k.attention_small = e.kernels.attention;
  k.latent_small = e.kernels.latent;
  k.indexer_small = e.kernels.indexer;
  k.dense_small = e.kernels.dense_ffn;
  k.moe_small = e.kernels.moe;
  k.quantise = e.kernels.quantise;
  k.step_small = e.kernels.step;
  k.attention_passes = e.passes.attention;
  k.dense_passes = e.passes.dense_ffn;
  k.ffn_width_passes = e.passes.ffn_width;
  k.moe_passes = e.passes.moe;
  k.moe_width_passes = e.passes.moe_width;
  k.split_kv_kernels = e.split_kv_kernels;
  k.all_gather_logits = e.all_gather_logits;
  return k;
}

/// A draft head where the checkpoint has no MTP layer: one layer with the model's attention and a
/// dense FFN of its dense width, or of its active expert width. Of several attentions the first
/// that keeps keys and values.
LayerKind assumed_draft(const ModelSpec& model) {
  const auto keeps_keys = [](const LayerKind& layer) {
    return std::holds_alternative<GroupedAttention>(layer.attention) ||
           std::holds_alternative<LatentAttention>(layer.attention) ||
           std::holds_alternative<CompressedAttention>(layer.attention);
  };
  const auto found = std::find_if(model.layers.begin(), model.layers.end(), keeps_keys);
  LayerKind draft = found == model.layers.end() ? model.layers.front() : *found;
  draft.count = 1;
  Count width = 0;
  for (const LayerKind& layer : model.layers) {
    if (const auto* dense = std::get_if<DenseMlp>(&layer.mlp)) {
      width = std::max(width, dense->width);
    } else if (const auto* moe = std::get_if<MoeMlp>(&layer.mlp); moe != nullptr && width == 0) {
      width = moe->top_k * moe->width + moe->shared_width;
    }
  }
  draft.mlp = DenseMlp{width, true};
  draft.formats.fill(Format::Bf16);
  return draft;
}

PowerEnvelope envelope(const hardware::AcceleratorSpec& a, const hardware::Coefficients& c,
                       const RunOptions& options, bool ideal) {
  PowerEnvelope p;
  const double limit =
      options.power_limit.base() > 0 ? options.power_limit.base() : a.power_limit_max.base();
  p.limit = ideal ? 0 : limit;
  p.max_clock = a.max_clock.base();
  p.clock_exponent = c.clock_exponent;
  p.base = a.power.base.base();
  p.per_byte = a.power.per_byte.base();
  for (std::size_t i = 0; i < p.per_flop.size(); ++i) {
    p.per_flop[i] = a.power.per_flop[i].base();
  }
  p.power_exponent = a.power.clock_exponent;
  return p;
}

void add_list(const OperatorList& list, double times, const Pricer& pricer, DeviceTime& out) {
  for (const Operator& op : list) {
    out.add(op.work, pricer.price(op.work), times);
  }
}

/// Visits (list, times, draft) of what a stage runs for a micro-batch beside its layers.
template <class Visit>
void visit_ends(const OpsContext& context, const StepShape& shape, const Stage& stage,
                int spec_tokens, const Visit& visit) {
  const Shard& shard = *context.shard;
  if (stage.first) {
    visit(embedding_ops(context, shape), 1.0, false);
  }
  if (!stage.last) {
    visit(stage_ops(context, shape), 1.0, false);
    return;
  }
  visit(head_ops(context, shape), 1.0, false);
  if (spec_tokens > 0 && shape.phase == Phase::Decode) {
    StepShape draft = shape;
    draft.new_tokens = 1;
    draft.sampled = 1;
    const double times = spec_tokens;
    for (const LayerShard& layer : shard.mtp) {
      visit(draft_ops(context, draft), times, true);
      visit(layer_ops(context, layer, draft), times, true);
    }
    visit(embedding_ops(context, draft), times, true);
    visit(head_ops(context, draft), times, true);
  }
}

/// Kernels that hosts launch one after the other on a sequence's way through the stages.
double launched(const DeviceTime* stages, std::size_t count, double micro_batches, Flow flow) {
  double all = 0;
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all += stages[i].kernels;
    most = std::max(most, stages[i].kernels);
  }
  return flow == Flow::Steady ? std::max(all, micro_batches * most)
                              : all + (micro_batches - 1) * most;
}

}  // namespace

Predictor::Predictor(const ModelSpec& model, const hardware::SystemSpec& system,
                     const EngineSpec& engine, const hardware::Coefficients& coefficients,
                     const Layout& layout, const RunOptions& options)
    : model_(model),
      system_(system),
      engine_(engine),
      coefficients_(coefficients),
      options_(options),
      ideal_(coefficients.smooth_exponent == 0) {
  if (options.spec_tokens > 0 && model_.mtp.empty() && !model_.layers.empty()) {
    model_.mtp.push_back(assumed_draft(model_));
    draft_is_assumed_ = true;
  }
  const Format kv = options.kv_format.value_or(engine.kv_format.value_or(model.kv_format));
  shard_ = std::make_shared<const Shard>(make_shard(model_, layout, kv));
  context_.shard = shard_.get();
  context_.kernels = kernel_counts(engine, ideal_);
  for (std::size_t i = 0; i < context_.arithmetic.size(); ++i) {
    context_.arithmetic[i] = system.accelerator.arithmetic_of(static_cast<Format>(i));
  }
  pricer_ = hardware::make_pricer(system, coefficients, policy());
  power_ = envelope(system.accelerator, coefficients, options, ideal_);
}

hardware::RoutePolicy Predictor::policy() const {
  if (ideal_) {
    return {};
  }
  switch (engine_.custom_collectives) {
    case CustomCollectives::Library:
      return {.nvlink = false, .peer_to_peer = false};
    case CustomCollectives::Nvlink:
      return {.nvlink = true, .peer_to_peer = false};
    case CustomCollectives::PeerToPeer:
      return {.nvlink = true, .peer_to_peer = true};
  }
  return {};
}

Predictor::Rank Predictor::rank_shape(const StepShape& shape) const noexcept {
  const Layout& layout = shard_->layout;
  const auto parts = static_cast<double>(layout.attention_dp * layout.replicas);
  const auto pp = static_cast<double>(layout.pp);
  Rank rank;
  rank.shape = shape;
  const double on_rank = std::ceil(shape.sequences / parts);
  rank.shape.sequences = std::ceil(on_rank / pp);
  // As many as stages, of uneven size: the fullest sets the pace.
  rank.micro_batches = std::clamp(on_rank, 1.0, pp);
  rank.shape.all_sequences =
      shape.sequences / static_cast<double>(layout.replicas) / rank.micro_batches;
  return rank;
}

void Predictor::fill_stages(const StepShape& shape, DeviceTime* stages,
                            std::size_t count) const noexcept {
  // A layer of a kind costs the same on every stage: price it once.
  for (std::size_t kind = 0; kind < shard_->layers.size(); ++kind) {
    DeviceTime layer;
    add_list(layer_ops(context_, shard_->layers[kind], shape), 1, pricer_, layer);
    for (std::size_t i = 0; i < count; ++i) {
      const Count layers = shard_->stages[i].layers[kind];
      if (layers > 0) {
        stages[i].add(layer, static_cast<double>(layers));
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    visit_ends(context_, shape, shard_->stages[i], options_.spec_tokens,
               [&](const OperatorList& list, double times, bool /*draft*/) {
                 add_list(list, times, pricer_, stages[i]);
               });
  }
}

HostTime Predictor::host_time(const Rank& rank, Phase phase, double kernels) const noexcept {
  HostTime host;
  if (ideal_) {
    return host;
  }
  const bool replayed = options_.cuda_graphs && (phase == Phase::Decode || engine_.prefill_graphs);
  const double serial =
      (engine_.host_per_step.base() +
       engine_.host_per_sequence.base() * rank.shape.sequences * rank.micro_batches) /
      goodness_.host;
  host.launch = replayed ? 0 : kernels * engine_.host_per_kernel.base() / goodness_.host;
  host.beside = serial * engine_.host_overlap;
  host.exposed = serial * (1 - engine_.host_overlap);
  return host;
}

StepTime Predictor::step(const StepShape& shape) const noexcept {
  const Rank rank = rank_shape(shape);
  if (rank.shape.tokens() <= 0) {
    return {};
  }
  std::array<DeviceTime, static_cast<std::size_t>(kMaxStages)> stages;
  const std::size_t count = std::min(shard_->stages.size(), stages.size());
  fill_stages(rank.shape, stages.data(), count);
  const Flow flow = shape.phase == Phase::Decode ? Flow::Steady : Flow::Drain;
  const double kernels = launched(stages.data(), count, rank.micro_batches, flow);
  return assemble(stages.data(), count, rank.micro_batches, flow,
                  host_time(rank, shape.phase, kernels), power_);
}

Predictor Predictor::with(const Goodness& goodness) const {
  Predictor out = *this;
  out.goodness_ = goodness;
  out.pricer_ = hardware::make_pricer(system_, coefficients_, policy(), goodness);
  out.power_.limit *= goodness.power;
  return out;
}

Elasticities Predictor::elasticities(const StepShape& shape) const {
  Elasticities out = elasticities_of([&](const Goodness& g) { return with(g).step(shape).total; });
  const StepTime now = step(shape);
  // By counterfactual: the share that would be gained if there were none.
  for (const Resource resource : {Resource::Imbalance, Resource::Bubble}) {
    out.at(static_cast<std::size_t>(resource)) = share_of(now, resource);
  }
  return out;
}

std::vector<PricedOperator> Predictor::operators(const StepShape& shape) const {
  std::vector<PricedOperator> out;
  const Rank rank = rank_shape(shape);
  if (rank.shape.tokens() <= 0) {
    return out;
  }
  for (std::size_t index = 0; index < shard_->stages.size(); ++index) {
    const Stage& stage = shard_->stages[index];
    const auto list_all = [&](const OperatorList& list, double times, bool draft) {
      for (const Operator& op : list) {
        out.push_back({op.kind, times, index, draft, op.work, pricer_.price(op.work)});
      }
    };
    for (std::size_t kind = 0; kind < shard_->layers.size(); ++kind) {
      if (stage.layers[kind] > 0) {
        list_all(layer_ops(context_, shard_->layers[kind], rank.shape),
                 static_cast<double>(stage.layers[kind]), false);
      }
    }
    visit_ends(context_, rank.shape, stage, options_.spec_tokens, list_all);
  }
  return out;
}

}  // namespace fathom::model
