#include "cli/report/context.h"

#include "cli/report/format_quantity.h"
#include "cli/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fathom::cli {
namespace {

using model::AskedPhase;

std::string kv_text(const model::Setup& setup, const model::Question& q) {
  if (q.run.kv_format) {
    return fmt::format("KV cache in {}", hardware::format_name(*q.run.kv_format));
  }
  if (setup.engine.kv_format) {
    return fmt::format("KV cache in {} (the engine's default)",
                       hardware::format_name(*setup.engine.kv_format));
  }
  return fmt::format("KV cache in {} (the checkpoint's default)",
                     hardware::format_name(setup.model.kv_format));
}

void add_defaults(const model::Setup& setup, const model::Question& q,
                  std::vector<std::string>& out) {
  out.push_back(fmt::format("engine {}", setup.engine.id));
  out.push_back(kv_text(setup, q));
  out.emplace_back(q.run.cuda_graphs ? "CUDA graphs on" : "CUDA graphs off");
  if (q.run.spec_tokens > 0) {
    out.push_back(
        q.spec_acceptance >= 0
            ? fmt::format("{} drafted tokens, acceptance {}", q.run.spec_tokens, q.spec_acceptance)
            : fmt::format("{} drafted tokens, acceptance {} assumed", q.run.spec_tokens,
                          model::kAssumedAcceptance));
    if (setup.model.mtp.empty()) {
      out.emplace_back(
          "the draft is one layer with a dense FFN and the lm_head (the model has no "
          "MTP layer)");
    }
  }
}

}  // namespace

std::vector<std::string> assumptions(const model::Setup& setup, const model::Question& q,
                                     const ReportContext& context) {
  std::vector<std::string> out;
  add_defaults(setup, q, out);
  if (context.moe) {
    out.emplace_back(
        "experts drawn evenly and independently, and under EP the step waits for the fullest rank");
  }
  out.emplace_back("no overlap of messages and kernels");
  if (setup.bound) {
    out.emplace_back("bound: datasheet rates only, no latency, launch or host time");
  } else {
    out.push_back(fmt::format("not calibrated: each term known within a factor of {:.2f}",
                              setup.coefficients.term_uncertainty));
    const double limit = q.run.power_limit.base() > 0
                             ? q.run.power_limit.base()
                             : setup.system.accelerator.power_limit_max.base();
    out.push_back(fmt::format("power limit {:.0f} W", limit));
  }
  if (q.phase == AskedPhase::Serve) {
    out.emplace_back("serving figures are a closed form on mean lengths, not a simulation");
  }
  return out;
}

std::string footer(const std::vector<std::string>& assumed, const ReportContext& context) {
  std::string out =
      wrap(fmt::format("assumes: {}", fmt::join(assumed, "; ")), context.width, 9) + "\n";
  if (!context.notes.empty()) {
    out += wrap(fmt::format("notes: {}", fmt::join(context.notes, "; ")), context.width, 7) + "\n";
  }
  bool first = true;
  for (const std::string& source : context.sources) {
    // The origin in brackets is long; the place tells where to read it.
    const std::string shown = context.verbose ? source : source.substr(0, source.find(" ("));
    out += wrap((first ? "sources: " : "         ") + shown, context.width, 11) + "\n";
    first = false;
  }
  return out;
}

}  // namespace fathom::cli
