#include "model/llm/model_spec.h"

namespace fathom::model {

Count ModelSpec::layer_count() const {
  Count sum = 0;
  for (const LayerKind& layer : layers) {
    sum += layer.count;
  }
  return sum;
}

bool ModelSpec::is_moe() const {
  for (const LayerKind& layer : layers) {
    if (std::holds_alternative<MoeMlp>(layer.mlp)) {
      return true;
    }
  }
  return false;
}

std::vector<std::uint16_t> ModelSpec::layer_order() const {
  if (!order.empty()) {
    return order;
  }
  std::vector<std::uint16_t> out;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    out.insert(out.end(), static_cast<std::size_t>(layers.at(i).count),
               static_cast<std::uint16_t>(i));
  }
  return out;
}

}  // namespace fathom::model
