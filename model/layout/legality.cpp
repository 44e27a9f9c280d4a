#include "model/layout/legality.h"

#include "model/layout/shard.h"
#include "model/llm/tensors.h"

#include <algorithm>
#include <array>

namespace fathom::model {
namespace {

using hardware::numeric_format;

/// The block of `format` along the split dimension, where cutting it is refused; 1 = never. Refused
/// are cuts through the square blocks of FP8, and along the inputs through the groups of weights
/// that are unpacked in front of 16-bit arithmetic: INT4, and the GGUF types (llama.cpp splits rows
/// between whole blocks only). What FP4 kernels read is padded instead (shard.cpp); vectors of
/// scales, one for a tensor or a row, are cut anywhere, and so is MXFP8.
Count uncuttable_block(Format format, bool rows) {
  const auto& f = numeric_format(format);
  if (f.block_rows > 1) {
    return rows ? f.block_rows : f.block_columns;
  }
  const bool unpacked = f.weight_only && format != Format::Nvfp4Weight;
  return unpacked && !rows ? f.block_columns : 1;
}

/// Whole numbers of which each rank takes its share; 0 = the mixer has no such thing.
struct HeadCounts {
  Count query = 0;          ///< TP divides it
  Count state = 0;          ///< heads or channels of a recurrent state: TP divides it
  Count state_keys = 0;     ///< key heads of a delta net: TP divides it
  Count output_groups = 0;  ///< TP divides it
  Count kv = 0;             ///< TP divides it or it divides TP: then heads are replicated
  Count state_groups = 0;   ///< the same
};

HeadCounts head_counts(const GroupedAttention& a) { return {.query = a.heads, .kv = a.kv_heads}; }
HeadCounts head_counts(const LatentAttention& a) { return {.query = a.heads}; }
HeadCounts head_counts(const CompressedAttention& a) {
  return {.query = a.heads, .output_groups = a.output_groups};
}
HeadCounts head_counts(const Mamba1& m) { return {.state = m.inner}; }
HeadCounts head_counts(const Mamba2& m) { return {.state = m.heads, .state_groups = m.groups}; }
HeadCounts head_counts(const DeltaNet& m) {
  return {.state = m.value_heads, .state_keys = m.key_heads};
}
HeadCounts head_counts(const KeyedDelta& m) { return {.state = m.heads}; }
HeadCounts head_counts(const LightningAttention& m) { return {.state = m.heads}; }
HeadCounts head_counts(const NoAttention& /*none*/) { return {}; }

std::optional<Illegal> check_heads(const Attention& attention, Count tp) {
  const HeadCounts counts = std::visit([](const auto& a) { return head_counts(a); }, attention);
  struct Rule {
    IllegalReason reason = IllegalReason::QueryHeads;
    Count heads = 0;
    bool may_replicate = false;
    Group group = Group::Attention;
  };
  const std::array<Rule, 6> rules{{
      {IllegalReason::QueryHeads, counts.query},
      {IllegalReason::StateHeads, counts.state, false, Group::Recurrent},
      {IllegalReason::KeyHeads, counts.state_keys, false, Group::Recurrent},
      {IllegalReason::OutputGroups, counts.output_groups},
      {IllegalReason::KvHeads, counts.kv, true},
      {IllegalReason::StateGroups, counts.state_groups, true, Group::Recurrent},
  }};
  for (const Rule& rule : rules) {
    const bool replicated = rule.may_replicate && rule.heads > 0 && tp % rule.heads == 0;
    if (rule.heads % tp != 0 && !replicated) {
      return Illegal{rule.reason, rule.heads, tp, 0, rule.group};
    }
  }
  return std::nullopt;
}

std::optional<Illegal> check_context_parallel(const Attention& attention, const Layout& layout) {
  if (layout.dcp == 1) {
    return std::nullopt;
  }
  if (layout.attention_tp % layout.dcp != 0) {
    return Illegal{IllegalReason::ContextParallel, layout.dcp, layout.attention_tp, 0,
                   Group::Attention};
  }
  const auto* grouped = std::get_if<GroupedAttention>(&attention);
  if (grouped != nullptr && layout.dcp * grouped->kv_heads > layout.attention_tp) {
    return Illegal{IllegalReason::ContextParallelKv, layout.dcp, layout.attention_tp,
                   grouped->kv_heads, Group::Attention};
  }
  return std::nullopt;
}

struct Cut {
  Count parts = 1;
  bool rows = true;
};

Cut cut_of(Split split, const Layout& layout) {
  switch (split) {
    case Split::Heads:
    case Split::FfnRows:
      return {layout.attention_tp, true};
    case Split::HeadInputs:
    case Split::FfnColumns:
      return {layout.attention_tp, false};
    case Split::ExpertRows:
      return {layout.expert_tp, true};
    case Split::ExpertColumns:
      return {layout.expert_tp, false};
    case Split::KvHeads:  // whole heads, or replicated: never cut
    case Split::Experts:  // whole experts
    case Split::Replicated:
    case Split::Vocabulary:
      return {};
  }
  return {};
}

std::optional<Illegal> check_tensor(const Tensor& tensor, const Layout& layout) {
  const Cut cut = cut_of(tensor.split, layout);
  if (cut.parts == 1) {
    return std::nullopt;
  }
  const Count width = cut.rows ? tensor.rows : tensor.columns;
  if (role_facts(tensor.role).source != FormatSource::Linear) {
    return std::nullopt;  // vectors follow the heads that they belong to
  }
  if (width % cut.parts != 0) {
    return Illegal{IllegalReason::Width, width, cut.parts, 0, tensor.group};
  }
  const Count block = uncuttable_block(tensor.format, cut.rows);
  if ((width / cut.parts) % block != 0) {
    return Illegal{IllegalReason::QuantBlock, width, cut.parts, block, tensor.group};
  }
  return std::nullopt;
}

std::optional<Illegal> check_layer(const LayerKind& layer, Count hidden, const Layout& layout) {
  if (auto illegal = check_heads(layer.attention, layout.attention_tp)) {
    return illegal;
  }
  if (auto illegal = check_context_parallel(layer.attention, layout)) {
    return illegal;
  }
  if (const auto* moe = std::get_if<MoeMlp>(&layer.mlp)) {
    if (moe->experts % layout.expert_ep != 0) {
      return Illegal{IllegalReason::Experts, moe->experts, layout.expert_ep, 0,
                     Group::RoutedExperts};
    }
  }
  for (const Tensor& tensor : layer_tensors(layer, hidden)) {
    if (auto illegal = check_tensor(tensor, layout)) {
      return illegal;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Illegal> check_legal(const ModelSpec& model, const Layout& layout, Count gpus) {
  if (gpus > 0 && layout.gpus() > gpus) {
    return Illegal{IllegalReason::GpuCount, layout.gpus(), gpus, 0, Group::Attention};
  }
  if (layout.pp > std::min(model.layer_count(), kMaxStages)) {
    return Illegal{IllegalReason::Stages, std::min(model.layer_count(), kMaxStages), layout.pp, 0,
                   Group::Attention};
  }
  for (const LayerKind& layer : model.layers) {
    if (auto illegal = check_layer(layer, model.hidden, layout)) {
      return illegal;
    }
  }
  return std::nullopt;
}

}  // namespace fathom::model
