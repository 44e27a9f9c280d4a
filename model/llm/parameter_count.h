#pragma once

#include "hardware/base/diagnostics.h"
#include "model/llm/cache.h"
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

/// Cache bytes of one more token while no window is full, index keys apart.
struct KvRow {
  Bytes cache;
  Bytes index;
  [[nodiscard]] Bytes total() const { return cache + index; }
};

/// Whole model at TP1, without MTP. Source: docs/physics.md section 2.
KvRow kv_bytes_per_token(const ModelSpec& model, Format kv_format);

/// The same beyond every window.
Bytes kv_bytes_beyond_windows(const ModelSpec& model, Format kv_format);

/// What a sequence of so many tokens holds: rows, index keys, state. Whole model at TP1.
Bytes cache_of_sequence(const ModelSpec& model, Format kv_format, double tokens);

/// Recurrent state, convolution tails and running sums of one sequence, whatever its length.
Bytes state_bytes_per_sequence(const ModelSpec& model);

/// Rings of a fixed size beside growing entries (DeepSeek-V4's window), of one sequence.
Bytes ring_bytes_per_sequence(const ModelSpec& model, Format kv_format);

}  // namespace fathom::model
