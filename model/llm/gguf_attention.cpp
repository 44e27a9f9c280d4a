#include "model/llm/gguf_layer.h"

#include <algorithm>

namespace fathom::model {
namespace {

constexpr std::string_view kWindow = "attention.sliding_window";
constexpr std::string_view kPattern = "attention.sliding_window_pattern";

/// The file's pattern is a list (1 = window) or a period; without one the architecture's period
/// holds, and without that llama.cpp attends in full.
bool is_windowed(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  if (const Count length = f.list_length(kPattern); length > 0) {
    return layer.index < length &&
           f.may_at(kPattern, layer.index, 0) != 0;  // MTP layers are beyond
  }
  const Count period = f.may(kPattern, layer.architecture->period);
  return period > 0 && (layer.index + 1) % period != 0;
}

Count window_of(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  const GgufArchitecture& a = *layer.architecture;
  if (a.chunked) {  // a window of 0 switches the chunks off
    return f.may(kWindow, a.window) == 0 ? 0 : a.window;
  }
  return a.window_needed ? f.need(kWindow) : f.may(kWindow, a.window);
}

void set_heads(const GgufLayer& layer, bool windowed, GroupedAttention& a) {
  GgufFields& f = *layer.fields;
  a.heads = f.need_at("attention.head_count", layer.index);
  a.kv_heads = f.may_at("attention.head_count_kv", layer.index, a.heads);
  if (a.kv_heads == 0) {
    a.kv_heads = f.need_at("attention.head_count_kv", layer.index);  // leaves the error
  }
  const Count plain = std::max<Count>(1, layer.hidden / a.heads);
  const Count key = std::max<Count>(1, f.may("attention.key_length", plain));
  const Count value = std::max<Count>(1, f.may("attention.value_length", plain));
  a.head = windowed ? std::max<Count>(1, f.may("attention.key_length_swa", key)) : key;
  a.value_head = windowed ? std::max<Count>(1, f.may("attention.value_length_swa", value)) : value;
}

/// Layers that reuse an earlier cache: said by the file, or known by their missing keys.
bool shares_kv(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  const Count shared = f.may("attention.shared_kv_layers", 0);
  const Count layers = f.may("block_count", 0);
  const bool no_keys = !layer.block->has("attn_k") && !layer.block->has("attn_qkv");
  return no_keys || (shared > 0 && layer.index >= layers - shared);
}

void take_qkv(GgufBlock& b, GroupedAttention& a) {
  if (b.take("attn_qkv", {Role::Query, Role::Key, Role::Value})) {
    a.qkv_bias = b.take("attn_qkv.bias", Role::QkvBias);
    return;
  }
  a.value_is_key = !a.shared_kv && !b.has("attn_v");
  b.take("attn_q", Role::Query);
  a.qkv_bias = b.take("attn_q.bias", Role::QkvBias);
  if (!a.shared_kv) {
    b.take("attn_k", Role::Key);
    b.take("attn_v", Role::Value);
    a.qkv_bias = b.take("attn_k.bias", Role::QkvBias) || a.qkv_bias;
    a.qkv_bias = b.take("attn_v.bias", Role::QkvBias) || a.qkv_bias;
  }
}

void take_qk_norms(GgufBlock& b, GroupedAttention& a) {
  if (!b.has("attn_q_norm")) {
    return;
  }
  const bool each_head = b.elements("attn_q_norm") == a.head;
  a.qk_norm = each_head ? GroupedAttention::QkNorm::Head : GroupedAttention::QkNorm::Full;
  b.take("attn_q_norm", Role::QkNorms);
  if (!a.shared_kv) {
    b.take("attn_k_norm", Role::QkNorms);
  }
}

/// An output gate stands in a projection of its own, or doubles the query's.
void take_gate(GgufBlock& b, GroupedAttention& a) {
  if (b.has("attn_gate")) {
    const bool each_head = b.rows("attn_gate") == a.heads;
    a.gate = each_head ? GroupedAttention::Gate::Head : GroupedAttention::Gate::Element;
    b.take("attn_gate", each_head ? Role::AttentionGate : Role::Query);
  } else if (b.has("attn_q") && b.rows("attn_q") == 2 * a.heads * a.head) {
    a.gate = GroupedAttention::Gate::Element;
  }
}

Attention build_grouped(const GgufLayer& layer) {
  GgufBlock& b = *layer.block;
  GroupedAttention a;
  const bool windowed = is_windowed(layer);
  set_heads(layer, windowed, a);
  const Count window = windowed ? window_of(layer) : 0;
  a.window = layer.architecture->chunked ? 0 : window;
  a.chunk = layer.architecture->chunked ? window : 0;
  a.shared_kv = shares_kv(layer);
  take_gate(b, a);
  take_qkv(b, a);
  take_qk_norms(b, a);
  b.take("attn_output", Role::Output);
  a.output_bias = b.take("attn_output.bias", Role::OutputBias);
  a.sinks = b.take("attn_sinks", Role::Sinks);
  return a;
}

std::optional<Indexer> take_indexer(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  GgufBlock& b = *layer.block;
  if (!f.has("attention.indexer.head_count")) {
    return std::nullopt;
  }
  Indexer x;
  x.heads = f.need("attention.indexer.head_count");
  x.head = f.need("attention.indexer.key_length");
  x.top_k = f.need("attention.indexer.top_k");
  x.shared = !b.take("indexer.attn_q_b", Role::IndexQuery);
  b.take("indexer.attn_k", Role::IndexKey);
  b.take("indexer.k_norm", Role::IndexKeyNorm);
  b.take("indexer.k_norm.bias", Role::IndexKeyNorm);
  b.take("indexer.proj", Role::IndexWeights);
  return x;
}

/// The up-projection is one tensor, or two of other shapes; a file that has both is read by two.
void take_latent(GgufBlock& b, LatentAttention& a) {
  b.take("attn_kv_a_mqa", Role::LatentDown);
  b.take("attn_kv_a_norm", Role::LatentNorms);
  if (b.take("attn_k_b", Role::LatentUp)) {
    b.take("attn_v_b", Role::LatentUp);
  } else {
    b.take("attn_kv_b", Role::LatentUp);
  }
  b.take("attn_output", Role::Output);
  a.gate = b.take("attn_gate", Role::AttentionGate);
}

/// Newer files have `key_length_mla`, and in `key_length` what the cache holds; older ones have
/// the head itself in `key_length`. The part with position is what the down-projection gives
/// beside the latent: `rope.dimension_count` is another number in some files.
Attention build_latent(const GgufLayer& layer) {
  GgufFields& f = *layer.fields;
  GgufBlock& b = *layer.block;
  LatentAttention a;
  a.heads = f.need_at("attention.head_count", layer.index);
  a.latent_rank = f.need("attention.kv_lora_rank");
  a.rope_head = std::max<Count>(1, b.rows("attn_kv_a_mqa") - a.latent_rank);
  const bool newer = f.has("attention.key_length_mla");
  const Count key = f.need(newer ? "attention.key_length_mla" : "attention.key_length");
  a.value_head = f.need(newer ? "attention.value_length_mla" : "attention.value_length");
  a.nope_head = std::max<Count>(1, key - a.rope_head);
  if (b.take("attn_q_a", Role::QueryDown)) {
    a.query_rank = f.need("attention.q_lora_rank");
    b.take("attn_q_a_norm", Role::LatentNorms);
    b.take("attn_q_b", Role::QueryUp);
  } else {
    b.take("attn_q", Role::QueryUp);
  }
  take_latent(b, a);
  a.indexer = take_indexer(layer);
  return a;
}

}  // namespace

Attention build_gguf_attention(const GgufLayer& layer) {
  const GgufBlock& b = *layer.block;
  if (b.has("ssm_conv1d") || b.has("ssm_conv1d_q")) {
    return build_gguf_recurrent(layer);
  }
  if (b.has("attn_kv_a_mqa")) {
    return build_latent(layer);
  }
  if (b.has("attn_q") || b.has("attn_qkv")) {
    return build_grouped(layer);
  }
  return NoAttention{};
}

}  // namespace fathom::model
