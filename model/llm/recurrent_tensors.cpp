#include "model/llm/tensor_list.h"

namespace fathom::model {

void add_tensors(const Mamba1& m, TensorList& out) {
  out.add(Role::StateIn, 2 * m.inner, out.hidden());
  out.add(Role::Conv, m.inner, m.conv + (m.conv_bias ? 1 : 0));
  out.add(Role::StateX, m.dt_rank + 2 * m.state, m.inner);
  out.add(Role::StateDt, m.inner, m.dt_rank);
  // Bias of the step size, A of inner x state, D.
  out.add(Role::StateVectors, m.inner, m.state + 2);
  out.add_whole(Role::StateNorm, m.dt_rank + 2 * m.state, 1);  // of step size, B and C
  out.add(Role::StateOut, out.hidden(), m.inner);
}

void add_tensors(const Mamba2& m, TensorList& out) {
  const Count inner = m.heads * m.head;
  const Count shared = 2 * m.groups * m.state;                // B and C
  out.add(Role::StateIn, 2 * inner + m.heads, out.hidden());  // z, x and the step sizes
  out.add(Role::StateGroups, shared, out.hidden());
  const Count taps = m.conv + (m.conv_bias ? 1 : 0);
  out.add(Role::Conv, inner, taps);
  out.add(Role::ConvGroups, shared, taps);
  out.add(Role::StateVectors, 3 * m.heads, 1);  // A, D, bias of the step size
  out.add(Role::StateNorm, inner, 1);
  out.add(Role::StateOut, out.hidden(), inner);
}

void add_tensors(const DeltaNet& m, TensorList& out) {
  const Count keys = m.key_heads * m.key_head;
  const Count values = m.value_heads * m.value_head;
  out.add(Role::StateIn, 2 * keys + values, out.hidden());     // q, k, v
  out.add(Role::GateUp, values, out.hidden());                 // z
  out.add(Role::StateSmall, 2 * m.value_heads, out.hidden());  // decay and step of each head
  out.add(Role::Conv, 2 * keys + values, m.conv);
  out.add(Role::StateVectors, 2 * m.value_heads, 1);
  out.add_whole(Role::StateNorm, m.value_head, 1);  // the same for each head
  out.add(Role::StateOut, out.hidden(), values);
}

void add_tensors(const KeyedDelta& m, TensorList& out) {
  const Count inner = m.heads * m.head;
  out.add(Role::StateIn, 3 * inner, out.hidden());  // q, k, v
  out.add(Role::Conv, 3 * inner, m.conv);
  out.add(Role::DecayDown, m.decay_rank, out.hidden());
  out.add(Role::DecayUp, inner, m.decay_rank);
  out.add(Role::StateSmall, m.heads, out.hidden());  // step of each head
  if (m.gate_rank > 0) {
    out.add(Role::GateDown, m.gate_rank, out.hidden());
    out.add(Role::GateUp, inner, m.gate_rank);
  } else {
    out.add(Role::GateUp, inner, out.hidden());
  }
  out.add(Role::StateVectors, m.heads + inner, 1);
  out.add_whole(Role::StateNorm, m.head, 1);
  out.add(Role::StateOut, out.hidden(), inner);
}

void add_tensors(const LightningAttention& m, TensorList& out) {
  const Count inner = m.heads * m.head;
  out.add(Role::StateIn, 3 * inner, out.hidden());
  out.add(Role::GateUp, inner, out.hidden());
  out.add(Role::StateNorm, inner, 1);
  out.add(Role::StateOut, out.hidden(), inner);
}

void add_tensors(const NoAttention& /*none*/, TensorList& /*out*/) {}

}  // namespace fathom::model
