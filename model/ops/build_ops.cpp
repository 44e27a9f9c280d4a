#include "model/ops/build_ops.h"

#include "model/ops/family_ops.h"

namespace fathom::model {

using hardware::Bytes;
using hardware::Collective;
using hardware::Work;

OperatorList layer_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape) {
  OperatorList list;
  if (shape.tokens() <= 0) {
    return list;
  }
  if (std::holds_alternative<GroupedAttention>(layer.kind.attention)) {
    grouped_attention_ops(context, layer, shape, list);
  } else {
    latent_attention_ops(context, layer, shape, list);
  }
  if (std::holds_alternative<DenseMlp>(layer.kind.mlp)) {
    dense_ffn_ops(context, layer, shape, list);
  } else {
    moe_ops(context, layer, shape, list);
  }
  return list;
}

OperatorList embedding_ops(const OpsContext& context, const StepShape& shape) {
  OperatorList list;
  const double tokens = shape.tokens();
  if (tokens <= 0) {
    return list;
  }
  const double hidden = number(context.shard->hidden);
  const Count tp = context.shard->layout.attention_tp;
  list.add(OperatorKind::Embedding, small(1, 2 * tokens * hidden));
  if (tp > 1) {  // vocabulary-parallel
    list.add(OperatorKind::EmbeddingReduce,
             message(Collective::AllReduce, tp, tokens * hidden * kActivationBytes));
  }
  return list;
}

OperatorList head_ops(const OpsContext& context, const StepShape& shape) {
  OperatorList list;
  const Shard& shard = *context.shard;
  const double sampled = shape.sequences * shape.sampled;
  if (sampled <= 0) {
    return list;
  }
  const bool tied = shard.lm_head.count == 0;
  list.add(OperatorKind::LmHead, gemm(context, tied ? shard.embedding : shard.lm_head, sampled));
  const double vocabulary = number(shard.vocabulary);
  const Count tp = shard.layout.attention_tp;
  if (tp > 1 && context.kernels.all_gather_logits) {
    list.add(OperatorKind::LogitsGather,
             message(Collective::AllGather, tp, sampled * vocabulary * kActivationBytes));
  }
  list.add(OperatorKind::StepSmall,
           small(context.kernels.step_small,
                 2 * shape.tokens() * number(shard.hidden) + 2 * sampled * vocabulary));
  return list;
}

OperatorList stage_ops(const OpsContext& context, const StepShape& shape) {
  OperatorList list;
  if (shape.tokens() > 0) {
    list.add(OperatorKind::StageSend,
             message(Collective::Send, 2,
                     shape.tokens() * number(context.shard->hidden) * kActivationBytes));
  }
  return list;
}

OperatorList draft_ops(const OpsContext& context, const StepShape& shape) {
  OperatorList list;
  const double tokens = shape.tokens();
  if (tokens > 0 && context.shard->mtp_projection.count > 0) {
    list.add(OperatorKind::DraftProjection, gemm(context, context.shard->mtp_projection, tokens));
    list.add(OperatorKind::AttentionSmall, small(3, 6 * tokens * number(context.shard->hidden)));
  }
  return list;
}

const char* operator_name(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::QkvProjection:
      return "qkv projection";
    case OperatorKind::LatentDown:
      return "query and latent down";
    case OperatorKind::QueryUp:
      return "query up";
    case OperatorKind::Absorb:
      return "latent absorb";
    case OperatorKind::LatentExpand:
      return "latent expand";
    case OperatorKind::IndexProjection:
      return "index projections";
    case OperatorKind::IndexScan:
      return "index scan";
    case OperatorKind::TopK:
      return "index top-k";
    case OperatorKind::AttentionSmall:
      return "attention small kernels";
    case OperatorKind::AttentionCore:
      return "attention";
    case OperatorKind::OutputProjection:
      return "output projection";
    case OperatorKind::AttentionReduce:
      return "attention all-reduce";
    case OperatorKind::ContextGather:
      return "context-parallel gather";
    case OperatorKind::ContextReduce:
      return "context-parallel reduce";
    case OperatorKind::DenseUp:
      return "dense gate and up";
    case OperatorKind::DenseSmall:
      return "dense small kernels";
    case OperatorKind::DenseDown:
      return "dense down";
    case OperatorKind::FfnReduce:
      return "dense all-reduce";
    case OperatorKind::Router:
      return "router";
    case OperatorKind::MoeSmall:
      return "routing small kernels";
    case OperatorKind::ExpertUp:
      return "expert gate and up";
    case OperatorKind::ExpertDown:
      return "expert down";
    case OperatorKind::SharedUp:
      return "shared gate and up";
    case OperatorKind::SharedDown:
      return "shared down";
    case OperatorKind::MoeReduce:
      return "expert all-reduce";
    case OperatorKind::ExpertExchange:
      return "expert exchange";
    case OperatorKind::Embedding:
      return "embedding";
    case OperatorKind::EmbeddingReduce:
      return "embedding all-reduce";
    case OperatorKind::StepSmall:
      return "sampling small kernels";
    case OperatorKind::LmHead:
      return "lm_head";
    case OperatorKind::LogitsGather:
      return "logits all-gather";
    case OperatorKind::StageSend:
      return "stage send";
    case OperatorKind::DraftProjection:
      return "draft projection";
  }
  return "";
}

}  // namespace fathom::model
