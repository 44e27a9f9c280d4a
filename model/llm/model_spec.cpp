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

std::string group_name(Group group) {
  switch (group) {
    case Group::Embedding:
      return "embedding";
    case Group::Attention:
      return "attention";
    case Group::Indexer:
      return "indexer";
    case Group::Router:
      return "router";
    case Group::RoutedExperts:
      return "routed_experts";
    case Group::SharedExperts:
      return "shared_experts";
    case Group::DenseFfn:
      return "dense_ffn";
    case Group::Norm:
      return "norm";
    case Group::LmHead:
      return "lm_head";
    case Group::Mtp:
      return "mtp";
  }
  return {};
}

}  // namespace fathom::model
