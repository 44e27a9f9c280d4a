#pragma once

#include <cstdint>

namespace fathom::model {

enum class Phase : std::uint8_t { Decode, Prefill };

/// One step of one DP rank and one PP micro-batch. Counts are expected values, so fractions occur.
struct StepShape {
  Phase phase = Phase::Decode;
  double sequences = 1;   ///< on this DP rank, in this micro-batch
  double new_tokens = 1;  ///< per sequence in this step
  double context = 0;     ///< tokens each already has in the cache
  double sampled = 1;     ///< positions per sequence that need logits

  [[nodiscard]] double tokens() const { return sequences * new_tokens; }
};

}  // namespace fathom::model
