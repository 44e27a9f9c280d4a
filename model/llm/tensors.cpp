#include "model/llm/tensors.h"

#include "hardware/base/numeric_format.h"

namespace fathom::model {
namespace {

/// Norms, biases and gates stay 16-bit in every checkpoint that was read; correction biases FP32.
constexpr Format kSmall = Format::Bf16;

Format format_of(const Formats& formats, Group group) {
  return formats.at(static_cast<std::size_t>(group));
}

void add_grouped(const GroupedAttention& a, Count h, const Formats& formats,
                 std::vector<Tensor>& out) {
  const Format format = format_of(formats, Group::Attention);
  const auto add = [&](Role role, Split split, Count rows, Count columns, Format f) {
    out.push_back({role, Group::Attention, f, split, rows, columns, 1});
  };
  add(Role::Query, Split::Heads, a.heads * a.head, h, format);
  add(Role::Key, Split::KvHeads, a.kv_heads * a.head, h, format);
  add(Role::Value, Split::KvHeads, a.kv_heads * a.value_head, h, format);
  if (a.qkv_bias) {
    add(Role::QkvBias, Split::Heads, (a.heads + a.kv_heads) * a.head + a.kv_heads * a.value_head, 1,
        kSmall);
  }
  add(Role::Output, Split::HeadInputs, h, a.heads * a.value_head, format);
  if (a.output_bias) {
    add(Role::OutputBias, Split::Replicated, h, 1, kSmall);
  }
  if (a.qk_norm == GroupedAttention::QkNorm::Head) {
    out.push_back({Role::QkNorms, Group::Norm, kSmall, Split::Replicated, 2, a.head, 1});
  } else if (a.qk_norm == GroupedAttention::QkNorm::Full) {
    out.push_back(
        {Role::QkNorms, Group::Norm, kSmall, Split::Replicated, a.heads + a.kv_heads, a.head, 1});
  }
}

void add_indexer(const Indexer& x, Count query_width, Count h, const Formats& formats,
                 std::vector<Tensor>& out) {
  const Format format = format_of(formats, Group::Indexer);
  const auto add = [&](Role role, Count rows, Count columns, Format f) {
    out.push_back({role, Group::Indexer, f, Split::Replicated, rows, columns, 1});
  };
  add(Role::IndexQuery, x.heads * x.head, query_width, format);
  add(Role::IndexKey, x.head, h, format);
  out.push_back({Role::IndexKeyNorm, Group::Norm, kSmall, Split::Replicated, 2, x.head, 1});
  // The per-head weights stay 16-bit in the FP8 checkpoints too (`weights_proj`).
  add(Role::IndexWeights, x.heads, h, kSmall);
}

void add_latent(const LatentAttention& a, Count h, const Formats& formats,
                std::vector<Tensor>& out) {
  const Format format = format_of(formats, Group::Attention);
  const auto add = [&](Role role, Split split, Count rows, Count columns) {
    out.push_back({role, Group::Attention, format, split, rows, columns, 1});
  };
  const Count query_width = a.query_rank > 0 ? a.query_rank : h;
  if (a.query_rank > 0) {
    add(Role::QueryDown, Split::Replicated, a.query_rank, h);
  }
  add(Role::QueryUp, Split::Heads, a.heads * (a.nope_head + a.rope_head), query_width);
  add(Role::LatentDown, Split::Replicated, a.latent_rank + a.rope_head, h);
  add(Role::LatentUp, Split::Heads, a.heads * (a.nope_head + a.value_head), a.latent_rank);
  add(Role::Output, Split::HeadInputs, h, a.heads * a.value_head);
  out.push_back({Role::LatentNorms, Group::Norm, kSmall, Split::Replicated, 1,
                 a.query_rank + a.latent_rank, 1});
  if (a.indexer) {
    add_indexer(*a.indexer, query_width, h, formats, out);
  }
}

void add_dense(const DenseMlp& f, Count h, const Formats& formats, std::vector<Tensor>& out) {
  const Format format = format_of(formats, Group::DenseFfn);
  out.push_back(
      {Role::DenseUp, Group::DenseFfn, format, Split::FfnRows, f.width, h, f.gated ? 2 : 1});
  out.push_back({Role::DenseDown, Group::DenseFfn, format, Split::FfnColumns, h, f.width, 1});
}

void add_moe(const MoeMlp& f, Count h, const Formats& formats, std::vector<Tensor>& out) {
  const Count ups = f.gated ? 2 : 1;
  const Format routed = format_of(formats, Group::RoutedExperts);
  const Format shared = format_of(formats, Group::SharedExperts);
  out.push_back({Role::Router, Group::Router, format_of(formats, Group::Router), Split::Replicated,
                 f.experts, h, 1});
  if (f.router_bias) {
    out.push_back(
        {Role::RouterBias, Group::Router, Format::Fp32, Split::Replicated, f.experts, 1, 1});
  }
  out.push_back({Role::ExpertUp, Group::RoutedExperts, routed, Split::ExpertRows, f.width, h,
                 ups * f.experts});
  out.push_back({Role::ExpertDown, Group::RoutedExperts, routed, Split::ExpertColumns, h, f.width,
                 f.experts});
  if (f.shared_width > 0) {
    out.push_back(
        {Role::SharedUp, Group::SharedExperts, shared, Split::FfnRows, f.shared_width, h, ups});
    out.push_back(
        {Role::SharedDown, Group::SharedExperts, shared, Split::FfnColumns, h, f.shared_width, 1});
  }
  if (f.shared_gate) {
    out.push_back({Role::SharedGate, Group::SharedExperts, kSmall, Split::Replicated, 1, h, 1});
  }
}

}  // namespace

Bytes Tensor::bytes() const { return hardware::stored_bytes(format, rows, columns, count); }

std::vector<Tensor> layer_tensors(const LayerKind& layer, Count hidden) {
  std::vector<Tensor> out;
  out.push_back({Role::Norms, Group::Norm, kSmall, Split::Replicated, layer.norms, hidden, 1});
  if (const auto* grouped = std::get_if<GroupedAttention>(&layer.attention)) {
    add_grouped(*grouped, hidden, layer.formats, out);
  } else {
    add_latent(std::get<LatentAttention>(layer.attention), hidden, layer.formats, out);
  }
  if (const auto* dense = std::get_if<DenseMlp>(&layer.mlp)) {
    add_dense(*dense, hidden, layer.formats, out);
  } else {
    add_moe(std::get<MoeMlp>(layer.mlp), hidden, layer.formats, out);
  }
  return out;
}

std::vector<Tensor> outer_tensors(const ModelSpec& model) {
  std::vector<Tensor> out;
  out.push_back({Role::Embedding, Group::Embedding, format_of(model.formats, Group::Embedding),
                 Split::Vocabulary, model.vocabulary, model.hidden, 1});
  if (!model.tied_embeddings) {
    out.push_back({Role::LmHead, Group::LmHead, format_of(model.formats, Group::LmHead),
                   Split::Vocabulary, model.vocabulary, model.hidden, 1});
  }
  out.push_back({Role::FinalNorm, Group::Norm, kSmall, Split::Replicated, 1, model.hidden, 1});
  return out;
}

std::vector<Tensor> mtp_tensors(const ModelSpec& model, const LayerKind& layer) {
  std::vector<Tensor> out = layer_tensors(layer, model.hidden);
  out.push_back({Role::MtpProjection, Group::Mtp, kSmall, Split::Replicated, model.hidden,
                 2 * model.hidden, 1});
  out.push_back({Role::MtpNorms, Group::Mtp, kSmall, Split::Replicated, 3, model.hidden, 1});
  if (!model.mtp_shared_embedding) {
    out.push_back({Role::Embedding, Group::Mtp, kSmall, Split::Vocabulary, model.vocabulary,
                   model.hidden, 2});
  }
  return out;
}

}  // namespace fathom::model
