#include "model/ops/family_ops.h"

namespace fathom::model {

using hardware::Bytes;
using hardware::Flop;
using hardware::KernelClass;
using hardware::Work;

void scan_and_pick(const OpsContext& context, const Indexer& x, const IndexScan& amounts,
                   OperatorList& list) {
  constexpr double kScoreBytes = 4;
  // DSA weighs its heads' scores and adds them up; blocks keep the largest score of their tokens.
  const double weighing = x.block == 1 ? 1 : 0;
  const double scores = amounts.pairs / number(x.block);
  Work scan;
  scan.kernel_class = KernelClass::Attention;
  scan.kernels = 1;
  scan.format = Format::Fp8;
  scan.arithmetic = context.arithmetic[static_cast<std::size_t>(Format::Fp8)];
  scan.flop = Flop(2 * number(x.heads) * (number(x.head) + weighing) * amounts.pairs);
  scan.cache_bytes = amounts.keys;
  scan.activation_bytes = Bytes(scores * kScoreBytes);
  scan.causal = amounts.phase == Phase::Prefill;
  list.add(OperatorKind::IndexScan, scan);

  Work select = small(1, 0);
  select.activation_bytes = Bytes(scores * kScoreBytes);
  list.add(OperatorKind::TopK, select);
}

void index_scan_ops(const OpsContext& context, const LayerShard& layer, const Indexer& x,
                    const StepShape& shape, OperatorList& list) {
  const double tokens = shape.tokens();
  Work project = gemm(context, layer.at(Role::IndexQuery), tokens);
  fuse(project, layer.at(Role::IndexKey), tokens);
  if (layer.at(Role::IndexWeights).count > 0) {
    fuse(project, layer.at(Role::IndexWeights), tokens);
  }
  project.kernels = 3;
  list.add(OperatorKind::IndexProjection, project);

  const double dcp = number(context.shard->layout.dcp);
  const double held = shape.sequences * (shape.context + shape.new_tokens) / dcp;
  const double pairs = shape.sequences * attended_pairs(shape.new_tokens, shape.context, 0) / dcp;
  scan_and_pick(context, x, {pairs, layer.kv_index_row * held, shape.phase}, list);
}

}  // namespace fathom::model
