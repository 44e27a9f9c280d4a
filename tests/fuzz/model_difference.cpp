#include "tests/fuzz/model_difference.h"

#include "model/llm/tensors.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace fathom::test {
namespace {

using model::LayerKind;
using model::ModelSpec;
using model::Tensor;

bool same_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Tensor& x = a[i];
    const Tensor& y = b[i];
    if (x.role != y.role || x.format != y.format || x.rows != y.rows || x.columns != y.columns ||
        x.count != y.count) {
      return false;
    }
  }
  return true;
}

bool same_shapes(const LayerKind& a, const LayerKind& b) {
  LayerKind x = a;
  x.formats = b.formats;
  return x == b;
}

std::string head_difference(const ModelSpec& a, const ModelSpec& b) {
  const bool mtp = !a.mtp.empty();  // else nothing is said of it
  const std::array<std::pair<const char*, bool>, 15> same{{
      {"id", a.id == b.id},
      {"hugging_face", a.hugging_face == b.hugging_face},
      {"hidden", a.hidden == b.hidden},
      {"vocabulary", a.vocabulary == b.vocabulary},
      {"max_context", a.max_context == b.max_context},
      {"tied_embeddings", a.tied_embeddings == b.tied_embeddings},
      {"lm_head_bias", a.lm_head_bias == b.lm_head_bias},
      {"per_layer_embedding", a.per_layer_embedding == b.per_layer_embedding},
      {"order", a.order == b.order},
      {"number of layer kinds", a.layers.size() == b.layers.size()},
      {"number of MTP layers", a.mtp.size() == b.mtp.size()},
      {"kv_format", a.kv_format == b.kv_format},
      {"state_format", a.state_format == b.state_format},
      {"mtp_shared_embedding", !mtp || a.mtp_shared_embedding == b.mtp_shared_embedding},
      {"mtp_in_checkpoint", !mtp || a.mtp_in_checkpoint == b.mtp_in_checkpoint},
  }};
  for (const auto& [name, is_same] : same) {
    if (!is_same) {
      return name;
    }
  }
  return "";
}

}  // namespace

std::string model_difference(const ModelSpec& a, const ModelSpec& b) {
  std::string head = head_difference(a, b);
  if (!head.empty()) {
    return head;
  }
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    std::string name = "layer kind " + std::to_string(i);
    if (!same_shapes(a.layers[i], b.layers[i])) {
      return name;
    }
    if (!same_tensors(layer_tensors(a.layers[i], a.hidden), layer_tensors(b.layers[i], b.hidden))) {
      return "tensors of " + name;
    }
  }
  for (std::size_t i = 0; i < a.mtp.size(); ++i) {
    if (!same_shapes(a.mtp[i], b.mtp[i])) {
      return "MTP layer";
    }
    if (!same_tensors(mtp_tensors(a, a.mtp[i]), mtp_tensors(b, b.mtp[i]))) {
      return "tensors of the MTP layer";
    }
  }
  return same_tensors(outer_tensors(a), outer_tensors(b)) ? "" : "tensors outside the layers";
}

}  // namespace fathom::test
