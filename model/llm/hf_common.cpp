#include "model/llm/hf_draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {

namespace {
constexpr Count kMostLayers = 10'000;
}

void read_outer(HfConfig& config, HfDraft& draft, std::optional<bool> tied) {
  draft.hidden = config.need({"hidden_size", "d_model", "n_embd", "dim"});
  draft.vocabulary = config.need({"vocab_size"});
  draft.tied = tied ? config.flag({"tie_word_embeddings", "tied_embeddings"}, *tied)
                    : config.need_flag({"tie_word_embeddings", "tied_embeddings"});
}

Count layer_count_of(HfConfig& config) {
  const FieldNames names{"num_hidden_layers", "n_layers", "n_layer", "num_layers"};
  const Count layers = config.need(names);
  if (layers > kMostLayers) {
    config.wrong(*config.find(names), fmt::format("{} layers exceed {}", layers, kMostLayers));
    return 1;
  }
  return layers;
}

GroupedAttention read_heads(HfConfig& config, bool kv_heads_may_miss) {
  GroupedAttention a;
  const FieldNames heads{"num_attention_heads", "n_heads", "n_head"};
  const FieldNames kv{"num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv",
                      "num_attention_groups"};
  a.heads = config.need(heads);
  a.kv_heads = kv_heads_may_miss ? config.may(kv, a.heads) : config.need(kv);
  const auto head = config.maybe({"head_dim", "attention_head_dim", "kv_channels"});
  if (head && *head > 0) {
    a.head = *head;
  } else {
    const Count hidden = config.need({"hidden_size", "d_model", "n_embd", "dim"});
    a.head = std::max<Count>(1, hidden / a.heads);
    if (hidden % a.heads != 0) {
      config.wrong(*config.find(heads),
                   fmt::format("{} heads do not divide hidden size {}, and there is no head_dim",
                               a.heads, hidden));
    }
  }
  if (a.kv_heads <= 0 || a.heads % a.kv_heads != 0) {
    const hardware::SpecNode* at = config.find(kv);
    config.wrong(at != nullptr ? *at : config.decoder(),
                 fmt::format("{} query heads do not divide into {} KV heads", a.heads, a.kv_heads));
    a.kv_heads = a.heads;
  }
  a.value_head = a.head;
  return a;
}

void need_head_size(HfConfig& config) {
  if (!config.has({"head_dim", "attention_head_dim"})) {
    config.missing({"head_dim"});
  }
}

Count need_dense_start(HfConfig& config) {
  const FieldNames names{"first_k_dense_replace"};
  if (!config.has(names)) {
    config.missing(names);
  }
  return config.may(names, 0);
}

std::vector<bool> qwen_moe_layers(HfConfig& config, Count layers) {
  const Count step = std::max<Count>(1, config.may({"decoder_sparse_step"}, 1));
  const auto only = config.numbers({"mlp_only_layers"}).value_or(std::vector<Count>());
  std::vector<bool> out;
  for (Count i = 0; i < layers; ++i) {
    const bool dense = std::find(only.begin(), only.end(), i) != only.end();
    out.push_back((i + 1) % step == 0 && !dense);
  }
  return out;
}

Count read_window(HfConfig& config) {
  const Count window = config.may({"sliding_window"}, 0);
  const Count context = config.may({"max_position_embeddings"}, 0);
  return context > 0 && window >= context ? 0 : window;
}

void repeat(HfDraft& draft, Count count, const LayerKind& layer) {
  draft.layers.insert(draft.layers.end(), static_cast<std::size_t>(count), layer);
}

// The fields are told apart by the words that a caller gives.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
MoeMlp read_moe(HfConfig& c, FieldNames experts, FieldNames top_k, FieldNames width) {
  MoeMlp f;
  f.experts = c.need(experts);
  f.top_k = c.need(top_k);
  f.width = c.need(width);
  if (f.top_k > f.experts) {
    c.wrong(*c.find(top_k), fmt::format("top-k {} exceeds the {} experts", f.top_k, f.experts));
    f.top_k = f.experts;
  }
  return f;
}

}  // namespace fathom::model
