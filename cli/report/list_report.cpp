#include "cli/report/list_report.h"

#include "cli/report/format_quantity.h"
#include "cli/report/refusal_text.h"
#include "cli/report/show_model_report.h"
#include "cli/report/show_system_report.h"
#include "model/llm/parameter_count.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using hardware::Arithmetic;
using hardware::Coefficients;
using hardware::Count;
using hardware::Format;

double peak(const hardware::AcceleratorSpec& a, Arithmetic arithmetic) {
  return a.dense_peak.at(static_cast<std::size_t>(arithmetic)).base();
}

std::string tera(double value) { return value > 0 ? show_number(value / 1e12) : "-"; }

Cell above_zero(double value) { return value > 0 ? Cell{value} : Cell{}; }

const Coefficients::Family& family(const Coefficients& c, hardware::KernelClass kernels) {
  return c.family.at(static_cast<std::size_t>(kernels));
}

/// "ring, one_shot": what the libraries offer.
std::string transports(const hardware::LinkSpec& link) {
  std::string out;
  const auto add = [&out](const hardware::Transport& transport, const char* name) {
    if (transport.offered) {
      out += (out.empty() ? "" : ", ") + std::string(name);
    }
  };
  add(link.ring, "ring");
  add(link.one_shot, "one-shot");
  add(link.two_shot, "two-shot");
  add(link.in_switch, "in-switch");
  return out;
}

const char* yes_no(bool value) { return value ? "yes" : "no"; }

}  // namespace

Listing model_listing(const std::vector<model::ModelSpec>& models) {
  Listing out{Table({"model", "parameters", "active", "weights GB", "KV B/token", "KV", "formats"},
                    {false, true, true, true, true, false, false}),
              {},
              "active without the input embedding; KV of the whole model at TP1; each also by its "
              "Hugging Face id"};
  for (const model::ModelSpec& m : models) {
    const model::Census census = model::take_census(m);
    const double kv = model::kv_bytes_per_token(m, m.kv_format).total().base();
    const std::string format(hardware::format_name(m.kv_format));
    const auto active = static_cast<double>(census.active_no_input_embedding);
    out.table.add({m.id, show_count(static_cast<double>(census.total)), show_count(active),
                   fmt::format("{:.1f}", census.weight_bytes.base() / 1e9), show_number(kv), format,
                   formats_text(census)});
    out.rows.push_back({{"id", m.id},
                        {"hugging_face", text_or_blank(m.hugging_face)},
                        {"parameters_total", census.total},
                        {"parameters_active", census.active_no_input_embedding},
                        {"weight_bytes", census.weight_bytes.base()},
                        {"kv_bytes_per_token", kv},
                        {"kv_format", format},
                        {"formats", formats_name(census)},
                        {"max_context", m.max_context},
                        {"moe", m.is_moe()}});
  }
  return out;
}

Listing accelerator_listing(const std::vector<hardware::AcceleratorSpec>& accelerators) {
  Listing out{Table({"accelerator", "usable", "GB/s", "bf16", "fp8", "fp4", "TDP W", "kernels"},
                    {false, true, true, true, true, true, true, false}),
              {},
              "dense peaks in TFLOP/s, never sparse"};
  for (const hardware::AcceleratorSpec& a : accelerators) {
    const double usable = (a.capacity - a.reserved).base();
    out.table.add({a.id, show_gib(usable), show_number(a.bandwidth.base() / 1e9),
                   tera(peak(a, Arithmetic::Bf16)), tera(peak(a, Arithmetic::Fp8)),
                   tera(peak(a, Arithmetic::Fp4)), show_number(a.tdp.base()), a.architecture});
    out.rows.push_back({{"id", a.id},
                        {"product", a.name},
                        {"architecture", a.architecture},
                        {"capacity_bytes", a.capacity.base()},
                        {"usable_bytes", usable},
                        {"bandwidth_bytes_per_s", a.bandwidth.base()},
                        {"bf16_flop_per_s", above_zero(peak(a, Arithmetic::Bf16))},
                        {"fp8_flop_per_s", above_zero(peak(a, Arithmetic::Fp8))},
                        {"int8_flop_per_s", above_zero(peak(a, Arithmetic::Int8))},
                        {"fp4_flop_per_s", above_zero(peak(a, Arithmetic::Fp4))},
                        {"tdp_w", a.tdp.base()}});
  }
  return out;
}

Listing system_listing(const std::vector<hardware::SystemSpec>& systems) {
  Listing out{Table({"system", "GPUs", "accelerator", "link", "GB/s", "p2p", "all-reduce"},
                    {false, true, false, false, true, false, false}),
              {},
              "<N>x- before a system takes N GPUs of the node: 8x-h200-sxm; GB/s per direction"};
  for (const hardware::SystemSpec& s : systems) {
    out.table.add({s.id, fmt::format("{}", s.gpus_per_node), s.accelerator.id,
                   link_name(s.link.kind), show_number(s.link.bandwidth.base() / 1e9),
                   yes_no(s.link.peer_to_peer),
                   transports(s.link) + (s.has_intervals ? " (intervals)" : "")});
    out.rows.push_back({{"id", s.id},
                        {"gpus_per_node", s.gpus_per_node},
                        {"accelerator", s.accelerator.id},
                        {"link", std::string(link_name(s.link.kind))},
                        {"link_bytes_per_s", s.link.bandwidth.base()},
                        {"peer_to_peer", s.link.peer_to_peer},
                        {"all_reduce", transports(s.link)},
                        {"has_intervals", s.has_intervals}});
  }
  return out;
}

Listing engine_listing(const std::vector<model::EngineSpec>& engines) {
  Listing out{Table({"engine", "memory fraction", "batched tokens", "KV block", "host per kernel",
                     "graphs", "prefill graphs"},
                    {false, true, true, true, true, true, false}),
              {},
              "fathom show ENGINE prints every key with its source"};
  for (const model::EngineSpec& e : engines) {
    out.table.add({e.id, fmt::format("{:.2f}", e.memory_fraction),
                   show_number(static_cast<double>(e.max_batched_tokens)),
                   fmt::format("{}", e.kv_block_tokens), show_seconds(e.host_per_kernel.base()),
                   show_gib(e.graphs_bytes.base()), yes_no(e.prefill_graphs)});
    out.rows.push_back({{"id", e.id},
                        {"memory_fraction", e.memory_fraction},
                        {"max_batched_tokens", e.max_batched_tokens},
                        {"kv_block_tokens", e.kv_block_tokens},
                        {"host_per_kernel_s", e.host_per_kernel.base()},
                        {"host_per_step_s", e.host_per_step.base()},
                        {"context_bytes", e.context_bytes.base()},
                        {"graphs_bytes", e.graphs_bytes.base()},
                        {"prefill_graphs", e.prefill_graphs}});
  }
  return out;
}

Listing kernel_listing(const std::vector<Coefficients>& kernels) {
  Listing out{
      Table({"kernels", "GEMM fixed", "memory bf16", "compute bf16", "attention memory",
             "term within"},
            {false, true, true, true, true, true}),
      {},
      "shares of the datasheet's bandwidth and dense peak that kernels reach; fathom show kernels "
      "NAME prints every key with its source"};
  constexpr auto kBf16 = static_cast<std::size_t>(Format::Bf16);
  for (const Coefficients& c : kernels) {
    const auto& gemm = family(c, hardware::KernelClass::Gemm);
    const auto& attention = family(c, hardware::KernelClass::Attention);
    out.table.add({c.name, show_seconds(gemm.fixed.base()),
                   show_percent(gemm.memory_efficiency.at(kBf16)),
                   show_percent(gemm.compute_efficiency.at(kBf16)),
                   show_percent(attention.memory_efficiency.at(kBf16)),
                   "x " + show_number(c.term_uncertainty)});
    out.rows.push_back({{"id", c.name},
                        {"gemm_fixed_s", gemm.fixed.base()},
                        {"gemm_memory_efficiency_bf16", gemm.memory_efficiency.at(kBf16)},
                        {"gemm_compute_efficiency_bf16", gemm.compute_efficiency.at(kBf16)},
                        {"attention_memory_efficiency_bf16", attention.memory_efficiency.at(kBf16)},
                        {"term_uncertainty", c.term_uncertainty}});
  }
  return out;
}

std::vector<Row> layout_rows(const std::vector<ListedLayout>& layouts, bool moe) {
  std::vector<Row> rows;
  rows.reserve(layouts.size());
  for (const ListedLayout& listed : layouts) {
    rows.push_back({{"layout", model::print_layout(listed.layout, moe)},
                    {"gpus", listed.layout.gpus()},
                    {"legal", !listed.illegal.has_value()},
                    {"reason", listed.illegal ? Cell{illegal_text(*listed.illegal)} : Cell{}}});
  }
  return rows;
}

std::string layout_text(const std::vector<ListedLayout>& layouts, bool moe, int width) {
  std::size_t widest = 0;
  for (const ListedLayout& listed : layouts) {
    widest = std::max(widest, model::print_layout(listed.layout, moe).size());
  }
  std::string legal;
  std::string refused;
  for (const ListedLayout& listed : layouts) {
    const std::string name = model::print_layout(listed.layout, moe);
    if (!listed.illegal) {
      legal += "  " + name + "\n";
      continue;
    }
    const std::string line =
        fmt::format("  {:<{}}  {}", name, widest, illegal_text(*listed.illegal));
    refused += wrap(line, width, static_cast<int>(widest) + 4) + "\n";
  }
  return (legal.empty() ? "no legal layout\n" : "legal\n" + legal) +
         (refused.empty() ? "" : "\nrefused\n" + refused);
}

}  // namespace fathom::cli
