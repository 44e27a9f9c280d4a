#pragma once

#include "model/llm/attention.h"
#include "model/llm/mlp.h"

#include <array>
#include <string_view>
#include <type_traits>

namespace fathom::model {

// The keys of each block in a spec file, once: the reader, the writer and the list of known keys
// all walk them. A visitor has
//   need(key, Count&)            a required whole number
//   may(key, Count&, absent)     an optional one; `absent` where the key is missing
//   none(key, Count&)            a required one, or the word `none` for 0
//   need(key, bool&), may(key, bool&)   an optional truth is false where missing
//   choice(key, enum&, words)    a required word; may_choice: an optional one, the first if missing
//   child(key, optional<Block>&) a nested map that may be missing

template <class Visitor>
void visit_keys(Indexer& x, Visitor& v) {
  v.need("heads", x.heads);
  v.need("head", x.head);
  v.need("top_k", x.top_k);
  v.may("block", x.block, 1);
  v.may("shared", x.shared);
}

template <class Visitor>
void visit_keys(GroupedAttention& a, Visitor& v) {
  static constexpr std::array<std::string_view, 3> kNorms{"none", "head", "full"};
  static constexpr std::array<std::string_view, 3> kGates{"none", "element", "head"};
  v.need("heads", a.heads);
  v.need("kv_heads", a.kv_heads);
  v.need("head", a.head);
  v.may("value_head", a.value_head, a.head);
  v.may("window", a.window, 0);
  v.may("chunk", a.chunk, 0);
  v.may("query_rank", a.query_rank, 0);
  v.may("qkv_bias", a.qkv_bias);
  v.may("output_bias", a.output_bias);
  v.choice("qk_norm", a.qk_norm, kNorms);
  v.may_choice("gate", a.gate, kGates);
  v.may("sinks", a.sinks);
  v.may("shared_kv", a.shared_kv);
  v.may("value_is_key", a.value_is_key);
  v.child("indexer", a.indexer);
}

template <class Visitor>
void visit_keys(LatentAttention& a, Visitor& v) {
  v.need("heads", a.heads);
  v.none("query_rank", a.query_rank);
  v.need("latent_rank", a.latent_rank);
  v.need("nope_head", a.nope_head);
  v.need("rope_head", a.rope_head);
  v.need("value_head", a.value_head);
  v.may("output_gate", a.gate);
  v.child("indexer", a.indexer);
}

template <class Visitor>
void visit_keys(CompressedAttention& a, Visitor& v) {
  v.need("heads", a.heads);
  v.need("query_rank", a.query_rank);
  v.need("head", a.head);
  v.need("rope_head", a.rope_head);
  v.need("window", a.window);
  v.none("ratio", a.ratio);
  v.need("output_groups", a.output_groups);
  v.need("output_rank", a.output_rank);
  v.child("indexer", a.indexer);
}

template <class Visitor>
void visit_keys(Mamba1& m, Visitor& v) {
  v.need("inner", m.inner);
  v.need("state", m.state);
  v.need("conv", m.conv);
  v.need("dt_rank", m.dt_rank);
  v.need("conv_bias", m.conv_bias);
}

template <class Visitor>
void visit_keys(Mamba2& m, Visitor& v) {
  v.need("heads", m.heads);
  v.need("head", m.head);
  v.need("groups", m.groups);
  v.need("state", m.state);
  v.need("conv", m.conv);
  v.need("conv_bias", m.conv_bias);
}

template <class Visitor>
void visit_keys(DeltaNet& m, Visitor& v) {
  v.need("key_heads", m.key_heads);
  v.need("value_heads", m.value_heads);
  v.need("key_head", m.key_head);
  v.need("value_head", m.value_head);
  v.need("conv", m.conv);
}

template <class Visitor>
void visit_keys(KeyedDelta& m, Visitor& v) {
  v.need("heads", m.heads);
  v.need("head", m.head);
  v.need("conv", m.conv);
  v.need("decay_rank", m.decay_rank);
  v.none("gate_rank", m.gate_rank);
}

template <class Visitor>
void visit_keys(LightningAttention& m, Visitor& v) {
  v.need("heads", m.heads);
  v.need("head", m.head);
}

template <class Visitor>
void visit_keys(NoAttention& /*none*/, Visitor& /*v*/) {}

template <class Visitor>
void visit_keys(DenseMlp& f, Visitor& v) {
  v.need("width", f.width);
  v.may_true("gated", f.gated);
  v.may("bias", f.bias);
}

template <class Visitor>
void visit_keys(MoeMlp& f, Visitor& v) {
  v.need("experts", f.experts);
  v.need("top_k", f.top_k);
  v.need("width", f.width);
  v.none("shared_width", f.shared_width);
  v.need("router_bias", f.router_bias);
  v.may_true("gated", f.gated);
  v.may("router_linear_bias", f.router_linear_bias);
  v.may("shared_gate", f.shared_gate);
  v.may("bias", f.bias);
  v.may("scales", f.scales);
  v.may("latent", f.latent, 0);
  v.may("latent_norm", f.latent_norm);
  v.may("zero_experts", f.zero_experts, 0);
  v.may("hash_tokens", f.hash_tokens, 0);
}

template <class Visitor>
void visit_keys(NoMlp& /*none*/, Visitor& /*v*/) {}

/// The words of `kind:` in the order of the alternatives.
inline constexpr std::array<std::string_view, 9> kAttentionKinds{
    "grouped",   "latent",      "compressed", "mamba1", "mamba2",
    "delta-net", "keyed-delta", "lightning",  "none"};
inline constexpr std::array<std::string_view, 3> kMlpKinds{"dense", "moe", "none"};
static_assert(std::variant_size_v<Attention> == kAttentionKinds.size());
static_assert(std::variant_size_v<Mlp> == kMlpKinds.size());

}  // namespace fathom::model
