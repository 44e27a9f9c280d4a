#include "cli/report/show_system_report.h"

#include "cli/report/format_quantity.h"
#include "cli/report/show_report.h"
#include "cli/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fathom::cli {
namespace {

using hardware::SystemSpec;
using hardware::Transport;

void add_line(std::string& out, const ReportContext& context, const char* name,
              const std::string& text) {
  out += wrap(fmt::format("  {:<18}{}", name, text), context.width, 20) + "\n";
}

struct NamedTransport {
  const char* name;
  Transport hardware::LinkSpec::*member;
};

constexpr std::array<NamedTransport, 6> kTransports{{
    {"ring", &hardware::LinkSpec::ring},
    {"one_shot", &hardware::LinkSpec::one_shot},
    {"two_shot", &hardware::LinkSpec::two_shot},
    {"in_switch", &hardware::LinkSpec::in_switch},
    {"all_to_all", &hardware::LinkSpec::all_to_all},
    {"send", &hardware::LinkSpec::send},
}};

/// "4.81 us (3.40 us to 6.80 us)" where the ends differ.
std::string with_ends(const std::string& point, const std::string& low, const std::string& high) {
  return low == high ? point : fmt::format("{} ({} to {})", point, low, high);
}

std::string transports_text(const SystemView& view) {
  Table table({"transport", "latency", "share of the link", "ranks from"},
              {false, true, true, true});
  for (const NamedTransport& named : kTransports) {
    const Transport& point = view.point.link.*named.member;
    const Transport& slow = view.slow.link.*named.member;
    const Transport& fast = view.fast.link.*named.member;
    if (!point.offered) {
      table.add({named.name, "not offered"});
      continue;
    }
    table.add({named.name,
               with_ends(show_seconds(point.latency.base()), show_seconds(fast.latency.base()),
                         show_seconds(slow.latency.base())),
               with_ends(show_percent(point.efficiency), show_percent(slow.efficiency),
                         show_percent(fast.efficiency)),
               fmt::format("{}", point.min_ranks)});
  }
  return table.text();
}

std::vector<int> ranks_of(const SystemView& view) {
  std::vector<int> ranks;
  for (const ReducePrice& price : view.reduces) {
    if (std::find(ranks.begin(), ranks.end(), price.ranks) == ranks.end()) {
      ranks.push_back(price.ranks);
    }
  }
  return ranks;
}

constexpr std::size_t kMostRankColumns = 8;
constexpr std::size_t kMostRangeColumns = 4;

/// One row a size, one column a count of ranks; the largest counts where not all have room.
template <typename Show>
std::string ladder(const SystemView& view, std::size_t most_columns, Show show) {
  const std::vector<int> ranks = ranks_of(view);
  const std::size_t first = ranks.size() - std::min(ranks.size(), most_columns);
  std::vector<std::string> header{"size"};
  for (std::size_t k = first; k < ranks.size(); ++k) {
    header.push_back(fmt::format("{} ranks", ranks[k]));
  }
  Table table(header, std::vector<bool>(header.size(), true));
  for (std::size_t i = 0; i < view.reduces.size(); i += ranks.size()) {
    std::vector<std::string> cells{show_kib(view.reduces[i].bytes)};
    for (std::size_t k = first; k < ranks.size(); ++k) {
      cells.push_back(show(view.reduces[i + k]));
    }
    table.add(cells);
  }
  return table.text();
}

std::string ladders_text(const SystemView& view) {
  if (view.reduces.empty()) {
    return {};
  }
  const bool own = std::any_of(view.reduces.begin(), view.reduces.end(), [](const auto& price) {
    return price.seconds < price.library_seconds;
  });
  std::string out = fmt::format("\nall-reduce, by bytes of the tensor on a rank{}\n",
                                own ? ", fastest of the library and engines' own kernels" : "");
  out +=
      ladder(view, kMostRankColumns, [](const ReducePrice& p) { return show_seconds(p.seconds); });
  if (view.point.has_intervals) {
    out += "\nthe same at the two ends of the intervals\n";
    out += ladder(view, kMostRangeColumns, [](const ReducePrice& p) {
      return fmt::format("{} to {}", show_seconds(p.fast), show_seconds(p.slow));
    });
  }
  if (own) {
    out += "\nall-reduce by the library alone\n";
    out += ladder(view, kMostRankColumns,
                  [](const ReducePrice& p) { return show_seconds(p.library_seconds); });
  }
  return out;
}

std::string topology_text(const hardware::Topology& topology) {
  std::string out;
  if (topology.gpus_per_uplink > 0) {
    out = fmt::format("{} GPUs share an uplink of {}", topology.gpus_per_uplink,
                      show_rate(topology.uplink_bandwidth.base()));
  }
  if (topology.host_memory_bandwidth.base() > 0) {
    out += fmt::format("{}host memory {}", out.empty() ? "" : "; ",
                       show_rate(topology.host_memory_bandwidth.base()));
  }
  return out.empty() ? "nothing shared is stated" : out;
}

std::vector<std::string> system_assumptions(const SystemView& view, const ReportContext& context) {
  std::vector<std::string> out;
  if (view.point.link.kind == hardware::LinkKind::None) {
    return out;
  }
  if (context.evidence == "bound") {
    out.emplace_back("bound: no latency, links at their full rate");
  } else {
    out.emplace_back("a transport takes hops x latency + bytes / (share x link bandwidth)");
  }
  out.emplace_back("the ranks are all of one node; nothing else uses the links");
  if (view.point.has_intervals) {
    out.emplace_back(
        "a number given as an interval stands at its geometric mean, its ends beside it");
  }
  return out;
}

std::vector<Row> reduce_rows(const SystemView& view) {
  std::vector<Row> rows;
  for (const ReducePrice& p : view.reduces) {
    const double n = p.ranks;
    rows.push_back({{"bytes", p.bytes},
                    {"ranks", hardware::Count{p.ranks}},
                    {"time_s", p.seconds},
                    {"time_low_s", p.fast},
                    {"time_high_s", p.slow},
                    {"latency_s", p.latency},
                    {"library_time_s", p.library_seconds},
                    {"busbw_bytes_per_s", 2 * (n - 1) / n * p.bytes / p.seconds}});
  }
  return rows;
}

std::vector<Row> transport_rows(const SystemView& view) {
  std::vector<Row> rows;
  for (const NamedTransport& named : kTransports) {
    const Transport& t = view.point.link.*named.member;
    const Transport& slow = view.slow.link.*named.member;
    const Transport& fast = view.fast.link.*named.member;
    const auto when = [&t](Cell cell) { return t.offered ? std::move(cell) : Cell{}; };
    rows.push_back({{"name", std::string(named.name)},
                    {"offered", t.offered},
                    {"latency_s", when(t.latency.base())},
                    {"latency_low_s", when(fast.latency.base())},
                    {"latency_high_s", when(slow.latency.base())},
                    {"efficiency", when(t.efficiency)},
                    {"efficiency_low", when(slow.efficiency)},
                    {"efficiency_high", when(fast.efficiency)},
                    {"min_ranks", when(t.min_ranks)}});
  }
  return rows;
}

}  // namespace

const char* link_name(hardware::LinkKind kind) {
  switch (kind) {
    case hardware::LinkKind::None:
      return "none";
    case hardware::LinkKind::Pcie:
      return "pcie";
    case hardware::LinkKind::Nvlink:
      return "nvlink";
    case hardware::LinkKind::InfinityFabric:
      return "infinity-fabric";
  }
  return "";
}

std::string system_text(const SystemView& view, const ReportContext& context) {
  const SystemSpec& s = view.point;
  std::string out =
      fmt::format("{}: {} x {} ({}){}\n", s.id, s.gpus, s.accelerator.id, s.accelerator.name,
                  s.gpus < s.gpus_per_node ? fmt::format(", of {} in a node", s.gpus_per_node)
                                           : " in one node");
  const std::vector<std::string> assumed = system_assumptions(view, context);
  if (s.link.kind == hardware::LinkKind::None) {
    add_line(out, context, "link", "none");
    return out + "\n" + footer(assumed, context);
  }
  add_line(out, context, "link",
           fmt::format("{}, {} per direction and GPU, {}", link_name(s.link.kind),
                       show_rate(s.link.bandwidth.base()),
                       s.link.peer_to_peer ? "peer-to-peer" : "no peer-to-peer"));
  add_line(out, context, "topology", topology_text(s.topology));
  return out + "\n" + transports_text(view) + ladders_text(view) + "\n" + footer(assumed, context);
}

Document system_document(const SystemView& view, const ReportContext& context) {
  const SystemSpec& s = view.point;
  Document document = show_document("system", s.id, context);
  const Row columns{{"accelerator", s.accelerator.id},
                    {"gpus", s.gpus},
                    {"gpus_per_node", s.gpus_per_node},
                    {"link", std::string(link_name(s.link.kind))},
                    {"link_bytes_per_s", s.link.bandwidth.base()},
                    {"peer_to_peer", s.link.peer_to_peer},
                    {"has_intervals", s.has_intervals},
                    {"evidence", context.evidence}};
  document.columns.insert(document.columns.end(), columns.begin(), columns.end());
  document.tables.emplace_back("transports", transport_rows(view));
  document.tables.emplace_back("all_reduce", reduce_rows(view));
  document.assumptions = system_assumptions(view, context);
  return document;
}

}  // namespace fathom::cli
