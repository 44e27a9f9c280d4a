#include "model/llm/tensor_list.h"

namespace fathom::model {

void add_tensors(const DenseMlp& f, TensorList& out) {
  const Count ups = f.gated ? 2 : 1;
  out.add(Role::DenseUp, f.width, out.hidden(), ups);
  out.add(Role::DenseDown, out.hidden(), f.width);
  if (f.bias) {
    out.add(Role::DenseBias, ups * f.width + out.hidden(), 1);
  }
}

namespace {

void add_router(const MoeMlp& f, TensorList& out) {
  out.add(Role::Router, f.experts + f.zero_experts, out.hidden());
  if (f.router_bias) {
    out.add(Role::RouterBias, f.experts + f.zero_experts, 1);
  }
  if (f.router_linear_bias) {
    out.add(Role::RouterLinearBias, f.experts + f.zero_experts, 1);
  }
  if (f.scales) {
    out.add(Role::RouterScale, out.hidden() + f.experts, 1);
  }
}

void add_shared(const MoeMlp& f, TensorList& out) {
  if (f.shared_width > 0) {
    out.add(Role::SharedUp, f.shared_width, out.hidden(), f.gated ? 2 : 1);
    out.add(Role::SharedDown, out.hidden(), f.shared_width);
  }
  if (f.shared_gate) {
    out.add(Role::SharedGate, 1, out.hidden());
  }
}

}  // namespace

void add_tensors(const MoeMlp& f, TensorList& out) {
  const Count ups = f.gated ? 2 : 1;
  const Count width = f.latent > 0 ? f.latent : out.hidden();
  add_router(f, out);
  out.add(Role::ExpertUp, f.width, width, ups * f.experts);
  out.add(Role::ExpertDown, width, f.width, f.experts);
  if (f.bias) {
    out.add(Role::ExpertBias, ups * f.width + width, 1, f.experts);
  }
  if (f.latent > 0) {
    out.add(Role::ExpertsIn, f.latent, out.hidden());
    out.add(Role::ExpertsOut, out.hidden(), f.latent);
  }
  if (f.latent_norm) {
    out.add(Role::ExpertsNorm, f.latent, 1);
  }
  add_shared(f, out);
  if (f.hash_tokens > 0) {
    out.add(Role::HashTable, f.hash_tokens, f.top_k);
  }
}

void add_tensors(const NoMlp& /*none*/, TensorList& /*out*/) {}

}  // namespace fathom::model
