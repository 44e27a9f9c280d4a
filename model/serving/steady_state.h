#pragma once

#include "hardware/base/quantity.h"

#include <functional>

namespace fathom::model {

/// The traffic of a closed loop: `concurrency` requests always in flight.
struct ClosedLoop {
  double concurrency = 1;
  double isl = 0;
  double osl = 0;
  double tokens_per_step = 1;     ///< emitted by one decode step of one sequence
  double max_concurrency = 1e18;  ///< that the KV cache holds; 0 = any
  double batched_prompts = 1;     ///< most prompts that one prefill step of the deployment takes
};

/// What a user feels, means. Blank values are negative.
struct ServingMetrics {
  double running = 0;       ///< sequences really decoded together
  double decode_step = 0;   ///< seconds, mean
  double interference = 0;  ///< seconds that prompts of others add to each decode step
  double prefill = 0;       ///< seconds of one prefill step, of `together` prompts
  double together = 1;
  double ttft = 0;
  double tpot = 0;
  double e2e = 0;
  double requests_per_s = 0;
  double output_tok_s = 0;
  double total_tok_s = 0;
  bool capped = false;  ///< by the KV cache: the rest waits
};

/// Seconds of a decode step of `batch` sequences at `context`, and of a prefill of `sequences`
/// prompts of `isl` tokens.
using DecodeSeconds = std::function<double(double batch, double context)>;
using PrefillSeconds = std::function<double(double sequences, double isl)>;

/// Closed form (docs/physics.md section 8): TPOT = T_decode + pi * (C/osl) * T_prefill with
/// pi 0.75, mean context isl + osl/2. Prompts that arrive in one step are prefilled together, up to
/// the engine's token budget. TTFT = that prefill and half of the step in progress and, when the
/// KV cache caps the batch, the wait for a slot (Little's law).
ServingMetrics steady_state(const ClosedLoop& load, const DecodeSeconds& decode,
                            const PrefillSeconds& prefill);

}  // namespace fathom::model
