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

bool is_fp4(Format format) {
  return format == Format::Nvfp4 || format == Format::Mxfp4 || format == Format::Nvfp4Weight;
}

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
    case Split::Experts:
      out.count = t.count / layout.expert_ep;
      break;
  }
  out.bytes = hardware::stored_bytes(t.format, out.rows, out.columns, out.count);
  return out;
}

LayerShard shard_layer(const LayerKind& kind, const std::vector<Tensor>& tensors,
                       const Layout& layout, const CacheFormats& formats) {
  LayerShard out;
  out.kind = kind;
  out.kv_heads = kv_heads_on_rank(kind.attention, layout.attention_tp);
  for (const Tensor& tensor : tensors) {
    const LocalTensor local = localise(tensor, layout, all_kv_heads(kind.attention), out.kv_heads);
    out.tensors.at(static_cast<std::size_t>(tensor.role)) = local;
    // Projection and norms of an MTP layer are counted with the stage; the copies of embedding and
    // head that a checkpoint stores beside it are shared with the model's own once loaded.
    if (tensor.group != Group::Mtp && tensor.role != Role::Embedding) {
      out.weight_bytes += local.bytes;
    }
  }
  out.cache = layer_cache(kind.attention, formats, out.kv_heads, layout.attention_tp);
  out.kv_cache_row = out.cache.row;
  out.kv_index_row = out.cache.index;
  return out;
}

std::vector<Stage> make_stages(const ModelSpec& model, Count pp) {
  std::vector<Stage> stages(static_cast<std::size_t>(pp));
  const std::vector<std::uint16_t> order = model.layer_order();
  const auto all = static_cast<Count>(order.size());
  std::size_t next = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    Stage& stage = stages.at(s);
    stage.layers.assign(model.layers.size(), 0);
    stage.first = s == 0;
    stage.last = s + 1 == stages.size();
    const Count wanted = all / pp + (static_cast<Count>(s) < all % pp ? 1 : 0);
    for (Count i = 0; i < wanted; ++i) {
      stage.layers.at(order.at(next)) += 1;
      ++next;
    }
  }
  return stages;
}

/// Where a tensor outside the layers lives.
void place(const Tensor& tensor, const LocalTensor& local, Shard& shard) {
  switch (tensor.role) {
    case Role::Embedding:
      shard.embedding = local;
      break;
    case Role::LmHead:
      shard.lm_head = local;
      break;
    case Role::FinalNorm:
      shard.final_norm = local;
      break;
    case Role::PerLayerProjection:
      shard.per_layer_projection = local;
      shard.first_bytes += local.bytes;
      break;
    case Role::PerLayerEmbedding:
      shard.first_bytes += local.bytes;
      break;
    default:
      shard.last_bytes += local.bytes;
  }
}

/// Layers of a stage, and MTP layers on the last one, with how often each stands there.
template <class Visit>
void for_each_layer(const Shard& shard, const Stage& stage, bool with_mtp, Visit visit) {
  for (std::size_t i = 0; i < shard.layers.size(); ++i) {
    visit(shard.layers.at(i), static_cast<double>(stage.layers.at(i)));
  }
  if (stage.last && with_mtp) {
    for (const LayerShard& layer : shard.mtp) {
      visit(layer, static_cast<double>(layer.kind.count));
    }
  }
}

}  // namespace

Bytes Shard::weight_bytes(const Stage& stage, bool with_mtp) const {
  Bytes sum;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    sum += layers.at(i).weight_bytes * static_cast<double>(stage.layers.at(i));
  }
  if (stage.first) {
    sum += embedding.bytes + first_bytes;
  }
  if (stage.last) {
    sum += final_norm.bytes + last_bytes;
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
  for_each_layer(*this, stage, with_mtp, [&sum](const LayerShard& layer, double times) {
    sum += layer.cache.per_token() * times;
  });
  return sum;
}

Bytes Shard::sequence_bytes(const Stage& stage, double tokens, bool with_mtp) const {
  Bytes sum;
  const auto parts = static_cast<double>(layout.dcp);
  for_each_layer(*this, stage, with_mtp, [&](const LayerShard& layer, double times) {
    const LayerCache& cache = layer.cache;
    sum += ((cache.of_sequence(tokens) - cache.state) / parts + cache.state) * times;
  });
  return sum;
}

Bytes Shard::fixed_bytes(const Stage& stage, bool with_mtp) const {
  Bytes sum;
  const auto parts = static_cast<double>(layout.dcp);
  for_each_layer(*this, stage, with_mtp, [&](const LayerShard& layer, double times) {
    const LayerCache& cache = layer.cache;
    sum += ((cache.fixed() - cache.state) / parts + cache.state) * times;
  });
  return sum;
}

bool Shard::has_bounded_cache() const {
  return std::any_of(layers.begin(), layers.end(), [](const LayerShard& layer) {
    return layer.cache.bound > 0 || layer.cache.state.base() > 0;
  });
}

Shard make_shard(const ModelSpec& model, const Layout& layout, Format kv_format) {
  Shard shard;
  shard.layout = layout;
  shard.hidden = model.hidden;
  shard.vocabulary = model.vocabulary;
  shard.kv_format = kv_format;
  const CacheFormats formats{kv_format, model.state_format};
  for (const LayerKind& kind : model.layers) {
    shard.layers.push_back(shard_layer(kind, layer_tensors(kind, model.hidden), layout, formats));
  }
  for (const LayerKind& kind : model.mtp) {
    const std::vector<Tensor> tensors = mtp_tensors(model, kind);
    shard.mtp.push_back(shard_layer(kind, tensors, layout, formats));
    shard.mtp_projection = shard.mtp.back().at(Role::MtpProjection);
    shard.mtp_norms = shard.mtp.back().at(Role::MtpNorms);
  }
  for (const Tensor& tensor : outer_tensors(model)) {
    const LocalTensor local = localise(tensor, layout, 1, 1);
    place(tensor, local, shard);
  }
  shard.stages = make_stages(model, layout.pp);
  return shard;
}

}  // namespace fathom::model
