#include "cli/report/block_text.h"

#include "cli/report/format_quantity.h"

#include <fmt/format.h>

namespace fathom::cli {
namespace {

using hardware::Count;

std::string whole(Count count) { return show_number(static_cast<double>(count)); }

std::string indexer_text(const model::Indexer& x) {
  if (x.shared) {
    return fmt::format("; sparse: {} tokens picked by an earlier layer", whole(x.top_k));
  }
  return fmt::format("; sparse ({}): indexer of {} heads x {} picks {} tokens",
                     x.block == 1 ? "DSA" : "blocks of " + whole(x.block), x.heads, x.head,
                     whole(x.top_k));
}

std::string text_of(const model::GroupedAttention& g) {
  std::string out =
      fmt::format("grouped, {} query heads, {} KV heads of {}", g.heads, g.kv_heads, g.head);
  out += g.value_head != g.head ? fmt::format(" (values of {})", g.value_head) : "";
  out += g.window > 0 ? ", window " + whole(g.window) : "";
  out += g.chunk > 0 ? ", chunks of " + whole(g.chunk) : "";
  out += g.query_rank > 0 ? ", query rank " + whole(g.query_rank) : "";
  out += g.shared_kv ? ", cache of an earlier layer" : "";
  return out + (g.indexer ? indexer_text(*g.indexer) : "");
}

std::string text_of(const model::LatentAttention& a) {
  return fmt::format("latent (MLA), {} heads, latent {} + rope {}, query rank {}{}", a.heads,
                     a.latent_rank, a.rope_head, a.query_rank > 0 ? whole(a.query_rank) : "none",
                     a.indexer ? indexer_text(*a.indexer) : "");
}

std::string text_of(const model::CompressedAttention& a) {
  std::string out = fmt::format("compressed, {} heads over one latent of {}, window {}", a.heads,
                                a.head, whole(a.window));
  out += a.ratio > 0 ? fmt::format(", one entry for {} tokens", a.ratio) : "";
  if (a.indexer) {
    out += fmt::format("; sparse: indexer of {} heads x {} picks {} entries", a.indexer->heads,
                       a.indexer->head, whole(a.indexer->top_k));
  }
  return out;
}

std::string text_of(const model::Mamba1& m) {
  return fmt::format("Mamba-1, {} channels, state {}", whole(m.inner), m.state);
}
std::string text_of(const model::Mamba2& m) {
  return fmt::format("Mamba-2, {} heads of {}, state {}, {} groups", m.heads, m.head, m.state,
                     m.groups);
}
std::string text_of(const model::DeltaNet& m) {
  return fmt::format("gated DeltaNet, {} value heads of {}, {} key heads of {}", m.value_heads,
                     m.value_head, m.key_heads, m.key_head);
}
std::string text_of(const model::KeyedDelta& m) {
  return fmt::format("Kimi delta attention, {} heads of {}", m.heads, m.head);
}
std::string text_of(const model::LightningAttention& m) {
  return fmt::format("lightning attention, {} heads of {}", m.heads, m.head);
}
std::string text_of(const model::NoAttention& /*none*/) { return "none"; }

std::string text_of(const model::DenseMlp& f) {
  return fmt::format("dense FFN of width {}{}", whole(f.width), f.gated ? "" : " (not gated)");
}

std::string text_of(const model::MoeMlp& f) {
  std::string out =
      fmt::format("{} experts, top {}, of width {}", f.experts, f.top_k, whole(f.width));
  out += f.gated ? "" : " (not gated)";
  out += f.latent > 0 ? " in a latent of " + whole(f.latent) : "";
  out += f.shared_width > 0 ? ", shared width " + whole(f.shared_width) : "";
  out += f.zero_experts > 0 ? fmt::format(", {} choices that cost nothing", f.zero_experts) : "";
  return out;
}

std::string text_of(const model::NoMlp& /*none*/) { return "no FFN"; }

}  // namespace

std::string attention_text(const model::Attention& attention) {
  return std::visit([](const auto& a) { return text_of(a); }, attention);
}

std::string mlp_text(const model::Mlp& mlp) {
  return std::visit([](const auto& f) { return text_of(f); }, mlp);
}

}  // namespace fathom::cli
