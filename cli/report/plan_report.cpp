#include "cli/report/plan_report.h"

#include "cli/report/columns.h"
#include "cli/report/format_quantity.h"
#include "cli/report/refusal_text.h"
#include "cli/report/step_report.h"
#include "cli/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fathom::cli {
namespace {

using model::Plan;
using model::PlanRow;
using model::Prediction;
using model::Resource;

std::string name_of(const PlanRow& row, const ReportContext& context) {
  return model::print_layout(row.layout, context.moe);
}

std::string ranking(const Plan& plan, const PlanView& view, const ReportContext& context) {
  Table table({"layout, best first", "tok/s", "TPOT ms", "TTFT s", "limited by",
               view.fill ? "requests" : "holds"},
              {false, true, true, true, false, true});
  int rank = 0;
  int hidden = 0;
  for (const PlanRow& row : plan.rows) {
    if (!row.prediction) {
      continue;
    }
    ++rank;
    if (!context.verbose && rank > view.top) {
      ++hidden;
      continue;
    }
    const Prediction& p = *row.prediction;
    table.add({name_of(row, context) + (row.meets_slo ? "" : " (misses)"),
               show_number(p.output_tok_s), show_milliseconds(p.tpot), show_number(p.ttft),
               fmt::format("{} {}", model::resource_name(p.limiter.resource),
                           show_percent(p.limiting_share)),
               show_number(view.fill ? row.concurrency : p.ledger.max_concurrency)});
  }
  std::string out = table.text(context.width);
  if (hidden > 0) {
    out += fmt::format("  and {} more that fit (--top N or --verbose lists them)\n", hidden);
  }
  out += view.fill
             ? "  (tok/s: output of all GPUs; requests: in flight at once)\n"
             : "  (tok/s: output of all GPUs; holds: sequences of that length in the KV cache)\n";
  return out;
}

/// Refused layouts, one line per reason with the range of what is missing.
std::string refused(const Plan& plan, const ReportContext& context) {
  struct GroupLine {
    std::vector<std::string> layouts;
    double least = 0;
    double most = 0;
  };
  std::map<std::string, GroupLine> groups;
  for (const PlanRow& row : plan.rows) {
    if (!row.refusal) {
      continue;
    }
    const bool memory = row.refusal->reason == model::RefusalReason::DoesNotFit;
    GroupLine& line = groups[memory ? "do not fit" : refusal_text(*row.refusal)];
    const double missing = row.refusal->missing.base();
    line.least = line.layouts.empty() ? missing : std::min(line.least, missing);
    line.most = std::max(line.most, missing);
    line.layouts.push_back(
        context.verbose ? fmt::format("{}: {}", name_of(row, context), refusal_text(*row.refusal))
                        : name_of(row, context));
  }
  std::string out;
  for (const auto& [reason, line] : groups) {
    std::string amount;
    if (line.most > 0) {
      amount = line.least == line.most ? fmt::format(": {} missing per GPU", show_gib(line.most))
                                       : fmt::format(": {} to {} missing per GPU",
                                                     show_gib(line.least), show_gib(line.most));
    }
    const auto count = line.layouts.size();
    out +=
        fmt::format("  {} {} {}{}\n", count, count == 1 ? "layout:" : "layouts:", reason, amount);
    const std::size_t shown = context.verbose ? count : std::min<std::size_t>(count, 1);
    for (std::size_t i = 0; i < shown; ++i) {
      out += wrap(fmt::format("    {}{}", context.verbose ? "" : "for instance ", line.layouts[i]),
                  context.width, 6) +
             "\n";
    }
  }
  return out.empty() ? out : "refused\n" + out;
}

/// The resources in which the two differ most, "link bandwidth +12.0 ms".
std::string differences(const Plan& plan) {
  std::vector<std::pair<double, Resource>> parts;
  parts.reserve(model::kTimeResourceCount);
  for (int i = 0; i < model::kTimeResourceCount; ++i) {
    parts.emplace_back(plan.lost_seconds.at(static_cast<std::size_t>(i)), static_cast<Resource>(i));
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return std::abs(a.first) > std::abs(b.first);
  });
  std::string out;
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(parts[i].first) > 1e-6) {
      out += fmt::format("{}{} {}{} ms", out.empty() ? "" : ", ",
                         model::resource_name(parts[i].second), parts[i].first > 0 ? "+" : "",
                         show_milliseconds(parts[i].first));
    }
  }
  return out;
}

std::string target_text(const char* name, double target, double value) {
  if (target <= 0) {
    return {};
  }
  return value <= target
             ? fmt::format("{} {}: met with {}", name, show_seconds(target), show_seconds(value))
             : fmt::format("{} {}: missed by {}, {}", name, show_seconds(target),
                           show_percent(value / target - 1), show_seconds(value));
}

std::string targets_text(const Prediction& p, const PlanView& view) {
  const std::string first = target_text("TTFT", view.slo_ttft, p.ttft);
  const std::string second = target_text("TPOT", view.slo_tpot, p.tpot);
  return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

std::string answer(const Plan& plan, const PlanView& view, const ReportContext& context) {
  if (!plan.choice) {
    return fmt::format("no layout of {} fits {} for {}\n", context.model, context.system,
                       view.load);
  }
  const PlanRow& best = plan.rows[*plan.choice];
  const Prediction& p = *best.prediction;
  std::string out = wrap(fmt::format("take {}: {} output for {}", name_of(best, context),
                                     show_tokens_per_second(p.output_tok_s), view.load),
                         context.width, 2) +
                    "\n";
  out += fmt::format("{} on {}, evidence: {}, objective: {}\n", context.model, context.system,
                     context.evidence, model::objective_name(view.objective));
  const auto line = [&](const char* name, const std::string& text) {
    out += wrap(fmt::format("  {:<14}{}", name, text), context.width, 16) + "\n";
  };
  line("limited by", limiter_sentence(p));
  if (p.limiter.next_elasticity > 1e-3) {
    line("next limiter",
         fmt::format("{}, once {} is {:.1f} times better", model::resource_name(p.limiter.next),
                     model::resource_name(p.limiter.resource), p.limiter.factor));
  }
  if (view.fill) {
    line("requests", fmt::format("{} in flight", show_number(best.concurrency)));
  }
  line("decode step",
       fmt::format("{} ({} to {}); tensor compute {} of it", show_seconds(p.step.total),
                   show_seconds(p.step_low), show_seconds(p.step_high),
                   show_percent(model::share_of(p.step, Resource::Compute))));
  line("TTFT", show_seconds(p.ttft) + " mean");
  line("TPOT", tpot_text(p));
  if (p.serving && p.serving->capped) {
    line("KV cache", fmt::format("holds {:.0f} sequences at once; the others wait for a slot",
                                 p.serving->running));
  }
  if (view.slo_ttft > 0 || view.slo_tpot > 0) {
    line("targets",
         targets_text(p, view) + (best.meets_slo ? "" : "; no layout that fits meets them"));
  }
  const std::string why = why_text(plan, context);
  if (!why.empty()) {
    line("runner-up", why);
  }
  return out;
}

}  // namespace

std::string why_text(const Plan& plan, const ReportContext& context) {
  if (!plan.choice || !plan.runner_up) {
    return {};
  }
  const PlanRow& best = plan.rows[*plan.choice];
  const PlanRow& second = plan.rows[*plan.runner_up];
  const std::string name = name_of(second, context);
  if (best.meets_slo && !second.meets_slo) {
    return fmt::format("{} misses the targets", name);
  }
  const double behind = best.score > 0 ? 1 - second.score / best.score : 0;
  const std::string parts = differences(plan);
  return fmt::format("{} is {:.1f} % behind; its decode step: {}", name, behind * 100,
                     parts.empty() ? "the same" : parts);
}

std::string plan_report(const model::Setup& setup, const Plan& plan, const PlanView& view,
                        const ReportContext& context) {
  std::string out = answer(plan, view, context) + "\n";
  if (plan.any_fits) {
    out += ranking(plan, view, context) + "\n";
  }
  const std::string no = refused(plan, context);
  out += no.empty() ? "" : no + "\n";
  return out + footer(assumptions(setup, view.question, context), context);
}

std::vector<Row> plan_rows(const Plan& plan, const ReportContext& context) {
  std::vector<Row> rows;
  for (const PlanRow& row : plan.rows) {
    Row out{{"layout", name_of(row, context)},
            {"concurrency", row.concurrency},
            {"fits", row.prediction.has_value()},
            {"reason", row.refusal ? Cell{refusal_text(*row.refusal)} : Cell{}}};
    const Row rest = row.prediction ? predict_columns(*row.prediction, context.evidence, {})
                                    : refused_predict_columns(refusal_text(*row.refusal));
    out.insert(out.end(), rest.begin(), rest.end());
    rows.push_back(std::move(out));
  }
  return rows;
}

Document plan_document(const model::Setup& setup, const Plan& plan, const PlanView& view,
                       const ReportContext& context) {
  Document document;
  document.schema = "fathom.plan/1";
  const auto name = [&](const std::optional<std::size_t>& index) {
    return index ? Cell{name_of(plan.rows[*index], context)} : Cell{};
  };
  document.columns = {{"model", context.model},
                      {"system", context.system},
                      {"load", view.load},
                      {"objective", std::string(model::objective_name(view.objective))},
                      {"choice", name(plan.choice)},
                      {"runner_up", name(plan.runner_up)}};
  Row why{{"text", text_or_blank(why_text(plan, context))}};
  for (int i = 0; i < model::kTimeResourceCount; ++i) {
    why.push_back({fmt::format("{}_s", model::resource_name(static_cast<Resource>(i))),
                   plan.lost_seconds.at(static_cast<std::size_t>(i))});
  }
  document.objects.emplace_back("why", std::move(why));
  document.tables.emplace_back("layouts", plan_rows(plan, context));
  document.assumptions = assumptions(setup, view.question, context);
  document.sources = context.sources;
  document.warnings = context.notes;
  return document;
}

}  // namespace fathom::cli
