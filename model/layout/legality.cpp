#include "model/layout/legality.h"

#include "model/layout/shard.h"
#include "model/llm/tensors.h"

#include <algorithm>

namespace fathom::model {
namespace {

using hardware::numeric_format;

/// The block of `format` along the split dimension, where cutting it is refused; 1 = never.
Count uncuttable_block(Format format, bool rows) {
  const auto& f = numeric_format(format);
  switch (format) {
    case Format::Fp8Block:
      return rows ? f.block_rows : f.block_columns;
    case Format::Int4G32:
    case Format::Int4G128:
      return rows ? 1 : f.block_columns;
    case Format::Fp32:
    case Format::Bf16:
    case Format::Fp16:
    case Format::Fp8:
    case Format::Fp8Channel:
    case Format::Int8:
    case Format::Mxfp8:
    case Format::Nvfp4:
    case Format::Mxfp4:
      return 1;
  }
  return 1;
}

std::optional<Illegal> check_heads(const Attention& attention, Count tp) {
  const auto* grouped = std::get_if<GroupedAttention>(&attention);
  const Count heads =
      grouped != nullptr ? grouped->heads : std::get<LatentAttention>(attention).heads;
  if (heads % tp != 0) {
    return Illegal{IllegalReason::QueryHeads, heads, tp, 0, Group::Attention};
  }
  if (grouped != nullptr && grouped->kv_heads % tp != 0 && tp % grouped->kv_heads != 0) {
    return Illegal{IllegalReason::KvHeads, grouped->kv_heads, tp, 0, Group::Attention};
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
  if (tensor.role == Role::QkvBias) {
    return std::nullopt;
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
