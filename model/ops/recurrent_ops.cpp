#include "model/ops/family_ops.h"

namespace fathom::model {

using hardware::Bytes;
using hardware::Collective;
using hardware::Flop;
using hardware::KernelClass;
using hardware::Work;

namespace {

/// Tokens of one chunk of a prefill scan; the state is read and written once a chunk.
/// Source: Mamba-2 uses 128 to 256, gated delta kernels 64 (docs/physics.md section 3).
constexpr double kMambaChunk = 128;
constexpr double kDeltaChunk = 64;

/// What one token costs in the state update of one layer, whole model: FLOP in a decode step and
/// in a chunked prefill.
struct StateFlop {
  double decode = 0;
  double prefill = 0;
  double chunk = kMambaChunk;
};

StateFlop state_flop(const Mamba1& m) {
  const double state = number(m.inner) * number(m.state);
  return {6 * state, 6 * state, kMambaChunk};  // a scan: no GEMM form in prefill
}

StateFlop state_flop(const Mamba2& m) {
  const double inner = number(m.heads * m.head);
  const double state = inner * number(m.state);
  const double inside = kMambaChunk * (number(m.groups * m.state) + inner);
  return {6 * state, inside + 4 * state, kMambaChunk};
}

StateFlop state_flop(const DeltaNet& m) {
  const double heads = number(m.value_heads);
  const double dk = number(m.key_head);
  const double dv = number(m.value_head);
  const double inside = 2 * kDeltaChunk * (2 * dk + 2 * dv) + kDeltaChunk * (dk + dv);
  return {7 * heads * dk * dv, heads * (inside + 6 * dk * dv), kDeltaChunk};
}

StateFlop state_flop(const KeyedDelta& m) {
  const double heads = number(m.heads);
  const double d = number(m.head);
  return {7 * heads * d * d, heads * (10 * kDeltaChunk * d + 6 * d * d), kDeltaChunk};
}

StateFlop state_flop(const LightningAttention& m) {
  const double heads = number(m.heads);
  const double d = number(m.head);
  return {4 * heads * d * d, heads * (2 * kMambaChunk * d + 4 * d * d), kMambaChunk};
}

/// The state is read and written once a step in decode, once a chunk in prefill.
Work state_update(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                  const StateFlop& flop) {
  const bool decode = shape.phase == Phase::Decode;
  const double touches = decode ? shape.new_tokens : std::ceil(shape.new_tokens / flop.chunk);
  const double one =
      (decode ? flop.decode : flop.prefill) / number(context.shard->layout.attention_tp);
  Work work;
  work.kernel_class = KernelClass::Attention;
  work.format = Format::Bf16;  // the state is FP32; its arithmetic runs beside the memory
  work.kernels = 2;            // convolution, update
  work.flop = Flop(shape.tokens() * one);
  work.cache_bytes = layer.cache.state * (2 * shape.sequences * touches);
  work.activation_bytes =
      Bytes(2 * shape.tokens() * number(layer.at(Role::StateIn).rows) * kActivationBytes);
  return work;
}

/// An output gate that reads the hidden state itself is one more output of the first projection.
bool has_full_gate(const LayerShard& layer) {
  return layer.at(Role::GateUp).count > 0 && layer.at(Role::GateDown).count == 0;
}

/// Everything that a token is projected to, in one kernel where the engine fuses it.
Work projections(const OpsContext& context, const LayerShard& layer, double tokens) {
  Work work = gemm(context, layer.at(Role::StateIn), tokens);
  for (const Role role : {Role::StateGroups, Role::StateSmall, Role::DecayDown, Role::GateDown}) {
    if (layer.at(role).count > 0) {
      fuse(work, layer.at(role), tokens);
    }
  }
  if (has_full_gate(layer)) {
    fuse(work, layer.at(Role::GateUp), tokens);
  }
  return work;
}

/// Second halves of low-rank projections, and what follows the convolution (Mamba-1).
void second_projections(const OpsContext& context, const LayerShard& layer, double tokens,
                        OperatorList& list) {
  for (const Role role : {Role::DecayUp, Role::GateUp, Role::StateX, Role::StateDt}) {
    const bool done = role == Role::GateUp && has_full_gate(layer);
    if (layer.at(role).count > 0 && !done) {
      list.add(OperatorKind::StateProjection, gemm(context, layer.at(role), tokens));
    }
  }
  const Count tp = context.shard->layout.attention_tp;
  if (tp > 1 && layer.at(Role::StateX).count > 0) {
    // Each rank has a part of the channels: step size, B and C are sums over the ranks.
    list.add(OperatorKind::AttentionReduce,
             message(Collective::AllReduce, tp,
                     tokens * number(layer.at(Role::StateX).rows) * kActivationBytes));
  }
}

}  // namespace

void recurrent_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                   OperatorList& list) {
  const double tokens = shape.tokens();
  const double hidden = number(context.shard->hidden);
  list.add(OperatorKind::StateIn, projections(context, layer, tokens));
  second_projections(context, layer, tokens, list);
  const double quantised = quantises(context, layer.at(Role::StateIn).format) ? 2 : 0;
  list.add(OperatorKind::AttentionSmall,
           small(context.kernels.attention_small + quantised * context.kernels.quantise,
                 tokens * hidden * (context.kernels.attention_passes + quantised)));
  const StateFlop flop = std::visit(
      [](const auto& mixer) -> StateFlop {
        if constexpr (requires { state_flop(mixer); }) {
          return state_flop(mixer);
        } else {
          return {};
        }
      },
      layer.kind.attention);
  list.add(OperatorKind::StateUpdate, state_update(context, layer, shape, flop));
  list.add(OperatorKind::OutputProjection, gemm(context, layer.at(Role::StateOut), tokens));
  attention_reduce(context, layer, tokens, list);
}

}  // namespace fathom::model
