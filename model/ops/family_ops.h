#pragma once

#include "model/ops/ops_common.h"

namespace fathom::model {

/// Attention of one layer, up to and with its all-reduce. One file per family.
void grouped_attention_ops(const OpsContext& context, const LayerShard& layer,
                           const StepShape& shape, OperatorList& list);
void latent_attention_ops(const OpsContext& context, const LayerShard& layer,
                          const StepShape& shape, OperatorList& list);

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
