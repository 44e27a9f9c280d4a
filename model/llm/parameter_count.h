#pragma once

#include "hardware/base/diagnostics.h"
#include "model/llm/model_spec.h"

#include <array>
#include <string>
#include <vector>

namespace fathom::model {

/// Parameters, bytes and formats of one group.
struct GroupCensus {
  Count parameters = 0;
  Bytes bytes;
  std::array<Bytes, hardware::kFormatCount> bytes_by_format{};
};

/// Counts derived once from the shapes; FLOP, bytes and capacity use the same tensors.
struct Census {
  std::array<GroupCensus, kGroupCount> groups{};  ///< Mtp holds all of the MTP layers
  Count total = 0;                                ///< without MTP
  Count mtp = 0;
  Bytes weight_bytes;  ///< without MTP
  Bytes mtp_bytes;
  Count active_all = 0;  ///< every parameter that a token touches
  Count active_no_input_embedding = 0;
  Count active_no_embeddings = 0;
};

Census take_census(const ModelSpec& model);

/// Parameters with MTP in floating point: cannot overflow, whatever the shapes.
double rough_parameters(const ModelSpec& model);

/// Cache bytes of one token in one layer: the latent row or the keys and values of `kv_heads`
/// heads, and the index key. FP8 latent rows of sparse attention are 656 bytes as engines
/// store them (512 FP8, 4 FP32 scales, 64 BF16 rope values); dense ones are 1 byte an element.
struct KvRow {
  Bytes cache;
  Bytes index;
  [[nodiscard]] Bytes total() const { return cache + index; }
};

/// Source: docs/physics.md section 2.
KvRow kv_row(const Attention& attention, Format kv_format, Count kv_heads_on_rank);

/// Whole model at TP1, without MTP.
KvRow kv_bytes_per_token(const ModelSpec& model, Format kv_format);

/// The KV heads that one of `tp` ranks holds: max(1, heads/tp); 1 for a latent cache.
Count kv_heads_on_rank(const Attention& attention, Count tp);

}  // namespace fathom::model
