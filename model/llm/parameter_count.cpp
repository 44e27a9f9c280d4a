#include "model/llm/parameter_count.h"

#include "model/llm/tensors.h"

#include <algorithm>

namespace fathom::model {
namespace {

void add(GroupCensus& group, const Tensor& tensor, Count layers) {
  const Bytes bytes = tensor.bytes() * static_cast<double>(layers);
  group.parameters += tensor.parameters() * layers;
  group.bytes += bytes;
  group.bytes_by_format.at(static_cast<std::size_t>(tensor.format)) += bytes;
}

/// Parameters of one layer that one token does not touch: the experts that were not drawn, their
/// biases included. Every pick counts as a real expert, as makers count; where some choices cost
/// nothing a token meets fewer on average (MoeMlp::mean_picks), which time and bytes use.
Count idle_parameters(const LayerKind& layer, const std::vector<Tensor>& tensors) {
  const auto* moe = std::get_if<MoeMlp>(&layer.mlp);
  if (moe == nullptr) {
    return 0;
  }
  Count all = 0;
  for (const Tensor& tensor : tensors) {
    all += tensor.group == Group::RoutedExperts ? tensor.parameters() : 0;
  }
  const Count drawn = std::min(moe->top_k, moe->experts);
  return all / moe->experts * (moe->experts - drawn);
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
    const std::vector<Tensor> tensors = layer_tensors(layer, model.hidden);
    for (const Tensor& tensor : tensors) {
      add(group_of(census, tensor.group), tensor, layer.count);
    }
    idle += layer.count * idle_parameters(layer, tensors);
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

namespace {

/// Sum over the layers of what `amount` says of each layer's cache.
template <class Amount>
Bytes over_layers(const ModelSpec& model, Format kv_format, Amount amount) {
  Bytes sum;
  for (const LayerKind& layer : model.layers) {
    const LayerCache cache = layer_cache(layer.attention, {kv_format, model.state_format},
                                         all_kv_heads(layer.attention), 1);
    sum += amount(cache) * static_cast<double>(layer.count);
  }
  return sum;
}

}  // namespace

KvRow kv_bytes_per_token(const ModelSpec& model, Format kv_format) {
  KvRow sum;
  sum.index = over_layers(model, kv_format, [](const LayerCache& c) { return c.index; });
  sum.cache =
      over_layers(model, kv_format, [](const LayerCache& c) { return c.per_token() - c.index; });
  return sum;
}

Bytes kv_bytes_beyond_windows(const ModelSpec& model, Format kv_format) {
  return over_layers(model, kv_format, [](const LayerCache& c) { return c.beyond_bound(); });
}

Bytes cache_of_sequence(const ModelSpec& model, Format kv_format, double tokens) {
  return over_layers(model, kv_format,
                     [tokens](const LayerCache& c) { return c.of_sequence(tokens); });
}

Bytes state_bytes_per_sequence(const ModelSpec& model) {
  return over_layers(model, model.kv_format, [](const LayerCache& c) { return c.state; });
}

Bytes ring_bytes_per_sequence(const ModelSpec& model, Format kv_format) {
  return over_layers(model, kv_format, [](const LayerCache& c) { return c.fixed() - c.state; });
}

}  // namespace fathom::model
