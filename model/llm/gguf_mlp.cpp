#include "model/llm/gguf_layer.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {
namespace {

/// Roles of a dense FFN or of one that stands beside experts.
struct FfnRoles {
  Role up = Role::DenseUp;
  Role down = Role::DenseDown;
};

/// `ffn_up` may hold the gate too: then it has twice the rows that `ffn_down` has columns.
bool take_dense(GgufBlock& b, const FfnRoles& roles) {
  const bool fused = b.rows("ffn_up") == 2 * b.columns("ffn_down");
  const bool gate = b.take("ffn_gate", roles.up);
  b.take("ffn_up", roles.up);
  b.take("ffn_down", roles.down);
  return gate || fused;
}

Mlp build_dense(GgufBlock& b) {
  DenseMlp f;
  f.width = b.columns("ffn_down");
  f.gated = take_dense(b, {});
  for (const char* bias : {"ffn_gate.bias", "ffn_up.bias", "ffn_down.bias"}) {
    f.bias = b.take(bias, Role::DenseBias) || f.bias;
  }
  return f;
}

/// Files of 2023 hold one tensor for each expert: `ffn_up.7.weight`.
void take_single_experts(GgufBlock& b, MoeMlp& f) {
  f.width = b.columns("ffn_down.0");
  f.gated = b.take_all("ffn_gate.", Role::ExpertUp) > 0;
  b.take_all("ffn_up.", Role::ExpertUp);
  f.experts = std::max<Count>(1, b.take_all("ffn_down.", Role::ExpertDown));
}

void take_experts(GgufBlock& b, MoeMlp& f) {
  f.experts = b.matrices("ffn_down_exps");
  f.width = b.columns("ffn_down_exps");
  const bool fused = b.take("ffn_gate_up_exps", Role::ExpertUp);
  f.gated = b.take("ffn_gate_exps", Role::ExpertUp) || fused;
  b.take("ffn_up_exps", Role::ExpertUp);
  b.take("ffn_down_exps", Role::ExpertDown);
  for (const char* bias :
       {"ffn_gate_exps.bias", "ffn_up_exps.bias", "ffn_gate_up_exps.bias", "ffn_down_exps.bias"}) {
    f.bias = b.take(bias, Role::ExpertBias) || f.bias;
  }
}

void take_router(const GgufLayer& layer, MoeMlp& f) {
  GgufBlock& b = *layer.block;
  if (b.elements("ffn_gate_inp.scale") == layer.hidden && b.has("ffn_gate_inp.scale")) {
    f.scales = b.take("ffn_gate_inp.scale", Role::RouterScale);
    b.take("ffn_down_exps.scale", Role::RouterScale);
  }
  b.take("ffn_gate_inp", Role::Router);
  f.router_linear_bias = b.take("ffn_gate_inp.bias", Role::RouterLinearBias);
  f.router_bias =
      b.take("exp_probs_b.bias", Role::RouterBias) || b.take("exp_probs_b", Role::RouterBias);
}

/// What every token takes beside its experts: shared experts, or a dense FFN.
void take_shared(GgufBlock& b, MoeMlp& f) {
  if (b.has("ffn_up_shexp")) {
    f.shared_width = b.columns("ffn_down_shexp");
    b.take("ffn_gate_shexp", Role::SharedUp);
    b.take("ffn_up_shexp", Role::SharedUp);
    b.take("ffn_down_shexp", Role::SharedDown);
  } else if (b.has("ffn_up")) {
    f.shared_width = b.columns("ffn_down");
    take_dense(b, {Role::SharedUp, Role::SharedDown});
  }
  f.shared_gate = b.take("ffn_gate_inp_shexp", Role::SharedGate);
}

Mlp build_moe(const GgufLayer& layer) {
  GgufBlock& b = *layer.block;
  MoeMlp f;
  take_router(layer, f);
  if (b.has("ffn_down_exps")) {
    take_experts(b, f);
  } else {
    take_single_experts(b, f);
  }
  if (b.has("ffn_latent_down")) {
    f.latent = b.rows("ffn_latent_down");
    b.take("ffn_latent_down", Role::ExpertsIn);
    b.take("ffn_latent_up", Role::ExpertsOut);
    f.latent_norm = b.take("ffn_latent_norm", Role::ExpertsNorm);
  }
  take_shared(b, f);
  f.top_k = layer.fields->need_at("expert_used_count", layer.index);
  if (f.top_k > f.experts) {
    layer.fields->error(
        fmt::format("{} of {} experts are used in layer {}", f.top_k, f.experts, layer.index));
    f.top_k = f.experts;
  }
  return f;
}

}  // namespace

Mlp build_gguf_mlp(const GgufLayer& layer) {
  GgufBlock& b = *layer.block;
  if (b.has("ffn_down_exps") || b.has("ffn_down.0")) {
    return build_moe(layer);
  }
  if (b.has("ffn_down")) {
    return build_dense(b);
  }
  return NoMlp{};
}

}  // namespace fathom::model
