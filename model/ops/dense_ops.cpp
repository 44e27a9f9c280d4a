#include "model/ops/family_ops.h"

namespace fathom::model {

using hardware::Collective;

void dense_ffn_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                   OperatorList& list) {
  const Shard& shard = *context.shard;
  const double tokens = shape.tokens();
  const double hidden = number(shard.hidden);
  const LocalTensor& up = layer.at(Role::DenseUp);
  const double quantised = quantises(context, up.format) ? 2 : 0;

  list.add(OperatorKind::DenseUp, gemm(context, up, tokens));
  list.add(OperatorKind::DenseSmall,
           small(context.kernels.dense_small + quantised * context.kernels.quantise,
                 tokens * (hidden * (context.kernels.dense_passes + quantised) +
                           number(up.rows) * context.kernels.ffn_width_passes)));
  list.add(OperatorKind::DenseDown, gemm(context, layer.at(Role::DenseDown), tokens));
  if (shard.layout.attention_tp > 1) {
    list.add(OperatorKind::FfnReduce, message(Collective::AllReduce, shard.layout.attention_tp,
                                              tokens * hidden * kActivationBytes));
  }
}

}  // namespace fathom::model
