#include "model/llm/parameter_count.h"

#include "model/llm/tensors.h"

#include <algorithm>

namespace fathom::model {
namespace {

/// The engines' row of a sparse latent cache in FP8 has one FP32 scale per 128 latent elements and
/// keeps the rope part in BF16; an index key has one FP32 scale.
constexpr Count kLatentScaleBlock = 128;
constexpr double kScaleBytes = 4;
constexpr double kRopeBytes = 2;

void add(GroupCensus& group, const Tensor& tensor, Count layers) {
  const Bytes bytes = tensor.bytes() * static_cast<double>(layers);
  group.parameters += tensor.parameters() * layers;
  group.bytes += bytes;
  group.bytes_by_format.at(static_cast<std::size_t>(tensor.format)) += bytes;
}

/// Parameters of one layer that one token does not touch: the experts that were not drawn.
Count idle_parameters(const LayerKind& layer, Count hidden) {
  const auto* moe = std::get_if<MoeMlp>(&layer.mlp);
  if (moe == nullptr) {
    return 0;
  }
  const Count matrices = moe->gated ? 3 : 2;
  return (moe->experts - moe->top_k) * matrices * moe->width * hidden;
}

GroupCensus& group_of(Census& census, Group group) {
  return census.groups.at(static_cast<std::size_t>(group));
}

}  // namespace

Census take_census(const ModelSpec& model) {
  Census census;
  Count idle = 0;
  for (const Tensor& tensor : outer_tensors(model)) {
    add(group_of(census, tensor.group), tensor, 1);
  }
  for (const LayerKind& layer : model.layers) {
    for (const Tensor& tensor : layer_tensors(layer, model.hidden)) {
      add(group_of(census, tensor.group), tensor, layer.count);
    }
    idle += layer.count * idle_parameters(layer, model.hidden);
  }
  for (const GroupCensus& group : census.groups) {
    census.total += group.parameters;
    census.weight_bytes += group.bytes;
  }
  for (const LayerKind& layer : model.mtp) {
    for (const Tensor& tensor : mtp_tensors(model, layer)) {
      add(group_of(census, Group::Mtp), tensor, layer.count);
    }
  }
  census.mtp = group_of(census, Group::Mtp).parameters;
  census.mtp_bytes = group_of(census, Group::Mtp).bytes;
  const Count table = model.vocabulary * model.hidden;
  census.active_all = census.total - idle;
  // A tied table is read as the head, so it stays in the middle convention.
  census.active_no_input_embedding = census.active_all - (model.tied_embeddings ? 0 : table);
  census.active_no_embeddings = census.active_all - (model.tied_embeddings ? table : 2 * table);
  return census;
}

double rough_parameters(const ModelSpec& model) {
  double sum = 0;
  const auto add_all = [&sum](const std::vector<Tensor>& tensors, Count layers) {
    for (const Tensor& t : tensors) {
      sum += static_cast<double>(t.rows) * static_cast<double>(t.columns) *
             static_cast<double>(t.count) * static_cast<double>(layers);
    }
  };
  add_all(outer_tensors(model), 1);
  for (const LayerKind& layer : model.layers) {
    add_all(layer_tensors(layer, model.hidden), layer.count);
  }
  for (const LayerKind& layer : model.mtp) {
    add_all(mtp_tensors(model, layer), layer.count);
  }
  return sum;
}

Count kv_heads_on_rank(const Attention& attention, Count tp) {
  const auto* grouped = std::get_if<GroupedAttention>(&attention);
  return grouped == nullptr ? 1 : std::max<Count>(1, grouped->kv_heads / tp);
}

KvRow kv_row(const Attention& attention, Format kv_format, Count kv_heads) {
  const double element = hardware::numeric_format(kv_format).payload_bits / 8.0;
  KvRow row;
  if (const auto* grouped = std::get_if<GroupedAttention>(&attention)) {
    row.cache =
        Bytes(static_cast<double>(kv_heads * (grouped->head + grouped->value_head)) * element);
    return row;
  }
  const auto& latent = std::get<LatentAttention>(attention);
  const auto rank = static_cast<double>(latent.latent_rank);
  const auto rope = static_cast<double>(latent.rope_head);
  row.cache = Bytes((rank + rope) * element);
  if (latent.indexer) {
    if (element < kRopeBytes) {
      row.cache =
          Bytes(rank * element + rank / static_cast<double>(kLatentScaleBlock) * kScaleBytes +
                rope * kRopeBytes);
    }
    row.index = Bytes(static_cast<double>(latent.indexer->head) + kScaleBytes);
  }
  return row;
}

KvRow kv_bytes_per_token(const ModelSpec& model, Format kv_format) {
  KvRow sum;
  for (const LayerKind& layer : model.layers) {
    const KvRow row = kv_row(layer.attention, kv_format, kv_heads_on_rank(layer.attention, 1));
    sum.cache += row.cache * static_cast<double>(layer.count);
    sum.index += row.index * static_cast<double>(layer.count);
  }
  return sum;
}

}  // namespace fathom::model
