#include "model/llm/gguf_layer.h"

#include <algorithm>

namespace fathom::model {
namespace {

/// Tensors that the forms of state space share; those that a form lacks are not there.
void take_common(GgufBlock& b) {
  b.take("ssm_conv1d", Role::Conv);
  b.take("ssm_a", Role::StateVectors);
  b.take("ssm_d", Role::StateVectors);
  b.take("ssm_dt.bias", Role::StateVectors);
  b.take("ssm_norm", Role::StateNorm);
  b.take("ssm_out", Role::StateOut);
}

Attention build_mamba1(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  GgufBlock& b = *layer.block;
  Mamba1 m;
  m.inner = f.need("ssm.inner_size");
  m.state = f.need("ssm.state_size");
  m.conv = f.need("ssm.conv_kernel");
  m.dt_rank = f.need("ssm.time_step_rank");
  b.take("ssm_in", Role::StateIn);
  b.take("ssm_x", Role::StateX);
  m.conv_bias = b.take("ssm_conv1d.bias", Role::Conv);
  b.take("ssm_dt", Role::StateDt);
  for (const char* norm : {"ssm_dt_norm", "ssm_b_norm", "ssm_c_norm"}) {
    b.take(norm, Role::StateNorm);
  }
  take_common(b);
  return m;
}

Attention build_mamba2(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  GgufBlock& b = *layer.block;
  Mamba2 m;
  m.heads = f.need("ssm.time_step_rank");
  m.head = std::max<Count>(1, f.need("ssm.inner_size") / m.heads);
  m.groups = f.need("ssm.group_count");
  m.state = f.need("ssm.state_size");
  m.conv = f.need("ssm.conv_kernel");
  b.take("ssm_in", {Role::StateIn, Role::StateGroups});
  b.take("ssm_conv1d", {Role::Conv, Role::ConvGroups});
  m.conv_bias = b.take("ssm_conv1d.bias", {Role::Conv, Role::ConvGroups});
  take_common(b);
  return m;
}

/// Older files keep queries, keys, values and gate in `ssm_in`, newer ones apart.
Attention build_delta(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  GgufBlock& b = *layer.block;
  DeltaNet m;
  m.key_heads = f.need("ssm.group_count");
  m.key_head = f.need("ssm.state_size");
  m.value_heads = f.need("ssm.time_step_rank");
  m.value_head = std::max<Count>(1, f.need("ssm.inner_size") / m.value_heads);
  m.conv = f.need("ssm.conv_kernel");
  b.take("ssm_in", {Role::StateIn, Role::GateUp});
  b.take("attn_qkv", Role::StateIn);
  b.take("attn_gate", Role::GateUp);
  for (const char* small : {"ssm_ba", "ssm_beta_alpha", "ssm_beta", "ssm_alpha"}) {
    b.take(small, Role::StateSmall);
  }
  b.take("ssm_dt", Role::StateVectors);
  take_common(b);
  return m;
}

/// Kimi: a decay for each key channel.
Attention build_keyed_delta(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  GgufBlock& b = *layer.block;
  KeyedDelta m;
  m.heads = f.need_at("attention.head_count", layer.index);
  m.head = f.need("kda.head_dim");
  m.conv = f.need("ssm.conv_kernel");
  m.decay_rank = b.rows("ssm_f_a");
  m.gate_rank = b.has("ssm_g_a") ? b.rows("ssm_g_a") : 0;
  for (const char* input : {"attn_q", "attn_k", "attn_v"}) {
    b.take(input, Role::StateIn);
  }
  for (const char* conv : {"ssm_conv1d_q", "ssm_conv1d_k", "ssm_conv1d_v"}) {
    b.take(conv, Role::Conv);
  }
  b.take("ssm_f_a", Role::DecayDown);
  b.take("ssm_f_b", Role::DecayUp);
  b.take("ssm_beta", Role::StateSmall);
  b.take("ssm_g_a", Role::GateDown);
  b.take("ssm_g_b", Role::GateUp);
  b.take("attn_gate", Role::GateUp);
  b.take("attn_output", Role::StateOut);
  take_common(b);
  return m;
}

}  // namespace

Attention build_gguf_recurrent(const GgufLayer& layer) {
  const GgufBlock& b = *layer.block;
  if (b.has("ssm_conv1d_q")) {
    return build_keyed_delta(layer);
  }
  if (b.has("ssm_ba") || b.has("ssm_beta_alpha") || b.has("ssm_beta")) {
    return build_delta(layer);
  }
  return b.has("ssm_x") ? build_mamba1(layer) : build_mamba2(layer);
}

}  // namespace fathom::model
