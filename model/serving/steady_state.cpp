#include "model/serving/steady_state.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

/// Share of a prefill's time that decoding sequences feel: chunks share the fixed cost of the
/// step they ride in. Empirical, not derived: docs/physics.md section 8 names the data.
constexpr double kInterference = 0.75;

/// A prefill step of `together` prompts; between whole numbers the cost of one is interpolated, so
/// that the closed form has no ladder.
struct Prompts {
  double together = 1;
  double seconds = 0;
};

Prompts prompts_of(double together, double isl, const PrefillSeconds& prefill) {
  const double whole = std::floor(together);
  const double part = together - whole;
  const double low = prefill(whole, isl) / whole;
  const double each = part > 0 ? low + part * (prefill(whole + 1, isl) / (whole + 1) - low) : low;
  return {together, each * together};
}

/// Sets the times that depend on the prompts; returns the seconds from arrival to the last token.
double fill(const ClosedLoop& load, double steps, const Prompts& prompts, ServingMetrics& out) {
  out.together = prompts.together;
  out.prefill = prompts.seconds;
  const double others = steps > 0 ? std::max(0.0, (out.running - 1) / steps) : 0;
  out.interference = kInterference * others * prompts.seconds / prompts.together;
  const double step = out.decode_step + out.interference;
  out.tpot = steps > 0 ? step / load.tokens_per_step : 0;
  out.ttft = prompts.seconds + (out.running > 1 ? 0.5 * out.decode_step : 0);
  return out.ttft + step * steps;
}

}  // namespace

ServingMetrics steady_state(const ClosedLoop& load, const DecodeSeconds& decode,
                            const PrefillSeconds& prefill) {
  ServingMetrics out;
  out.capped = load.concurrency > load.max_concurrency;
  out.running = out.capped ? load.max_concurrency : load.concurrency;
  const double steps = std::max(0.0, (load.osl - 1) / load.tokens_per_step);
  out.decode_step = steps > 0 ? decode(out.running, load.isl + load.osl / 2) : 0;

  const double most = std::max(1.0, std::min(out.running, load.batched_prompts));
  // In steady state one prompt arrives for each that ends: running / steps per decode step.
  const double arrivals = steps > 0 ? out.running / steps : out.running;
  double cycle =
      fill(load, steps, prompts_of(std::clamp(arrivals, 1.0, most), load.isl, prefill), out);
  if (out.running * out.prefill / out.together > cycle) {
    // Prompts queue, and a queue is taken in the largest batches.
    cycle = fill(load, steps, prompts_of(most, load.isl, prefill), out);
  }
  const double bound = std::max(cycle, out.running * out.prefill / out.together);
  out.ttft += bound - cycle;
  out.requests_per_s = bound > 0 ? out.running / bound : 0;
  if (out.capped && out.requests_per_s > 0) {
    out.ttft += (load.concurrency - out.running) / out.requests_per_s;
  }
  out.e2e = out.ttft + (out.decode_step + out.interference) * steps;
  out.output_tok_s = out.requests_per_s * load.osl;
  out.total_tok_s = out.requests_per_s * (load.isl + load.osl);
  return out;
}

}  // namespace fathom::model
