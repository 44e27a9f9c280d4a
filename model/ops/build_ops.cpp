#include "model/ops/build_ops.h"

#include "model/ops/family_ops.h"

#include <algorithm>
#include <cassert>

namespace fathom::model {

using hardware::Bytes;
using hardware::Collective;
using hardware::Work;

namespace {

void attention_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape,
                   OperatorList& list) {
  const Attention& attention = layer.kind.attention;
  if (std::holds_alternative<GroupedAttention>(attention)) {
    grouped_attention_ops(context, layer, shape, list);
  } else if (std::holds_alternative<LatentAttention>(attention)) {
    latent_attention_ops(context, layer, shape, list);
  } else if (std::holds_alternative<CompressedAttention>(attention)) {
    compressed_attention_ops(context, layer, shape, list);
  } else if (!std::holds_alternative<NoAttention>(attention)) {
    recurrent_ops(context, layer, shape, list);
  }
}

/// What stands beside attention and FFN: the layer's own embedding, hyper-connections.
void residual_ops(const OpsContext& context, const LayerShard& layer, double tokens,
                  OperatorList& list) {
  const double hidden = number(context.shard->hidden);
  if (layer.kind.per_layer_width > 0) {
    Work work = gemm(context, layer.at(Role::PerLayerGate), tokens);
    fuse(work, layer.at(Role::PerLayerUp), tokens);
    work.kernels = 3;  // gate, product with the embedding, projection with its norm
    list.add(OperatorKind::PerLayerInput, work);
  }
  if (layer.kind.hyper_streams > 0) {
    const double streams = number(layer.kind.hyper_streams);
    Work work = gemm(context, layer.at(Role::HyperMix), tokens);
    // Two blocks: each reads all streams, mixes them and writes them back.
    work.activation_bytes += Bytes(2 * 3 * tokens * streams * hidden * kActivationBytes);
    work.kernels = 4;
    list.add(OperatorKind::HyperConnection, work);
  }
}

}  // namespace

OperatorList layer_ops(const OpsContext& context, const LayerShard& layer, const StepShape& shape) {
  OperatorList list;
  if (shape.tokens() <= 0) {
    return list;
  }
  attention_ops(context, layer, shape, list);
  if (std::holds_alternative<DenseMlp>(layer.kind.mlp)) {
    dense_ffn_ops(context, layer, shape, list);
  } else if (std::holds_alternative<MoeMlp>(layer.kind.mlp)) {
    moe_ops(context, layer, shape, list);
  } else if (layer.kind.parallel) {
    assert(false);  // a parallel layer has both: the reader refuses others
  }
  residual_ops(context, layer, shape.tokens(), list);
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
  const LocalTensor& projection = context.shard->per_layer_projection;
  const double own_width = projection.count > 0 ? number(projection.rows) : 0;
  if (own_width > 0) {
    Work own = gemm(context, projection, tokens);
    own.activation_bytes += Bytes(2 * tokens * own_width * kActivationBytes);  // rows looked up
    own.kernels = 3;  // look-up, projection, norm
    list.add(OperatorKind::PerLayerInput, own);
  }
  if (tp > 1) {  // vocabulary-parallel
    list.add(OperatorKind::EmbeddingReduce,
             message(Collective::AllReduce, tp, tokens * hidden * kActivationBytes));
    if (own_width > 0) {
      list.add(OperatorKind::EmbeddingReduce,
               message(Collective::AllReduce, tp, tokens * own_width * kActivationBytes));
    }
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
    const auto& layers = context.shard->layers;
    const Count streams =
        layers.empty() ? 1 : std::max<Count>(1, layers.front().kind.hyper_streams);
    list.add(OperatorKind::StageSend,
             message(Collective::Send, 2,
                     shape.tokens() * number(streams * context.shard->hidden) * kActivationBytes));
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
    case OperatorKind::Compress:
      return "cache compression";
    case OperatorKind::StateIn:
      return "recurrent projections";
    case OperatorKind::StateProjection:
      return "recurrent low-rank";
    case OperatorKind::StateUpdate:
      return "state update";
    case OperatorKind::ExpertsIn:
      return "latent of experts in";
    case OperatorKind::ExpertsOut:
      return "latent of experts out";
    case OperatorKind::PerLayerInput:
      return "per-layer embedding";
    case OperatorKind::HyperConnection:
      return "hyper-connections";
  }
  return "";
}

}  // namespace fathom::model
