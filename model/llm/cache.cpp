#include "model/llm/cache.h"

#include <algorithm>

namespace fathom::model {
namespace {

/// The engines' row of a sparse latent cache in FP8 has one FP32 scale per 128 latent elements and
/// keeps the rope part in BF16; an index key has one FP32 scale.
constexpr double kLatentScaleBlock = 128;
constexpr double kScaleBytes = 4;
constexpr double kRopeBytes = 2;
/// DeepSeek-V4's FP8 entry: one E8M0 byte for each 64 elements, rounded up to 8 bytes.
constexpr double kEntryScaleBytes = 8;
/// An index key of DeepSeek-V4 is FP4; its scales differ between engines and are left out.
constexpr double kFp4Bytes = 0.5;
/// Convolution tails and running sums of a compressor.
constexpr double kConvBytes = 2;
constexpr double kRunningBytes = 4;

double number(Count count) { return static_cast<double>(count); }
double element_bytes(Format format) { return hardware::numeric_format(format).payload_bits / 8.0; }

Bytes index_key(const Indexer& x) {
  return x.shared ? Bytes() : Bytes(number(x.head) + kScaleBytes);
}

LayerCache cache_of(const GroupedAttention& a, const CacheFormats& f, Count kv_heads,
                    Count /*tp*/) {
  LayerCache out;
  if (a.shared_kv) {
    return out;
  }
  out.row = Bytes(number(kv_heads * (a.head + a.value_head)) * element_bytes(f.kv));
  out.bound = a.window > 0 ? a.window : a.chunk;
  out.index = a.indexer ? index_key(*a.indexer) : Bytes();
  return out;
}

LayerCache cache_of(const LatentAttention& a, const CacheFormats& f, Count /*heads*/,
                    Count /*tp*/) {
  const double element = element_bytes(f.kv);
  const double rank = number(a.latent_rank);
  const double rope = number(a.rope_head);
  LayerCache out;
  out.row = Bytes((rank + rope) * element);
  if (a.indexer) {
    if (element < kRopeBytes) {
      out.row = Bytes(rank * element + rank / kLatentScaleBlock * kScaleBytes + rope * kRopeBytes);
    }
    out.index = index_key(*a.indexer);
  }
  return out;
}

LayerCache cache_of(const CompressedAttention& a, const CacheFormats& f, Count /*heads*/,
                    Count /*tp*/) {
  const double element = element_bytes(f.kv);
  const double nope = number(a.head - a.rope_head);
  const double entry = element < kRopeBytes
                           ? nope * element + number(a.rope_head) * kRopeBytes + kEntryScaleBytes
                           : number(a.head) * element;
  LayerCache out;
  out.row = Bytes(entry);
  out.bound = a.window;
  out.ring = true;
  if (a.ratio > 0) {
    const double ratio = number(a.ratio);
    const double overlap = a.indexer ? 2 : 1;
    out.growing = Bytes(entry / ratio);
    // Sums and weights of the entry that is being filled.
    out.state = Bytes(2 * ratio * overlap * number(a.head) * kRunningBytes);
    if (a.indexer) {
      out.index = Bytes(number(a.indexer->head) * kFp4Bytes / ratio);
    }
  }
  return out;
}

/// State of `elements` and a convolution tail of `channels` x (taps - 1), divided over TP.
LayerCache recurrent(double elements, double channels, Count taps, Format format, Count tp) {
  LayerCache out;
  const double tail = channels * number(std::max<Count>(taps - 1, 0)) * kConvBytes;
  out.state = Bytes((elements * element_bytes(format) + tail) / number(tp));
  return out;
}

LayerCache cache_of(const Mamba1& m, const CacheFormats& f, Count /*heads*/, Count tp) {
  return recurrent(number(m.inner * m.state), number(m.inner), m.conv, f.state, tp);
}

LayerCache cache_of(const Mamba2& m, const CacheFormats& f, Count groups, Count tp) {
  const double inner = number(m.heads * m.head);
  LayerCache out = recurrent(inner * number(m.state), inner, m.conv, f.state, tp);
  // B and C pass the convolution too; a rank holds whole groups.
  out.state += Bytes(number(2 * groups * m.state * std::max<Count>(m.conv - 1, 0)) * kConvBytes);
  return out;
}

LayerCache cache_of(const DeltaNet& m, const CacheFormats& f, Count /*heads*/, Count tp) {
  const double channels = number(2 * m.key_heads * m.key_head + m.value_heads * m.value_head);
  return recurrent(number(m.value_heads * m.key_head * m.value_head), channels, m.conv, f.state,
                   tp);
}

LayerCache cache_of(const KeyedDelta& m, const CacheFormats& f, Count /*heads*/, Count tp) {
  const double inner = number(m.heads * m.head);
  return recurrent(inner * number(m.head), 3 * inner, m.conv, f.state, tp);
}

LayerCache cache_of(const LightningAttention& m, const CacheFormats& f, Count /*heads*/, Count tp) {
  return recurrent(number(m.heads * m.head * m.head), 0, 1, f.state, tp);
}

LayerCache cache_of(const NoAttention& /*none*/, const CacheFormats& /*f*/, Count /*heads*/,
                    Count /*tp*/) {
  return {};
}

}  // namespace

Bytes LayerCache::of_sequence(double tokens) const {
  const double most = ring ? number(bound) : std::min(tokens, number(bound));
  const double rows = bound > 0 ? most : tokens;
  return row * rows + (growing + index) * tokens + state;
}

Bytes LayerCache::fixed() const { return ring ? row * number(bound) + state : state; }

LayerCache layer_cache(const Attention& attention, const CacheFormats& formats, Count kv_heads,
                       Count tp) {
  return std::visit([&](const auto& a) { return cache_of(a, formats, kv_heads, tp); }, attention);
}

Count all_kv_heads(const Attention& attention) {
  if (const auto* grouped = std::get_if<GroupedAttention>(&attention)) {
    return grouped->kv_heads;
  }
  const auto* mamba = std::get_if<Mamba2>(&attention);
  return mamba == nullptr ? 1 : mamba->groups;
}

Count kv_heads_on_rank(const Attention& attention, Count tp) {
  return std::max<Count>(1, all_kv_heads(attention) / tp);
}

}  // namespace fathom::model
