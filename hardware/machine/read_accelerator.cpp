#include "hardware/machine/read_system.h"

#include <fmt/format.h>

namespace fathom::hardware {
namespace {

constexpr Count kMaxUnits = 100'000;

void read_memory(const SpecNode& node, AcceleratorSpec& spec, IntervalEnd end,
                 Diagnostics& diagnostics) {
  MapReader r(node, "memory", diagnostics, end);
  spec.capacity = r.required<Dim{.byte = 1}>("capacity").value_or(Bytes());
  spec.reserved = r.optional<Dim{.byte = 1}>("reserved").value_or(Bytes());
  spec.bandwidth = r.required<Dim{.byte = 1, .second = -1}>("bandwidth").value_or(BytesPerSecond());
  spec.l2 = r.optional<Dim{.byte = 1}>("l2").value_or(Bytes());
  spec.has_intervals = spec.has_intervals || r.saw_interval();
  if (r.valid() && spec.capacity.base() > 0 && spec.reserved >= spec.capacity) {
    r.error("reserved", "the reserve is as large as the capacity");
  }
  r.finish();
}

void read_compute(const SpecNode& node, AcceleratorSpec& spec, IntervalEnd end,
                  Diagnostics& diagnostics) {
  MapReader r(node, "compute", diagnostics, end);
  spec.sms = r.optional_count("sms", 1, kMaxUnits).value_or(0);
  spec.tensor_clock = r.required<Dim{.second = -1}>("tensor_clock").value_or(Hertz());
  spec.max_clock = r.required<Dim{.second = -1}>("max_clock").value_or(Hertz());
  if (const SpecNode* peaks = r.required_node("dense_peak")) {
    MapReader p(*peaks, "dense_peak", diagnostics, end);
    for (int i = 0; i < kArithmeticCount; ++i) {
      const auto arithmetic = static_cast<Arithmetic>(i);
      const std::string_view name = arithmetic_name(arithmetic);
      const auto peak = arithmetic == Arithmetic::Bf16
                            ? p.required<Dim{.flop = 1, .second = -1}>(name)
                            : p.optional<Dim{.flop = 1, .second = -1}>(name);
      spec.dense_peak[static_cast<std::size_t>(i)] = peak.value_or(FlopPerSecond());
      if (peak && peak->base() <= 0) {
        p.error(name, "a dense peak is above zero", "leave the key out where the part lacks it");
      }
    }
    spec.has_intervals = spec.has_intervals || p.saw_interval();
    p.finish();
  }
  spec.has_intervals = spec.has_intervals || r.saw_interval();
  r.finish();
}

void read_per_flop(const SpecNode& node, PowerModel& power, Diagnostics& diagnostics) {
  MapReader r(node, "per_flop", diagnostics);
  for (int i = 0; i < kArithmeticCount; ++i) {
    power.per_flop[static_cast<std::size_t>(i)] =
        r.optional<Dim{.flop = -1, .joule = 1}>(arithmetic_name(static_cast<Arithmetic>(i)))
            .value_or(JoulesPerFlop());
  }
  r.finish();
}

void read_power(const SpecNode& node, AcceleratorSpec& spec, IntervalEnd end,
                Diagnostics& diagnostics) {
  constexpr Dim kWatt{.second = -1, .joule = 1};
  MapReader r(node, "power", diagnostics, end);
  spec.tdp = r.required<kWatt>("tdp").value_or(Watts());
  spec.power_limit_min = r.optional<kWatt>("limit_min").value_or(Watts());
  spec.power_limit_max = r.optional<kWatt>("limit_max").value_or(spec.tdp);
  spec.power.base = r.optional<kWatt>("base").value_or(Watts());
  spec.power.per_byte =
      r.optional<Dim{.byte = -1, .joule = 1}>("per_byte").value_or(JoulesPerByte());
  spec.power.clock_exponent = r.optional_number("clock_exponent", 0, 5).value_or(1);
  spec.memory_counter_full_scale =
      r.optional_number("memory_counter_full_scale", 0.01, 2).value_or(1);
  if (const SpecNode* per_flop = r.optional_node("per_flop")) {
    read_per_flop(*per_flop, spec.power, diagnostics);
  }
  r.finish();
}

void check_positive(MapReader& r, const char* key, double value, const char* what) {
  if (value <= 0) {
    r.error(key, fmt::format("{} must be above zero", what));
  }
}

void check(const AcceleratorSpec& spec, MapReader& r) {
  check_positive(r, "memory", spec.capacity.base(), "the memory capacity");
  check_positive(r, "memory", spec.bandwidth.base(), "the memory bandwidth");
  check_positive(r, "compute", spec.max_clock.base(), "the maximum clock");
  check_positive(r, "compute", spec.tensor_clock.base(), "the tensor clock");
  check_positive(r, "power", spec.tdp.base(), "the TDP");
}

}  // namespace

std::optional<AcceleratorSpec> read_accelerator(const SpecNode& node, Diagnostics& diagnostics,
                                                IntervalEnd end) {
  const std::size_t before = diagnostics.all().size();
  AcceleratorSpec spec;
  MapReader r(node, "accelerator", diagnostics);
  spec.id = r.required_text("accelerator").value_or("");
  spec.name = r.optional_text("name").value_or(spec.id);
  spec.architecture = r.required_text("architecture").value_or("");
  spec.price_per_hour = r.optional_number("price_per_hour", 0, 1e6).value_or(0);
  if (const SpecNode* memory = r.required_node("memory")) {
    read_memory(*memory, spec, end, diagnostics);
  }
  if (const SpecNode* compute = r.required_node("compute")) {
    read_compute(*compute, spec, end, diagnostics);
  }
  if (const SpecNode* power = r.required_node("power")) {
    read_power(*power, spec, end, diagnostics);
  }
  if (const SpecNode* host = r.optional_node("host_link")) {
    MapReader h(*host, "host_link", diagnostics);
    spec.host_link =
        h.required<Dim{.byte = 1, .second = -1}>("bandwidth").value_or(BytesPerSecond());
    h.finish();
  }
  if (r.valid() && diagnostics.all().size() == before) {
    check(spec, r);
  }
  r.finish();
  if (!r.valid() || diagnostics.all().size() != before) {
    return std::nullopt;
  }
  return spec;
}

}  // namespace fathom::hardware
