#include "model/layout/shard.h"

#include "model/llm/parameter_count.h"

#include <algorithm>

namespace fathom::model {
namespace {

/// FP4 kernels want whole tiles of a shard: 128 output rows and 64 input columns (the swizzled
/// scale layout); engines pad. Source: docs/physics.md section 1.
constexpr Count kFp4Rows = 128;
constexpr Count kFp4Columns = 64;

Count divide_up(Count a, Count b) { return (a + b - 1) / b; }
Count round_up(Count a, Count b) { return divide_up(a, b) * b; }

bool is_fp4(Format format) { return format == Format::Nvfp4 || format == Format::Mxfp4; }

Count share(Count width, Count parts, Count tile, Format format) {
  const Count part = divide_up(width, parts);
  return parts > 1 && is_fp4(format) ? round_up(part, tile) : part;
}

LocalTensor localise(const Tensor& t, const Layout& layout, Count kv_heads, Count kv_on_rank) {
  LocalTensor out{t.rows, t.columns, t.count, Bytes(), t.format};
  switch (t.split) {
    case Split::Replicated:
      break;
    case Split::Heads:
    case Split::FfnRows:
      out.rows = share(t.rows, layout.attention_tp, kFp4Rows, t.format);
      break;
    case Split::HeadInputs:
    case Split::FfnColumns:
      out.columns = share(t.columns, layout.attention_tp, kFp4Columns, t.format);
      break;
    case Split::KvHeads:
      out.rows = t.rows / kv_heads * kv_on_rank;
      break;
    case Split::Vocabulary:
      out.rows = divide_up(t.rows, layout.attention_tp);
      break;
    case Split::ExpertRows:
      out.count = t.count / layout.expert_ep;
      out.rows = share(t.rows, layout.expert_tp, kFp4Rows, t.format);
      break;
    case Split::ExpertColumns:
      out.count = t.count / layout.expert_ep;
      out.columns = share(t.columns, layout.expert_tp, kFp4Columns, t.format);
      break;
  }
  out.bytes = hardware::stored_bytes(t.format, out.rows, out.columns, out.count);
  return out;
}

Count all_kv_heads(const Attention& attention) {
  const auto* grouped = std::get_if<GroupedAttention>(&attention);
  return grouped == nullptr ? 1 : grouped->kv_heads;
}

LayerShard shard_layer(const LayerKind& kind, const std::vector<Tensor>& tensors,
                       const Layout& layout, Format kv_format) {
  LayerShard out;
  out.kind = kind;
  out.kv_heads = kv_heads_on_rank(kind.attention, layout.attention_tp);
  for (const Tensor& tensor : tensors) {
    const LocalTensor local = localise(tensor, layout, all_kv_heads(kind.attention), out.kv_heads);
    out.tensors.at(static_cast<std::size_t>(tensor.role)) = local;
    if (tensor.group != Group::Mtp) {
      out.weight_bytes += local.bytes;
    }
  }
  const KvRow row = kv_row(kind.attention, kv_format, out.kv_heads);
  out.kv_cache_row = row.cache;
  out.kv_index_row = row.index;
  return out;
}

std::vector<Stage> make_stages(const ModelSpec& model, Count pp) {
  std::vector<Stage> stages(static_cast<std::size_t>(pp));
  const Count all = model.layer_count();
  std::vector<Count> left;
  left.reserve(model.layers.size());
  for (const LayerKind& layer : model.layers) {
    left.push_back(layer.count);
  }
  std::size_t kind = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    Stage& stage = stages.at(s);
    stage.layers.assign(model.layers.size(), 0);
    stage.first = s == 0;
    stage.last = s + 1 == stages.size();
    Count wanted = all / pp + (static_cast<Count>(s) < all % pp ? 1 : 0);
    while (wanted > 0 && kind < left.size()) {
      const Count taken = std::min(wanted, left.at(kind));
      stage.layers.at(kind) += taken;
      left.at(kind) -= taken;
      wanted -= taken;
      if (left.at(kind) == 0) {
        ++kind;
      }
    }
  }
  return stages;
}

}  // namespace

Bytes Shard::weight_bytes(const Stage& stage, bool with_mtp) const {
  Bytes sum;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    sum += layers.at(i).weight_bytes * static_cast<double>(stage.layers.at(i));
  }
  if (stage.first) {
    sum += embedding.bytes;
  }
  if (stage.last) {
    sum += final_norm.bytes;
    const bool tied_here = lm_head.count == 0 && stage.first;
    // A tied table is stored once where first and last stage are one; else the last holds a copy.
    sum += lm_head.count > 0 ? lm_head.bytes : (tied_here ? Bytes() : embedding.bytes);
    if (with_mtp) {
      for (const LayerShard& layer : mtp) {
        sum += (layer.weight_bytes + mtp_projection.bytes + mtp_norms.bytes) *
               static_cast<double>(layer.kind.count);
      }
    }
  }
  return sum;
}

Bytes Shard::kv_bytes_per_token(const Stage& stage, bool with_mtp) const {
  Bytes sum;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    sum += (layers.at(i).kv_cache_row + layers.at(i).kv_index_row) *
           static_cast<double>(stage.layers.at(i));
  }
  if (stage.last && with_mtp) {
    for (const LayerShard& layer : mtp) {
      sum += (layer.kv_cache_row + layer.kv_index_row) * static_cast<double>(layer.kind.count);
    }
  }
  return sum;
}

Shard make_shard(const ModelSpec& model, const Layout& layout, Format kv_format) {
  Shard shard;
  shard.layout = layout;
  shard.hidden = model.hidden;
  shard.vocabulary = model.vocabulary;
  shard.kv_format = kv_format;
  for (const LayerKind& kind : model.layers) {
    shard.layers.push_back(shard_layer(kind, layer_tensors(kind, model.hidden), layout, kv_format));
  }
  for (const LayerKind& kind : model.mtp) {
    const std::vector<Tensor> tensors = mtp_tensors(model, kind);
    shard.mtp.push_back(shard_layer(kind, tensors, layout, kv_format));
    shard.mtp_projection = shard.mtp.back().at(Role::MtpProjection);
    shard.mtp_norms = shard.mtp.back().at(Role::MtpNorms);
  }
  for (const Tensor& tensor : outer_tensors(model)) {
    const LocalTensor local = localise(tensor, layout, 1, 1);
    if (tensor.role == Role::Embedding) {
      shard.embedding = local;
    } else if (tensor.role == Role::LmHead) {
      shard.lm_head = local;
    } else {
      shard.final_norm = local;
    }
  }
  shard.stages = make_stages(model, layout.pp);
  return shard;
}

}  // namespace fathom::model
