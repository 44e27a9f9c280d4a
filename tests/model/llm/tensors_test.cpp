#include "model/llm/tensors.h"

#include "tests/support/small_models.h"
#include "tests/support/specs.h"

#include <set>

namespace fathom::model {
namespace {

/// Small enough for the int that a sum of literals is.
int parameters(const std::vector<Tensor>& tensors, Group group) {
  Count sum = 0;
  for (const Tensor& tensor : tensors) {
    sum += tensor.group == group ? tensor.parameters() : 0;
  }
  return static_cast<int>(sum);
}

LayerKind small_layer() { return test::small_dense_model().layers.front(); }

TEST_CASE("grouped attention holds h(Hq + 2 Hkv)d + Hq d h parameters") {
  const auto tensors = layer_tensors(small_layer(), 8);
  CHECK(parameters(tensors, Group::Attention) == 8 * (4 + 2 * 2) * 4 + 4 * 4 * 8);
  CHECK(parameters(tensors, Group::DenseFfn) == 3 * 8 * 16);
  CHECK(parameters(tensors, Group::Norm) == 2 * 8);
}

TEST_CASE("biases and head norms add their vectors") {
  LayerKind layer = small_layer();
  auto& a = std::get<GroupedAttention>(layer.attention);
  const int plain = parameters(layer_tensors(layer, 8), Group::Attention);
  a.qkv_bias = true;
  CHECK(parameters(layer_tensors(layer, 8), Group::Attention) == plain + (4 + 2 * 2) * 4);
  a.output_bias = true;
  CHECK(parameters(layer_tensors(layer, 8), Group::Attention) == plain + 8 * 4 + 8);
  a.qk_norm = GroupedAttention::QkNorm::Head;
  CHECK(parameters(layer_tensors(layer, 8), Group::Norm) == 2 * 8 + 2 * 4);
  a.qk_norm = GroupedAttention::QkNorm::Full;
  CHECK(parameters(layer_tensors(layer, 8), Group::Norm) == 2 * 8 + (4 + 2) * 4);
}

TEST_CASE("values may be narrower than keys") {
  LayerKind layer = small_layer();
  std::get<GroupedAttention>(layer.attention).value_head = 2;
  // q 4x4, k 2x4, v 2x2, output 4x2, each times 8
  CHECK(parameters(layer_tensors(layer, 8), Group::Attention) == 8 * (16 + 8 + 4 + 8));
}

TEST_CASE("latent attention with an indexer holds the parameters of its equation") {
  const LayerKind layer = test::small_latent_model().layers.front();
  const auto tensors = layer_tensors(layer, 8);
  const int mla = 8 * 8 + 8 * 4 * (2 + 2) + 8 * (4 + 2) + 4 * 4 * (2 + 4) + 4 * 4 * 8;
  CHECK(parameters(tensors, Group::Attention) == mla);
  const int indexer = 8 * 2 * 4 + 8 * 4 + 8 * 2;
  const int norms = 2 * 8 + 8 + 4 + 2 * 4;  // layer, query rank, latent rank, index key
  CHECK(parameters(tensors, Group::Indexer) + parameters(tensors, Group::Norm) == indexer + norms);
}

TEST_CASE("a query without a low rank is projected directly") {
  LayerKind layer = test::small_latent_model().layers.front();
  auto& a = std::get<LatentAttention>(layer.attention);
  a.indexer.reset();
  a.query_rank = 0;
  CHECK(parameters(layer_tensors(layer, 8), Group::Attention) ==
        8 * 4 * (2 + 2) + 8 * (4 + 2) + 4 * 4 * (2 + 4) + 4 * 4 * 8);
}

TEST_CASE("experts, router, bias, shared expert and its gate are counted each") {
  LayerKind layer = small_layer();
  layer.mlp = MoeMlp{.experts = 4,
                     .top_k = 2,
                     .width = 6,
                     .shared_width = 5,
                     .router_bias = true,
                     .shared_gate = true};
  const auto tensors = layer_tensors(layer, 8);
  CHECK(parameters(tensors, Group::RoutedExperts) == 4 * 3 * 8 * 6);
  CHECK(parameters(tensors, Group::Router) == 4 * 8 + 4);
  CHECK(parameters(tensors, Group::SharedExperts) == 3 * 8 * 5 + 8);
}

TEST_CASE("a feed-forward part without a gate has two matrices") {
  LayerKind layer = small_layer();
  layer.mlp = DenseMlp{.width = 16, .gated = false};
  CHECK(parameters(layer_tensors(layer, 8), Group::DenseFfn) == 2 * 8 * 16);
  layer.mlp = MoeMlp{.experts = 4, .top_k = 2, .width = 6, .gated = false};
  CHECK(parameters(layer_tensors(layer, 8), Group::RoutedExperts) == 4 * 2 * 8 * 6);
}

TEST_CASE("a layer has each role at most once") {
  for (const ModelSpec& model : {test::small_dense_model(), test::small_moe_model(),
                                 test::small_latent_model(), test::model_config("glm-5-nvfp4")}) {
    for (const LayerKind& layer : model.layers) {
      std::set<Role> seen;
      for (const Tensor& tensor : layer_tensors(layer, model.hidden)) {
        CHECK(seen.insert(tensor.role).second);
      }
    }
  }
}

TEST_CASE("a tied model has no lm_head") {
  ModelSpec model = test::small_dense_model();
  CHECK(parameters(outer_tensors(model), Group::LmHead) == 32 * 8);
  model.tied_embeddings = true;
  CHECK(parameters(outer_tensors(model), Group::LmHead) == 0);
  CHECK(parameters(outer_tensors(model), Group::Embedding) == 32 * 8);
}

TEST_CASE("a layer of multi-token prediction adds a projection, three norms and its copies") {
  ModelSpec model = test::small_dense_model();
  const auto sum = [&] {
    Count all = 0;
    for (const Tensor& tensor : mtp_tensors(model, model.layers.front())) {
      all += tensor.parameters();
    }
    return static_cast<int>(all);
  };
  int layer = 0;
  for (const Tensor& tensor : layer_tensors(model.layers.front(), 8)) {
    layer += static_cast<int>(tensor.parameters());
  }
  CHECK(sum() == layer + 2 * 8 * 8 + 3 * 8);
  model.mtp_shared_embedding = false;
  CHECK(sum() == layer + 2 * 8 * 8 + 3 * 8 + 2 * 32 * 8);
}

}  // namespace
}  // namespace fathom::model
