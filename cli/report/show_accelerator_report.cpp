#include "cli/report/show_accelerator_report.h"

#include "cli/report/format_quantity.h"
#include "cli/report/show_report.h"
#include "cli/report/table.h"
#include "hardware/base/unit_text.h"

#include <fmt/format.h>

namespace fathom::cli {
namespace {

using hardware::AcceleratorSpec;
using hardware::Arithmetic;
using hardware::Dim;
using hardware::Quantity;

template <Dim D>
std::string exact(Quantity<D> quantity) {
  return hardware::print_quantity(quantity.base(), D);
}

std::string mebibytes(hardware::Bytes bytes) {
  constexpr double kMib = 1024.0 * 1024.0;
  return show_number(bytes.base() / kMib) + " MiB";
}

std::string megahertz(hardware::Hertz clock) {
  return fmt::format("{:.0f} MHz", clock.base() / 1e6);
}

void add_line(std::string& out, const ReportContext& context, const char* name,
              const std::string& text) {
  out += wrap(fmt::format("  {:<18}{}", name, text), context.width, 20) + "\n";
}

std::string peaks_text(const AcceleratorSpec& a) {
  Table table({"arithmetic", "dense peak", "ridge FLOP/B", "energy"}, {false, true, true, true});
  for (int i = 0; i < hardware::kArithmeticCount; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const hardware::FlopPerSecond peak = a.dense_peak.at(index);
    if (peak.base() > 0) {
      table.add({std::string(hardware::arithmetic_name(static_cast<Arithmetic>(i))),
                 fmt::format("{:.1f} TFLOP/s", peak.base() / 1e12),
                 show_number((peak / a.bandwidth).base()), exact(a.power.per_flop.at(index))});
    }
  }
  return fmt::format("dense peaks at {} (highest clock {})\n{}", megahertz(a.tensor_clock),
                     megahertz(a.max_clock), table.text());
}

const std::vector<std::string>& accelerator_assumptions() {
  static const std::vector<std::string> lines{
      "datasheet figures, dense, never sparse; what kernels reach is in the kernel file",
      "usable = what the driver reports as total less the reserve"};
  return lines;
}

}  // namespace

std::string accelerator_text(const AcceleratorSpec& a, const ReportContext& context) {
  std::string out = fmt::format("{} ({}), architecture {}\n", a.id, a.name, a.architecture);
  const hardware::Bytes usable = a.capacity - a.reserved;
  add_line(out, context, "memory",
           fmt::format("{} nominal ({}), {} usable ({}), {} reserved", mebibytes(a.capacity),
                       show_gib(a.capacity.base()), mebibytes(usable), show_gib(usable.base()),
                       mebibytes(a.reserved)));
  add_line(out, context, "bandwidth", show_rate(a.bandwidth.base()));
  if (a.l2.base() > 0) {
    add_line(out, context, "L2", mebibytes(a.l2));
  }
  if (a.sms > 0) {
    add_line(out, context, "SMs", fmt::format("{}", a.sms));
  }
  if (a.host_link.base() > 0) {
    add_line(out, context, "host link", show_rate(a.host_link.base()) + " per direction");
  }
  add_line(out, context, "power",
           fmt::format("TDP {}, limit {} to {}; a busy clock alone {}, memory {}; arithmetic goes "
                       "with clock^{:g}",
                       exact(a.tdp), exact(a.power_limit_min), exact(a.power_limit_max),
                       exact(a.power.base), exact(a.power.per_byte), a.power.clock_exponent));
  add_line(out, context, "memory counter",
           fmt::format("utilization.memory reads 100 from {} of the bandwidth on",
                       show_percent(a.memory_counter_full_scale)));
  if (a.price_per_hour > 0) {
    add_line(out, context, "price", fmt::format("{:.2f} USD an hour", a.price_per_hour));
  }
  return out + "\n" + peaks_text(a) + "\n" + footer(accelerator_assumptions(), context);
}

Document accelerator_document(const AcceleratorSpec& a, const ReportContext& context) {
  Document document = show_document("accelerator", a.id, context);
  const Row columns{{"product", a.name},
                    {"architecture", a.architecture},
                    {"capacity_bytes", a.capacity.base()},
                    {"reserved_bytes", a.reserved.base()},
                    {"usable_bytes", (a.capacity - a.reserved).base()},
                    {"bandwidth_bytes_per_s", a.bandwidth.base()},
                    {"l2_bytes", a.l2.base()},
                    {"sms", a.sms},
                    {"tensor_clock_hz", a.tensor_clock.base()},
                    {"max_clock_hz", a.max_clock.base()},
                    {"tdp_w", a.tdp.base()},
                    {"power_limit_min_w", a.power_limit_min.base()},
                    {"power_limit_max_w", a.power_limit_max.base()},
                    {"power_base_w", a.power.base.base()},
                    {"energy_per_byte_j", a.power.per_byte.base()},
                    {"power_clock_exponent", a.power.clock_exponent},
                    {"memory_counter_full_scale", a.memory_counter_full_scale},
                    {"host_link_bytes_per_s", a.host_link.base()},
                    {"price_per_hour_usd", a.price_per_hour > 0 ? Cell{a.price_per_hour} : Cell{}}};
  document.columns.insert(document.columns.end(), columns.begin(), columns.end());
  std::vector<Row> peaks;
  for (int i = 0; i < hardware::kArithmeticCount; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (a.dense_peak.at(index).base() > 0) {
      peaks.push_back(
          {{"arithmetic", std::string(hardware::arithmetic_name(static_cast<Arithmetic>(i)))},
           {"flop_per_s", a.dense_peak.at(index).base()},
           {"ridge_flop_per_byte", (a.dense_peak.at(index) / a.bandwidth).base()},
           {"energy_per_flop_j", a.power.per_flop.at(index).base()}});
    }
  }
  document.tables.emplace_back("dense_peaks", std::move(peaks));
  document.assumptions = accelerator_assumptions();
  return document;
}

}  // namespace fathom::cli
