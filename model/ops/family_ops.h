#pragma once

#include "model/ops/ops_common.h"

namespace fathom::model {

/// Attention of one layer, up to and with its all-reduce. One file per family.
void grouped_attention_ops(const OpsContext& context, const LayerShard& layer,
                           const StepShape& shape, OperatorList& list);
void latent_attention_ops(const OpsContext& context, const LayerShard& layer,
                          const StepShape& shape, OperatorList& list);
void compressed_attention_ops(const OpsContext& context, const LayerShard& layer,
                              const StepShape& shape, OperatorList& list);
/// State-space and linear-attention mixers: projections, state update, output.
void recurrent_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                   OperatorList& list);

/// The index scan of DSA or of block-sparse attention, with its projections and its top-k.
void index_scan_ops(const OpsContext& context, const LayerShard& layer, const Indexer& x,
                    const StepShape& shape, OperatorList& list);

/// What one rank scans: query-key pairs, and the bytes of the keys.
struct IndexScan {
  double pairs = 0;
  hardware::Bytes keys;
  Phase phase = Phase::Decode;
};

/// Scores of all pairs (2 * Hi * (di + 1) FLOP each, without the sum over heads for blocks) and the
/// choice of the largest.
void scan_and_pick(const OpsContext& context, const Indexer& x, const IndexScan& amounts,
                   OperatorList& list);

/// The all-reduce behind the output projection; a parallel layer leaves it to its FFN.
void attention_reduce(const OpsContext& context, const LayerShard& layer, double tokens,
                      OperatorList& list);

/// The FFN of one layer, with its all-reduce or exchange.
void dense_ffn_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                   OperatorList& list);
void moe_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
             OperatorList& list);

/// With decode context parallelism: gathers the queries of the group's ranks and reduces their
/// partial outputs. `query_width`, `output_width`: elements per token of this rank's heads.
void context_parallel_ops(const OpsContext& context, double tokens, double query_width,
                          double output_width, OperatorList& list);

}  // namespace fathom::model
