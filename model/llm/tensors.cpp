#include "model/llm/tensors.h"

#include "hardware/base/numeric_format.h"
#include "model/llm/tensor_list.h"

namespace fathom::model {
namespace {

/// Two hyper-connections a layer, around attention and FFN: each maps the h streams of `hidden`
/// to 2h + h^2 mixing weights, with as many biases and three scales.
void add_hyper(const LayerKind& layer, TensorList& out) {
  const Count h = layer.hyper_streams;
  if (h > 0) {
    const Count mixes = 2 * h + h * h;
    out.add(Role::HyperMix, mixes, h * out.hidden(), 2);
    out.add(Role::HyperBias, mixes + 3, 1, 2);
  }
}

/// The head that sums the streams into one: a weight of h x (h * hidden), h biases and a scale.
Count hyper_head(Count streams, Count hidden) { return streams * streams * hidden + streams + 1; }

/// A layer's own embedding enters through a gate and a projection back (and one more norm).
void add_per_layer(const LayerKind& layer, TensorList& out) {
  if (layer.per_layer_width > 0) {
    out.add(Role::PerLayerGate, layer.per_layer_width, out.hidden());
    out.add(Role::PerLayerUp, out.hidden(), layer.per_layer_width);
  }
}

}  // namespace

Count Tensor::parameters() const {
  return role_facts(role).source == FormatSource::Index ? 0 : rows * columns * count;
}

Bytes Tensor::bytes() const { return hardware::stored_bytes(format, rows, columns, count); }

std::vector<Tensor> layer_tensors(const LayerKind& layer, Count hidden) {
  TensorList out(layer.formats, hidden);
  if (layer.norms > 0) {
    out.add(Role::Norms, layer.norms * (layer.norm_bias ? 2 : 1), hidden);
  }
  std::visit([&out](const auto& attention) { add_tensors(attention, out); }, layer.attention);
  std::visit([&out](const auto& mlp) { add_tensors(mlp, out); }, layer.mlp);
  if (layer.scalar) {
    out.add(Role::LayerScalar, 1, 1);
  }
  add_per_layer(layer, out);
  add_hyper(layer, out);
  return out.take();
}

std::vector<Tensor> outer_tensors(const ModelSpec& model) {
  const Count hidden = model.hidden;
  TensorList out(model.formats, hidden);
  out.add(Role::Embedding, model.vocabulary, hidden);
  if (!model.tied_embeddings) {
    out.add(Role::LmHead, model.vocabulary, hidden);
  }
  if (model.lm_head_bias) {
    out.add(Role::LmHeadBias, model.vocabulary, 1);
  }
  const bool bias = !model.layers.empty() && model.layers.front().norm_bias;
  Count final_norm = bias ? 2 * hidden : hidden;
  if (model.per_layer_embedding) {
    const PerLayerEmbedding& own = *model.per_layer_embedding;
    const Count width = model.layer_count() * own.width;
    out.add(Role::PerLayerEmbedding, own.vocabulary, width);
    out.add(Role::PerLayerProjection, width, hidden);
    final_norm += own.width;  // the norm of the projection
  }
  out.add(Role::FinalNorm, final_norm, 1);
  const Count streams = model.layers.empty() ? 0 : model.layers.front().hyper_streams;
  if (streams > 0) {
    out.add(Role::HyperHead, hyper_head(streams, hidden), 1);
  }
  return out.take();
}

std::vector<Tensor> mtp_tensors(const ModelSpec& model, const LayerKind& layer) {
  std::vector<Tensor> all = layer_tensors(layer, model.hidden);
  TensorList out(layer.formats, model.hidden);
  out.add(Role::MtpProjection, model.hidden, 2 * model.hidden);
  out.add(Role::MtpNorms, 3, model.hidden);
  if (!model.mtp_shared_embedding) {
    out.add(Role::Embedding, model.vocabulary, model.hidden, 2);
  }
  if (layer.hyper_streams > 0) {
    out.add(Role::HyperHead, hyper_head(layer.hyper_streams, model.hidden), 1);
  }
  const std::vector<Tensor> more = out.take();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace fathom::model
