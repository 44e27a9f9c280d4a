#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"
#include "model/llm/attention.h"

namespace fathom::model {

using hardware::Bytes;
using hardware::Format;

/// What one layer keeps of one sequence on one rank. Source: docs/physics.md section 2.
struct LayerCache {
  Bytes row;          ///< of each token, up to `bound` of them
  Count bound = 0;    ///< the window or chunk that bounds the rows; 0 = every token keeps its row
  bool ring = false;  ///< the bounded rows are a ring of fixed size beside growing entries
  Bytes growing;      ///< compressed entries, for each token of the context
  Bytes index;        ///< index keys, for each token of the context
  Bytes state;        ///< recurrent state and convolution tail, whatever the length

  /// Bytes of a sequence of `tokens` tokens.
  [[nodiscard]] Bytes of_sequence(double tokens) const;
  /// What one more token costs while no window is full; a ring counts as fixed.
  [[nodiscard]] Bytes per_token() const { return growing + index + (ring ? Bytes() : row); }
  /// What one more token costs beyond every window.
  [[nodiscard]] Bytes beyond_bound() const { return growing + index + (bound > 0 ? Bytes() : row); }
  /// What a sequence costs whatever its length: state and ring.
  [[nodiscard]] Bytes fixed() const;
};

/// How the cache of a model is stored.
struct CacheFormats {
  Format kv = Format::Bf16;
  Format state = Format::Fp32;
};

/// `kv_heads` and `tp`: the KV heads that a rank holds, and over how many ranks state is divided.
/// FP8 latent rows of sparse attention are 656 bytes as engines store them (512 FP8, 4 FP32 scales,
/// 64 BF16 rope values), of compressed attention 584 (448 FP8, 64 BF16, 8 of scales); an index
/// key of DSA is one FP8 vector with an FP32 scale, of compressed attention one FP4 vector.
LayerCache layer_cache(const Attention& attention, const CacheFormats& formats, Count kv_heads,
                       Count tp);

/// KV heads of one rank: max(1, Hkv / TP); groups of B and C count as KV heads; 1 for a latent.
Count kv_heads_on_rank(const Attention& attention, Count tp);

/// KV heads of the whole layer, 1 where there are none.
Count all_kv_heads(const Attention& attention);

}  // namespace fathom::model
