#include "model/serving/steady_state.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

/// Share of a prefill's time that decoding sequences feel: chunks share the fixed cost of the
/// step they ride in. Source: docs/physics.md section 8.
constexpr double kInterference = 0.75;

}  // namespace

ServingMetrics steady_state(const ClosedLoop& load, const DecodeSeconds& decode,
                            const PrefillSeconds& prefill) {
  ServingMetrics out;
  out.capped = load.concurrency > load.max_concurrency;
  out.running = out.capped ? load.max_concurrency : load.concurrency;
  const double steps = std::max(1.0, (load.osl - 1) / load.tokens_per_step);
  out.decode_step = load.osl > 1 ? decode(out.running, load.isl + load.osl / 2) : 0;

  // In steady state one prompt arrives for each that ends: running / steps per decode step.
  const double arrivals = out.running / steps;
  const double others = std::max(0.0, (out.running - 1) / steps);
  out.together = std::floor(std::clamp(arrivals, 1.0, std::max(1.0, load.batched_prompts)));
  out.prefill = prefill(out.together, load.isl);
  const double prompt = out.prefill / out.together;
  out.interference = load.osl > 1 ? kInterference * others * prompt : 0;
  const double step = out.decode_step + out.interference;
  out.tpot = load.osl > 1 ? step / load.tokens_per_step : 0;
  out.ttft = out.prefill + (out.running > 1 ? 0.5 * out.decode_step : 0);
  const double busy = out.ttft + step * steps;
  // The prefills of all running sequences also bound the rate.
  const double cycle = std::max(busy, out.running * prompt);
  out.ttft += cycle - busy;
  out.requests_per_s = cycle > 0 ? out.running / cycle : 0;
  if (out.capped && out.requests_per_s > 0) {
    out.ttft += (load.concurrency - out.running) / out.requests_per_s;
  }
  out.e2e = out.ttft + out.tpot * std::max(0.0, load.osl - 1);
  out.output_tok_s = out.requests_per_s * load.osl;
  out.total_tok_s = out.requests_per_s * (load.isl + load.osl);
  return out;
}

}  // namespace fathom::model
