#include "model/memory/ledger.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

constexpr double kActivation = 2;  // bytes of a 16-bit element
constexpr double kLogit = 4;       // logits are FP32 when sampled
/// Copies of the residual stream alive at once: residual, normed input, attention output, sum.
constexpr double kResidualCopies = 4;

double widest_ffn(const LayerShard& layer, const Shard& shard, double tokens) {
  if (std::holds_alternative<DenseMlp>(layer.kind.mlp)) {
    return tokens * 3 * static_cast<double>(layer.at(Role::DenseUp).rows);
  }
  const auto& f = std::get<MoeMlp>(layer.kind.mlp);
  const Layout& layout = shard.layout;
  const double pairs = tokens * static_cast<double>(layout.attention_dp) *
                       static_cast<double>(f.top_k) / static_cast<double>(layout.expert_ep);
  return pairs * (static_cast<double>(shard.hidden) +
                  3 * static_cast<double>(layer.at(Role::ExpertUp).rows));
}

Ledger stage_ledger(const ModelSpec& model, const Shard& shard, std::size_t index,
                    const hardware::AcceleratorSpec& accelerator, const EngineSpec& engine,
                    const LedgerRequest& request) {
  const Stage& stage = shard.stages.at(index);
  const Layout& layout = shard.layout;
  Ledger out;
  out.stage = index;
  const double fraction =
      request.memory_fraction > 0 ? request.memory_fraction : engine.memory_fraction;
  const Count batched =
      request.max_batched_tokens > 0 ? request.max_batched_tokens : engine.max_batched_tokens;
  out.usable = accelerator.capacity - accelerator.reserved;
  out.budget = out.usable * fraction;
  out.weights = shard.weight_bytes(stage, request.with_mtp);
  out.activation = activation_peak(shard, static_cast<double>(batched),
                                   static_cast<double>(request.max_sequences));
  out.context = engine.context_bytes;
  out.graphs = request.cuda_graphs ? engine.graphs_bytes : Bytes();
  out.kv_bytes_per_token =
      shard.kv_bytes_per_token(stage, request.with_mtp) / static_cast<double>(layout.dcp);
  const Bytes needed = out.weights + out.activation + out.other();
  out.kv = out.budget - needed;

  const double length = request.sequence_tokens > 0 ? request.sequence_tokens
                                                    : static_cast<double>(model.max_context);
  const auto block = static_cast<double>(engine.kv_block_tokens);
  const double sequence = std::ceil(length / block) * block;
  const Bytes one = out.kv_bytes_per_token * (sequence * request.sequences);
  out.missing = std::max(Bytes(), needed + one - out.budget);
  out.fits = out.missing.base() <= 0;
  out.min_fraction = (needed + one) / out.usable;
  if (out.kv.base() > 0 && out.kv_bytes_per_token.base() > 0) {
    const double blocks = std::floor(out.kv / (out.kv_bytes_per_token * block));
    out.kv_tokens_engine = static_cast<Count>(blocks * block);
    const auto engines = static_cast<double>(layout.attention_dp * layout.replicas);
    out.kv_tokens = static_cast<Count>(blocks * block * engines);
    out.max_concurrency = std::floor(blocks * block / sequence) * engines;
  }
  return out;
}

}  // namespace

Bytes activation_peak(const Shard& shard, double tokens, double sequences) {
  double widest = 0;
  for (const LayerShard& layer : shard.layers) {
    widest = std::max(widest, widest_ffn(layer, shard, tokens));
  }
  const double residual = tokens * kResidualCopies * static_cast<double>(shard.hidden);
  const double logits = sequences * static_cast<double>(shard.vocabulary) * kLogit;
  return Bytes((residual + widest) * kActivation + logits);
}

Ledger make_ledger(const ModelSpec& model, const Shard& shard,
                   const hardware::AcceleratorSpec& accelerator, const EngineSpec& engine,
                   const LedgerRequest& request) {
  Ledger tightest;
  for (std::size_t i = 0; i < shard.stages.size(); ++i) {
    const Ledger ledger = stage_ledger(model, shard, i, accelerator, engine, request);
    const bool tighter =
        ledger.kv_tokens_engine < tightest.kv_tokens_engine ||
        (ledger.kv_tokens_engine == tightest.kv_tokens_engine && ledger.kv < tightest.kv);
    if (i == 0 || tighter) {
      tightest = ledger;
    }
  }
  return tightest;
}

}  // namespace fathom::model
