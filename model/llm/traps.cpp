#include "model/llm/traps.h"

#include "model/llm/parameter_count.h"

#include <algorithm>

namespace fathom::model {
namespace {

using Traps = std::vector<Trap>;

void add(Traps& out, TrapKind kind, Count a = 0, Count b = 0) {
  const Trap trap{kind, a, b};
  if (std::find(out.begin(), out.end(), trap) == out.end()) {
    out.push_back(trap);
  }
}

Count power_of_two_in(Count heads) {
  Count tp = 1;
  while (heads % (2 * tp) == 0) {
    tp *= 2;
  }
  return tp;
}

constexpr Count kUsualTp = 8;  // GPUs of one node: what a layout asks for first

void head_traps(const GroupedAttention& a, Count hidden, Traps& out) {
  if (a.heads * a.head != hidden) {
    add(out, TrapKind::HeadSize, a.head, hidden / a.heads);
  }
  if (a.value_head != a.head) {
    add(out, TrapKind::ValueHead, a.head, a.value_head);
  }
  if (a.kv_heads < kUsualTp && a.kv_heads < a.heads) {
    add(out, TrapKind::KvReplicated, a.kv_heads);
  }
  if (power_of_two_in(a.heads) < kUsualTp) {
    add(out, TrapKind::HeadsLimitTp, a.heads, power_of_two_in(a.heads));
  }
}

void latent_traps(const LatentAttention& a, Traps& out) {
  add(out, TrapKind::LatentReplicated);
  if (a.indexer && !a.indexer->shared) {
    const LayerCache cache = layer_cache(a, {Format::Fp8, Format::Fp32}, 1, 1);
    add(out, TrapKind::SparseRow, static_cast<Count>(cache.per_token().base()),
        a.latent_rank + a.rope_head);
  }
}

void attention_traps(const ModelSpec& model, Traps& out) {
  for (const LayerKind& layer : model.layers) {
    if (const auto* grouped = std::get_if<GroupedAttention>(&layer.attention)) {
      head_traps(*grouped, model.hidden, out);
    } else if (const auto* latent = std::get_if<LatentAttention>(&layer.attention)) {
      latent_traps(*latent, out);
    } else if (std::holds_alternative<CompressedAttention>(layer.attention)) {
      add(out, TrapKind::LatentReplicated);
    }
  }
}

/// Layers whose cache grows with the context, and those that share one.
void cache_traps(const ModelSpec& model, Traps& out) {
  const Bytes below = kv_bytes_per_token(model, model.kv_format).total();
  const Bytes beyond = kv_bytes_beyond_windows(model, model.kv_format);
  if (beyond < below) {
    add(out, TrapKind::Windows, static_cast<Count>(beyond.base()),
        static_cast<Count>(below.base()));
  }
  Count growing = 0;
  Count shared = 0;
  for (const LayerKind& layer : model.layers) {
    const auto* grouped = std::get_if<GroupedAttention>(&layer.attention);
    const bool shares = grouped != nullptr && grouped->shared_kv;
    const LayerCache cache = layer_cache(layer.attention, {}, all_kv_heads(layer.attention), 1);
    growing += cache.row.base() > 0 ? layer.count : 0;
    shared += shares ? layer.count : 0;
  }
  if (growing + shared < model.layer_count()) {
    add(out, TrapKind::FewCaches, growing, model.layer_count());
  }
  if (shared > 0) {
    add(out, TrapKind::SharedCaches, shared, model.layer_count());
  }
}

void expert_traps(const ModelSpec& model, Traps& out) {
  for (const LayerKind& layer : model.layers) {
    const auto* moe = std::get_if<MoeMlp>(&layer.mlp);
    if (moe == nullptr) {
      continue;
    }
    add(out, TrapKind::ExpertsTouched, moe->experts, moe->top_k);
    if (moe->zero_experts > 0) {
      add(out, TrapKind::ZeroExperts, moe->zero_experts, moe->experts + moe->zero_experts);
    }
    if (moe->latent > 0) {
      add(out, TrapKind::LatentExperts, moe->latent, model.hidden);
    }
  }
}

void count_traps(const ModelSpec& model, Traps& out) {
  const Census census = take_census(model);
  if (model.is_moe()) {
    add(out, TrapKind::ActiveCounts, census.active_all, census.active_no_embeddings);
  }
  if (model.per_layer_embedding) {
    add(out, TrapKind::PerLayerTable,
        model.per_layer_embedding->vocabulary * model.per_layer_embedding->width *
            model.layer_count());
  }
  if (model.tied_embeddings) {
    add(out, TrapKind::Tied);
  }
  if (!model.mtp.empty()) {
    add(out, TrapKind::MtpApart, census.mtp);
    if (!model.mtp_in_checkpoint) {
      add(out, TrapKind::MtpNotStored);
    }
  }
  constexpr Count kVocabularyTile = 64;  // engines pad the vocabulary to this
  if (model.vocabulary % kVocabularyTile != 0) {
    add(out, TrapKind::OddVocabulary, model.vocabulary);
  }
}

}  // namespace

std::vector<Trap> find_traps(const ModelSpec& model) {
  Traps out;
  attention_traps(model, out);
  cache_traps(model, out);
  expert_traps(model, out);
  count_traps(model, out);
  return out;
}

}  // namespace fathom::model
