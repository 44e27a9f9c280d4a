#include "model/memory/ledger.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

constexpr double kActivation = 2;  // bytes of a 16-bit element
constexpr double kLogit = 4;       // logits are FP32 when sampled
/// Copies of the hidden width alive beside the residual: normed input, attention output, sum.
constexpr double kHiddenCopies = 3;

/// Tokens of a stage without any cache: more than memory can hold.
constexpr double kUnboundTokens = 1e12;

double widest_ffn(const LayerShard& layer, const Shard& shard, double tokens) {
  const double dense = 3 * static_cast<double>(layer.at(Role::DenseUp).rows);
  const auto* f = std::get_if<MoeMlp>(&layer.kind.mlp);
  if (f == nullptr) {
    return tokens * dense;
  }
  const Layout& layout = shard.layout;
  const double pairs = tokens * static_cast<double>(layout.attention_dp) *
                       static_cast<double>(f->top_k) / static_cast<double>(layout.expert_ep);
  const Count width = f->latent > 0 ? f->latent : shard.hidden;
  return pairs *
         (static_cast<double>(width) + 3 * static_cast<double>(layer.at(Role::ExpertUp).rows));
}

/// One sequence as asked, the same in whole blocks, and a block, in tokens.
struct SequenceTokens {
  double asked = 0;
  double rounded = 0;
  double block = 1;
};

/// What the room for the cache holds.
void count_tokens(Ledger& out, const SequenceTokens& tokens, double engines) {
  if (out.kv.base() <= 0) {
    return;
  }
  double held = kUnboundTokens;  // a stage that keeps no cache binds nothing
  if (out.bounded && out.one_sequence.base() > 0) {
    // Tokens have no one price: what fits is a number of sequences of the asked length.
    const double sequences = std::floor(out.kv / out.one_sequence);
    held = sequences * tokens.asked;
    out.max_concurrency = sequences * engines;
  } else {
    if (out.kv_bytes_per_token.base() > 0) {
      held = std::floor(out.kv / (out.kv_bytes_per_token * tokens.block)) * tokens.block;
    }
    out.max_concurrency = std::floor(held / tokens.rounded) * engines;
  }
  out.kv_tokens_engine = static_cast<Count>(held);
  out.kv_tokens = static_cast<Count>(held * engines);
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
  out.state_per_sequence = shard.fixed_bytes(stage, request.with_mtp);
  out.one_sequence = shard.sequence_bytes(stage, sequence, request.with_mtp);
  out.bounded = shard.has_bounded_cache();
  const Bytes one = out.one_sequence * request.sequences;
  out.missing = std::max(Bytes(), needed + one - out.budget);
  out.fits = out.missing.base() <= 0;
  out.min_fraction = (needed + one) / out.usable;
  count_tokens(out, {length, sequence, block},
               static_cast<double>(layout.attention_dp * layout.replicas));
  return out;
}

}  // namespace

Bytes activation_peak(const Shard& shard, double tokens, double sequences) {
  double widest = 0;
  Count streams = 1;  // of the residual: several with hyper-connections
  for (const LayerShard& layer : shard.layers) {
    widest = std::max(widest, widest_ffn(layer, shard, tokens));
    streams = std::max(streams, layer.kind.hyper_streams);
  }
  const double copies = static_cast<double>(streams) + kHiddenCopies;
  const double residual = tokens * copies * static_cast<double>(shard.hidden);
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
