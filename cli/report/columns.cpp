#include "cli/report/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fathom::cli {
namespace {

using hardware::Count;
using model::Prediction;
using model::Resource;

/// Blank values of the columns named after a template row.
Row blanked(Row row, const std::string& error) {
  for (Column& column : row) {
    column.value = column.name == "error" ? Cell{error} : Cell{};
  }
  return row;
}

}  // namespace

std::string limiter_name(const model::Limiter& limiter) {
  return model::resource_name(limiter.resource);
}

Row predict_columns(const Prediction& p, const std::string& evidence,
                    const std::vector<std::string>& notes) {
  const model::StepTime& s = p.step;
  return {
      {"step_time_s", s.total},
      {"output_tok_s", blank_if_negative(p.output_tok_s)},
      {"total_tok_s", blank_if_negative(p.total_tok_s)},
      {"ttft_s", blank_if_negative(p.ttft)},
      {"tpot_s", blank_if_negative(p.tpot)},
      {"tok_s_per_user", blank_if_negative(p.tok_s_per_user)},
      {"step_time_low_s", p.step_low},
      {"step_time_high_s", p.step_high},
      {"limiting_resource", limiter_name(p.limiter)},
      {"limiting_share", p.limiting_share},
      {"compute_s", s.compute},
      {"memory_s", s.memory},
      {"link_bandwidth_s", s.link_bandwidth},
      {"link_latency_s", s.link_latency},
      {"launch_s", s.launch},
      {"host_s", s.host},
      {"imbalance_s", s.imbalance},
      {"bubble_s", s.bubble},
      {"flop", s.flop},
      {"memory_bytes", s.memory_bytes},
      {"link_bytes", s.link_bytes},
      {"clock_hz", s.clock},
      {"power_w", p.power > 0 ? Cell{p.power} : Cell{}},
      {"util_gpu", p.util_gpu},
      {"util_memory", p.util_memory},
      {"energy_per_token_j", blank_if_negative(p.energy_per_token)},
      {"cost_per_mtok", blank_if_negative(p.cost_per_mtok)},
      {"evidence", evidence},
      {"notes", text_or_blank(fmt::format("{}", fmt::join(notes, "; ")))},
      {"error", Cell{}},
  };
}

Row refused_predict_columns(const std::string& error) {
  return blanked(predict_columns({}, {}, {}), error);
}

Row fit_columns(const model::Ledger& l, std::size_t stages, const std::vector<std::string>& notes) {
  const std::string rank =
      stages > 1 ? fmt::format("pp stage {} of {}", l.stage + 1, stages) : "all ranks alike";
  return {
      {"fits", l.fits},
      {"weights_bytes", l.weights.base()},
      {"kv_bytes", l.kv.base()},
      {"kv_tokens", static_cast<Count>(l.kv_tokens)},
      {"kv_tokens_engine", static_cast<Count>(l.kv_tokens_engine)},
      {"kv_bytes_per_token", l.kv_bytes_per_token.base()},
      {"state_bytes_per_sequence", l.state_per_sequence.base()},
      {"activation_bytes", l.activation.base()},
      {"graphs_bytes", l.graphs.base()},
      {"other_bytes", l.context.base()},
      {"free_bytes", l.fits ? (l.usable - l.budget).base() : -l.missing.base()},
      {"usable_bytes", l.usable.base()},
      {"max_concurrency", l.max_concurrency},
      {"min_memory_fraction", l.min_fraction > 1 ? Cell{} : Cell{l.min_fraction}},
      {"tightest_rank", rank},
      {"notes", text_or_blank(fmt::format("{}", fmt::join(notes, "; ")))},
      {"error", Cell{}},
  };
}

Row refused_fit_columns(const std::string& error) { return blanked(fit_columns({}, 1, {}), error); }

std::vector<Row> operator_rows(const std::vector<model::PricedOperator>& operators) {
  std::vector<Row> rows;
  rows.reserve(operators.size());
  for (const model::PricedOperator& op : operators) {
    rows.push_back({
        {"name", std::string(model::operator_name(op.kind))},
        {"stage", static_cast<Count>(op.stage)},
        {"draft", op.draft},
        {"times", op.times},
        {"seconds", op.cost.total()},
        {"flop", op.work.flop.base()},
        {"weight_bytes", op.work.weight_bytes.base()},
        {"cache_bytes", op.work.cache_bytes.base()},
        {"activation_bytes", op.work.activation_bytes.base()},
        {"message_bytes", op.work.message.base()},
        {"wire_bytes", op.cost.wire_bytes},
        {"format", std::string(hardware::format_name(op.work.format))},
        {"kernels", op.work.kernels},
        {"compute_s", op.cost.compute},
        {"memory_s", op.cost.memory},
        {"link_bandwidth_s", op.cost.link_bandwidth},
        {"link_latency_s", op.cost.link_latency},
        {"launch_s", op.cost.launch},
        {"imbalance_s", op.cost.imbalance},
    });
  }
  return rows;
}

Row elasticity_columns(const model::Elasticities& elasticities) {
  Row row;
  for (int i = 0; i <= static_cast<int>(Resource::Power); ++i) {
    row.push_back({model::resource_name(static_cast<Resource>(i)),
                   elasticities.at(static_cast<std::size_t>(i))});
  }
  return row;
}

}  // namespace fathom::cli
