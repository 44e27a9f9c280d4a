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
  /// Sequences of all DP ranks together in this micro-batch, which the experts see; 0 = every rank
  /// holds `sequences`. Where the batch does not divide, the fullest rank holds more than the mean.
  double all_sequences = 0;

  [[nodiscard]] double tokens() const { return sequences * new_tokens; }
  [[nodiscard]] double all_tokens(double dp_ranks) const {
    return (all_sequences > 0 ? all_sequences : sequences * dp_ranks) * new_tokens;
  }
};

}  // namespace fathom::model
