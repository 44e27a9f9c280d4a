#include "model/llm/roles.h"

namespace fathom::model {
namespace {

using enum FormatSource;

constexpr std::array<RoleFacts, kRoleCount> kRoles{{
    {Role::Embedding, "embedding", Group::Embedding, Split::Vocabulary, Linear},
    {Role::PerLayerEmbedding, "per_layer_embedding", Group::PerLayer, Split::Vocabulary, Linear},
    {Role::PerLayerProjection, "per_layer_projection", Group::PerLayer, Split::Replicated, Linear},
    {Role::LmHead, "lm_head", Group::LmHead, Split::Vocabulary, Linear},
    {Role::LmHeadBias, "lm_head_bias", Group::LmHead, Split::Vocabulary, Small},
    {Role::FinalNorm, "final_norm", Group::Norm, Split::Replicated, Small},
    {Role::HyperHead, "hyper_head", Group::Hyper, Split::Replicated, Single},
    {Role::Norms, "norms", Group::Norm, Split::Replicated, Small},
    {Role::LayerScalar, "layer_scalar", Group::Norm, Split::Replicated, Small},
    {Role::PerLayerGate, "per_layer_gate", Group::PerLayer, Split::Replicated, Linear},
    {Role::PerLayerUp, "per_layer_up", Group::PerLayer, Split::Replicated, Linear},
    {Role::HyperMix, "hyper_mix", Group::Hyper, Split::Replicated, Single},
    {Role::HyperBias, "hyper_bias", Group::Hyper, Split::Replicated, Single},
    {Role::QkNorms, "qk_norms", Group::Norm, Split::Replicated, Small},
    {Role::Query, "query", Group::Attention, Split::Heads, Linear},
    {Role::Key, "key", Group::Attention, Split::KvHeads, Linear},
    {Role::Value, "value", Group::Attention, Split::KvHeads, Linear},
    {Role::QkvBias, "qkv_bias", Group::Attention, Split::Heads, Small},
    {Role::Output, "output", Group::Attention, Split::HeadInputs, Linear},
    {Role::OutputBias, "output_bias", Group::Attention, Split::Replicated, Small},
    {Role::QueryDown, "query_down", Group::Attention, Split::Replicated, Linear},
    {Role::QueryUp, "query_up", Group::Attention, Split::Heads, Linear},
    {Role::LatentDown, "latent_down", Group::Attention, Split::Replicated, Linear},
    {Role::LatentUp, "latent_up", Group::Attention, Split::Heads, Linear},
    {Role::LatentNorms, "latent_norms", Group::Norm, Split::Replicated, Small},
    {Role::AttentionGate, "attention_gate", Group::Attention, Split::Heads, Linear},
    {Role::Sinks, "sinks", Group::Attention, Split::Heads, Small},
    {Role::OutputDown, "output_down", Group::Attention, Split::Heads, Linear},
    {Role::IndexQuery, "index_query", Group::Indexer, Split::Replicated, Linear},
    {Role::IndexKey, "index_key", Group::Indexer, Split::Replicated, Linear},
    {Role::IndexKeyNorm, "index_key_norm", Group::Norm, Split::Replicated, Small},
    {Role::IndexWeights, "index_weights", Group::Indexer, Split::Replicated, Small},
    {Role::IndexGate, "index_gate", Group::Indexer, Split::Replicated, Linear},
    {Role::IndexBias, "index_bias", Group::Indexer, Split::Replicated, Single},
    {Role::CompressorKv, "compressor_kv", Group::Compressor, Split::Replicated, Linear},
    {Role::CompressorGate, "compressor_gate", Group::Compressor, Split::Replicated, Linear},
    {Role::CompressorBias, "compressor_bias", Group::Compressor, Split::Replicated, Single},
    {Role::CompressorNorm, "compressor_norm", Group::Norm, Split::Replicated, Small},
    {Role::StateIn, "state_in", Group::Recurrent, Split::Heads, Linear},
    {Role::StateGroups, "state_groups", Group::Recurrent, Split::KvHeads, Linear},
    {Role::StateSmall, "state_small", Group::Recurrent, Split::Heads, Small},
    {Role::StateX, "state_x", Group::Recurrent, Split::HeadInputs, Linear},
    {Role::StateDt, "state_dt", Group::Recurrent, Split::Heads, Linear},
    {Role::DecayDown, "decay_down", Group::Recurrent, Split::Replicated, Linear},
    {Role::DecayUp, "decay_up", Group::Recurrent, Split::Heads, Linear},
    {Role::GateDown, "gate_down", Group::Recurrent, Split::Replicated, Linear},
    {Role::GateUp, "gate_up", Group::Recurrent, Split::Heads, Linear},
    {Role::Conv, "conv", Group::Recurrent, Split::Heads, Small},
    {Role::ConvGroups, "conv_groups", Group::Recurrent, Split::KvHeads, Small},
    {Role::StateVectors, "state_vectors", Group::Recurrent, Split::Heads, Small},
    {Role::StateNorm, "state_norm", Group::Norm, Split::Heads, Small},
    {Role::StateOut, "state_out", Group::Recurrent, Split::HeadInputs, Linear},
    {Role::DenseUp, "dense_up", Group::DenseFfn, Split::FfnRows, Linear},
    {Role::DenseDown, "dense_down", Group::DenseFfn, Split::FfnColumns, Linear},
    {Role::DenseBias, "dense_bias", Group::DenseFfn, Split::Replicated, Small},
    {Role::Router, "router_weight", Group::Router, Split::Replicated, Linear},
    {Role::RouterBias, "router_bias", Group::Router, Split::Replicated, Single},
    {Role::RouterLinearBias, "router_linear_bias", Group::Router, Split::Replicated, Small},
    {Role::RouterScale, "router_scale", Group::Router, Split::Replicated, Small},
    {Role::ExpertUp, "expert_up", Group::RoutedExperts, Split::ExpertRows, Linear},
    {Role::ExpertDown, "expert_down", Group::RoutedExperts, Split::ExpertColumns, Linear},
    {Role::ExpertBias, "expert_bias", Group::RoutedExperts, Split::Experts, Small},
    {Role::SharedUp, "shared_up", Group::SharedExperts, Split::FfnRows, Linear},
    {Role::SharedDown, "shared_down", Group::SharedExperts, Split::FfnColumns, Linear},
    {Role::SharedGate, "shared_gate", Group::SharedExperts, Split::Replicated, Small},
    {Role::ExpertsIn, "experts_in", Group::SharedExperts, Split::Replicated, Linear},
    {Role::ExpertsOut, "experts_out", Group::SharedExperts, Split::Replicated, Linear},
    {Role::ExpertsNorm, "experts_norm", Group::Norm, Split::Replicated, Small},
    {Role::HashTable, "hash_table", Group::Router, Split::Replicated, Index},
    {Role::MtpProjection, "mtp_projection", Group::Mtp, Split::Replicated, Small},
    {Role::MtpNorms, "mtp_norms", Group::Mtp, Split::Replicated, Small},
}};

constexpr std::array<std::string_view, kGroupCount> kGroups{
    "embedding",      "attention",  "indexer",   "router",           "routed_experts",
    "shared_experts", "dense_ffn",  "norm",      "lm_head",          "mtp",
    "recurrent",      "compressor", "per_layer", "hyper_connections"};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    if (static_cast<std::size_t>(kRoles[i].role) != i) {
      return false;
    }
  }
  return true;
}
static_assert(in_enum_order());
static_assert(static_cast<int>(Role::MtpNorms) + 1 == kRoleCount);
static_assert(static_cast<int>(Group::Hyper) + 1 == kGroupCount);

}  // namespace

std::string_view group_name(Group group) { return kGroups[static_cast<std::size_t>(group)]; }

const RoleFacts& role_facts(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::optional<Role> role_from_name(std::string_view name) {
  for (const RoleFacts& facts : kRoles) {
    if (facts.name == name) {
      return facts.role;
    }
  }
  return std::nullopt;
}

void set_group_format(Formats& formats, Group group, Format format) {
  for (const RoleFacts& facts : kRoles) {
    if (facts.group == group && facts.source == Linear) {
      set_format(formats, facts.role, format);
    }
  }
}

void set_small_formats(Formats& formats, Format format) {
  for (const RoleFacts& facts : kRoles) {
    if (facts.source == Small) {
      set_format(formats, facts.role, format);
    } else if (facts.source == Single) {
      set_format(formats, facts.role, Format::Fp32);
    } else if (facts.source == Index) {
      set_format(formats, facts.role, Format::Int64);
    }
  }
}

}  // namespace fathom::model
