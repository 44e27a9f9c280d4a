#include "cli/report/step_report.h"

#include "cli/report/format_quantity.h"
#include "cli/report/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using model::AskedPhase;
using model::Prediction;
using model::Resource;

std::string headline(const Prediction& p, const model::Question& q, const ReportContext& c) {
  const std::string layout = model::print_layout(p.layout, c.moe);
  switch (p.phase) {
    case AskedPhase::Decode:
      return fmt::format("decode step, {}, {:.0f} sequence{} at {} tokens of context", layout,
                         p.shape.sequences, p.shape.sequences == 1 ? "" : "s",
                         show_number(p.shape.context));
    case AskedPhase::Prefill:
      return fmt::format("prefill step, {}, {:.0f} prompt{} of {} tokens", layout,
                         p.shape.sequences, p.shape.sequences == 1 ? "" : "s",
                         show_number(p.shape.new_tokens));
    case AskedPhase::Serve:
      return fmt::format("serving, {}, {} concurrent requests of {}/{} tokens", layout,
                         show_number(std::max(q.concurrency, p.serving->running)),
                         show_number(q.isl), show_number(q.osl));
  }
  return {};
}

/// The two largest operators of a resource, "expert up 9.8, attention 2.3".
std::string largest(const std::vector<model::PricedOperator>& operators,
                    double hardware::Cost::*part) {
  std::vector<std::pair<double, const char*>> sums;
  for (const auto& op : operators) {
    const double seconds = op.cost.*part * op.times;
    const char* name = model::operator_name(op.kind);
    const auto found = std::find_if(sums.begin(), sums.end(),
                                    [name](const auto& sum) { return sum.second == name; });
    if (found == sums.end()) {
      sums.emplace_back(seconds, name);
    } else {
      found->first += seconds;
    }
  }
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (std::size_t i = 0; i < sums.size() && i < 2 && sums[i].first > 0; ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", sums[i].second,
                       show_milliseconds(sums[i].first));
  }
  return out;
}

std::string largest_of(const std::vector<model::PricedOperator>& operators, Resource resource) {
  switch (resource) {
    case Resource::Compute:
      return largest(operators, &hardware::Cost::compute);
    case Resource::Memory:
      return largest(operators, &hardware::Cost::memory);
    case Resource::LinkBandwidth:
      return largest(operators, &hardware::Cost::link_bandwidth);
    case Resource::LinkLatency:
      return largest(operators, &hardware::Cost::link_latency);
    case Resource::Launch:
      return largest(operators, &hardware::Cost::launch);
    case Resource::Imbalance:
      return largest(operators, &hardware::Cost::imbalance);
    case Resource::Host:
      return "launches, scheduling and sampling on the CPU";
    case Resource::Bubble:
      return "stages that wait for the longest one";
    case Resource::Power:
    case Resource::Clock:
    case Resource::MemoryCapacity:
      return {};
  }
  return {};
}

std::string resource_table(const Prediction& p,
                           const std::vector<model::PricedOperator>& operators) {
  std::array<Resource, model::kTimeResourceCount> order{};
  for (std::size_t i = 0; i < order.size(); ++i) {
    order.at(i) = static_cast<Resource>(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](Resource a, Resource b) {
    return model::seconds_of(p.step, a) > model::seconds_of(p.step, b);
  });
  Table table({"resource", "ms", "share", "elast.", "largest parts, ms"},
              {false, true, true, true, false});
  for (const Resource resource : order) {
    table.add({model::resource_name(resource),
               show_milliseconds(model::seconds_of(p.step, resource)),
               show_percent(model::share_of(p.step, resource)),
               fmt::format("{:.2f}", p.elasticities.at(static_cast<std::size_t>(resource))),
               largest_of(operators, resource)});
  }
  return table.text();
}

std::string operator_table(const std::vector<model::PricedOperator>& operators) {
  Table table({"operator", "times", "us each", "weights MB", "cache MB", "GFLOP", "message"},
              {false, true, true, true, true, true, true});
  for (const auto& op : operators) {
    table.add({fmt::format("{}{}", model::operator_name(op.kind), op.draft ? " (draft)" : ""),
               show_number(op.times), show_number(op.cost.total() * 1e6),
               show_number(op.work.weight_bytes.base() / 1e6),
               show_number(op.work.cache_bytes.base() / 1e6),
               show_number(op.work.flop.base() / 1e9),
               op.work.message.base() > 0 ? show_kib(op.work.message.base()) : ""});
  }
  return table.text();
}

std::string power_text(const Prediction& p) {
  const std::string counters =
      fmt::format("util.gpu about {:.0f} %, util.memory about {:.0f} %", p.util_gpu, p.util_memory);
  if (p.power <= 0) {
    return "unknown: the accelerator states no power model, so no limit is applied; " + counters;
  }
  const bool held = p.step.power_capped || p.prompt_step.power_capped;
  return fmt::format("{:.0f} W a GPU at {:.0f} MHz{}; {}", p.power, p.step.clock / 1e6,
                     held ? " (held down by the power limit)" : "", counters);
}

std::string rates(const Prediction& p, int width) {
  std::string out;
  const auto line = [&](const char* name, const std::string& text) {
    out += wrap(fmt::format("  {:<18}{}", name, text), width, 20) + "\n";
  };
  if (p.output_tok_s > 0) {
    line("throughput", fmt::format("{} output{}", show_tokens_per_second(p.output_tok_s),
                                   p.serving ? fmt::format(", {} in and out",
                                                           show_tokens_per_second(p.total_tok_s))
                                             : ""));
  } else if (p.total_tok_s > 0) {
    line("throughput", show_tokens_per_second(p.total_tok_s) + " of prompt");
  }
  if (p.ttft > 0) {
    line("TTFT", show_seconds(p.ttft) + (p.serving ? " mean" : ""));
  }
  if (p.tpot > 0) {
    line("TPOT", tpot_text(p));
  }
  if (p.serving && p.serving->capped) {
    line("KV cache",
         fmt::format("holds {:.0f} sequences at once; the others wait", p.serving->running));
  }
  line("power and clock", power_text(p));
  if (p.energy_per_token > 0) {
    line("energy",
         fmt::format("{} J a token, all GPUs{}", show_number(p.energy_per_token),
                     p.cost_per_mtok > 0 ? fmt::format("; {} USD per million output tokens",
                                                       show_number(p.cost_per_mtok))
                                         : ""));
  }
  return out;
}

}  // namespace

std::string limiter_sentence(const Prediction& p) {
  const model::Limiter& l = p.limiter;
  std::string out =
      fmt::format("{} ({} of {})", model::resource_name(l.resource), show_percent(p.limiting_share),
                  p.serving ? "the time, prompts included" : "the step");
  if (l.both) {
    out += fmt::format(", and {} within the uncertainty (margin {:.1f}x)",
                       model::resource_name(l.next), l.margin());
  }
  return out;
}

std::string next_text(const model::Limiter& l) {
  constexpr double kLevel = 1.05;
  if (l.factor < kLevel) {
    return fmt::format("{}, level with {}", model::resource_name(l.next),
                       model::resource_name(l.resource));
  }
  return fmt::format("{}, once {} is {:.1f} times better", model::resource_name(l.next),
                     model::resource_name(l.resource), l.factor);
}

std::string tpot_text(const Prediction& p) {
  std::string out = show_seconds(p.tpot);
  if (p.serving && p.serving->interference > 0) {
    out += fmt::format(": decode step {} and {} for prompts of others",
                       show_seconds(p.serving->decode_step), show_seconds(p.serving->interference));
    if (p.tokens_per_step > 1) {
      out += fmt::format(", {:.2f} tokens each", p.tokens_per_step);
    }
    out += ";";
  } else {
    out += ",";
  }
  return out + fmt::format(" {} per user", show_tokens_per_second(p.tok_s_per_user));
}

std::string predict_report(const model::Setup& setup, const model::Question& question,
                           const Prediction& p, const std::vector<model::PricedOperator>& operators,
                           const ReportContext& context) {
  std::string out = fmt::format("{}\n{} on {}, evidence: {}\n",
                                wrap(headline(p, question, context), context.width, 2),
                                context.model, context.system, context.evidence);
  const auto line = [&](const char* name, const std::string& text) {
    out += wrap(fmt::format("  {:<18}{}", name, text), context.width, 20) + "\n";
  };
  line(p.phase == AskedPhase::Serve ? "decode step" : "step time",
       fmt::format("{} ({} to {}), limited by {}", show_seconds(p.step.total),
                   show_seconds(p.step_low), show_seconds(p.step_high), limiter_sentence(p)));
  if (p.limiter.next_elasticity > 1e-3) {
    line("next limiter", next_text(p.limiter));
  }
  out += rates(p, context.width) + "\n";
  if (p.serving) {
    out += "the decode step by resource; elast. is of the output rate, prompts included\n";
  }
  out += resource_table(p, operators);
  if (context.verbose) {
    out += "\n" + operator_table(operators);
  }
  return out + "\n" + footer(assumptions(setup, question, context), context);
}

}  // namespace fathom::cli
