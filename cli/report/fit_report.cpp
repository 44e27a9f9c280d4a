#include "cli/report/fit_report.h"

#include "cli/report/format_quantity.h"
#include "cli/report/refusal_text.h"
#include "cli/report/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using model::Ledger;
using model::Refusal;

std::string gib(hardware::Bytes bytes) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{:.1f}", bytes.base() / kGib);
}

double fraction_of(const Ledger& l) { return l.budget / l.usable; }

std::string length_text(const model::Setup& setup, const model::Question& q) {
  const double asked = std::max(0.0, q.isl) + std::max(0.0, q.osl);
  const double context = q.context > 0 ? q.context + 1 : 0;
  double length = asked > 0 ? asked : context;
  if (q.max_model_len > 0) {
    length = static_cast<double>(q.max_model_len);
  }
  return length > 0 ? fmt::format("{} tokens", show_number(length))
                    : fmt::format("{} tokens (the model's longest)",
                                  show_number(static_cast<double>(setup.model.max_context)));
}

std::string headline(const Ledger& l, const std::string& layout, const ReportContext& context) {
  if (!l.fits) {
    return fmt::format("no: {} does not fit {} with {}; {} missing per GPU", context.model,
                       context.system, layout, show_gib(l.missing.base()));
  }
  return fmt::format("yes: {} fits {} with {}", context.model, context.system, layout);
}

std::string capacity_lines(const Ledger& l, const std::string& length) {
  std::string out;
  out += fmt::format("  {:<22}{} tokens ({} in one engine), {} a token and GPU\n", "KV cache",
                     show_number(static_cast<double>(l.kv_tokens)),
                     show_number(static_cast<double>(l.kv_tokens_engine)),
                     show_kib(l.kv_bytes_per_token.base()));
  out += fmt::format("  {:<22}{} sequences of {}\n", "concurrency", show_number(l.max_concurrency),
                     length);
  out += fmt::format("  {:<22}{}\n", "smallest fraction",
                     l.min_fraction > 1
                         ? std::string("none: above 1")
                         : fmt::format("{:.3f} holds one such sequence", l.min_fraction));
  return out;
}

/// Those that fit, most tokens first, then the least that is missing, then what is refused.
bool roomier(const FitRow& a, const FitRow& b) {
  const auto* la = std::get_if<Ledger>(&a.answer);
  const auto* lb = std::get_if<Ledger>(&b.answer);
  if (la == nullptr || lb == nullptr) {
    return la != nullptr && lb == nullptr;
  }
  if (la->fits != lb->fits) {
    return la->fits;
  }
  if (!la->fits) {
    return la->missing < lb->missing;
  }
  return la->kv_tokens > lb->kv_tokens;
}

/// The first line; `rows` are sorted.
std::string summary(const std::vector<FitRow>& rows, std::size_t fitting, const std::string& length,
                    const ReportContext& context) {
  std::string out =
      fmt::format("{}: {} of {} layouts of {} fit {} at {} a sequence", fitting > 0 ? "yes" : "no",
                  fitting, rows.size(), context.model, context.system, length);
  const auto* best = rows.empty() ? nullptr : std::get_if<Ledger>(&rows.front().answer);
  if (best == nullptr) {
    return out;
  }
  const std::string layout = model::print_layout(rows.front().layout, context.moe);
  return out + (fitting > 0 ? fmt::format("; {} holds most, {} sequences", layout,
                                          show_number(best->max_concurrency))
                            : fmt::format("; {} misses least, {} per GPU", layout,
                                          show_gib(best->missing.base())));
}

}  // namespace

std::string fit_report(const model::Setup& setup, const model::Question& question,
                       const FitRow& row, bool explain, const ReportContext& context) {
  const std::string layout = model::print_layout(row.layout, context.moe);
  if (const auto* refusal = std::get_if<Refusal>(&row.answer)) {
    return fmt::format("no: {} is refused: {}\n", layout, refusal_text(*refusal));
  }
  const auto& l = std::get<Ledger>(row.answer);
  std::string out = wrap(headline(l, layout, context), context.width, 2) + "\n";
  out += capacity_lines(l, length_text(setup, question));
  out += "\n";
  Table table({"per GPU, tightest rank", "GiB"}, {false, true});
  const auto add = [&](const std::string& name, hardware::Bytes bytes) {
    table.add({name, fmt::format("{:.2f}", bytes.base() / 1073741824.0)});
  };
  add("usable (driver total less reserve)", l.usable);
  add(fmt::format("budget, {:.2f} of it", fraction_of(l)), l.budget);
  add("- weights", l.weights);
  add("- activation peak", l.activation);
  add("- context, communicators", l.context);
  add("- CUDA graphs", l.graphs);
  add("= KV cache", l.kv);
  if (!l.fits) {
    add("- one sequence", l.kv + l.missing);
    add("= missing", -l.missing);
  }
  out += table.text();
  if (row.stages > 1) {
    out +=
        fmt::format("  the tightest rank is in pipeline stage {} of {}\n", l.stage + 1, row.stages);
  }
  if (explain) {
    out += wrap(fmt::format("  KV bytes = {:.0f} x {:.3f} - {:.0f} - {:.0f} - {:.0f} - {:.0f} = "
                            "{:.0f}; tokens = floor({:.0f} / {:.1f} / {}) x {} = {}",
                            l.usable.base(), fraction_of(l), l.weights.base(), l.activation.base(),
                            l.context.base(), l.graphs.base(), l.kv.base(), l.kv.base(),
                            l.kv_bytes_per_token.base(), setup.engine.kv_block_tokens,
                            setup.engine.kv_block_tokens, l.kv_tokens_engine),
                context.width, 4) +
           "\n";
  }
  out +=
      "  the KV cache is a reservation, not a need: a smaller fraction works down to the one "
      "above\n\n";
  return out + footer({fmt::format("engine {}: a generic law with its default fraction, activation "
                                   "peak and context",
                                   setup.engine.id),
                       fmt::format("KV cache in {}",
                                   hardware::format_name(question.run.kv_format.value_or(
                                       setup.engine.kv_format.value_or(setup.model.kv_format))))},
                      context);
}

std::string fit_table(const model::Setup& setup, const model::Question& question,
                      std::vector<FitRow> rows, const ReportContext& context) {
  std::stable_sort(rows.begin(), rows.end(), roomier);
  std::size_t fitting = 0;
  Table table({"layout", "weights GiB", "KV tokens", "sequences", "missing GiB"},
              {false, true, true, true, true});
  std::string refused;
  for (const FitRow& row : rows) {
    const std::string layout = model::print_layout(row.layout, context.moe);
    if (const auto* refusal = std::get_if<Refusal>(&row.answer)) {
      refused +=
          wrap(fmt::format("  {}: {}", layout, refusal_text(*refusal)), context.width, 4) + "\n";
      continue;
    }
    const auto& l = std::get<Ledger>(row.answer);
    fitting += l.fits ? 1 : 0;
    table.add({layout, gib(l.weights), show_number(static_cast<double>(l.kv_tokens)),
               show_number(l.max_concurrency), l.fits ? "" : gib(l.missing)});
  }
  std::string out =
      wrap(summary(rows, fitting, length_text(setup, question), context), context.width, 2) +
      "\n\n";
  out += table.text();
  if (!refused.empty()) {
    out += "\nrefused\n" + refused;
  }
  return out + "\n" + footer({fmt::format("engine {}: a generic law", setup.engine.id)}, context);
}

}  // namespace fathom::cli
