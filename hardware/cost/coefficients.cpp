#include "hardware/cost/coefficients.h"

#include <string_view>

namespace fathom::hardware {
namespace {

using Table = std::array<double, kFormatCount>;

/// The format whose efficiency stands for that of one that a kernel file does not name; itself =
/// the default does. Assumes: a kernel that unpacks 4-bit weights in front of 16-bit arithmetic is
/// as good for a GGUF type or weight-only NVFP4 as for INT4 in groups of 128 (nobody measured the
/// others); the form of an FP8 block's scale does not matter.
Format alike(Format format) {
  if (format == Format::Fp8BlockE8m0) {
    return Format::Fp8Block;
  }
  return format == Format::Nvfp4Weight || is_gguf_format(format) ? Format::Int4G128 : format;
}

/// `{default: 0.9, nvfp4: 0.8}`: a format that is not named takes the value of the format that it
/// is alike, and the default fills the rest.
Table read_table(MapReader& family, std::string_view key, IntervalEnd end,
                 Diagnostics& diagnostics) {
  Table table{};
  table.fill(1);
  const SpecNode* node = family.required_node(key);
  if (node == nullptr) {
    return table;
  }
  MapReader r(*node, std::string(key), diagnostics, end);
  table.fill(r.required_number("default", 1e-3, 1.2).value_or(1));
  for (int i = 0; i < kFormatCount; ++i) {
    const auto format = static_cast<Format>(i);
    // The format that this one is alike stands before it in the enumeration: its value is read.
    table[static_cast<std::size_t>(i)] =
        r.optional_number(format_name(format), 1e-3, 1.2)
            .value_or(table[static_cast<std::size_t>(alike(format))]);
  }
  r.finish();
  return table;
}

Coefficients::Family read_family(MapReader& kernels, std::string_view key,
                                 Diagnostics& diagnostics) {
  Coefficients::Family family;
  const SpecNode* node = kernels.required_node(key);
  if (node == nullptr) {
    return family;
  }
  constexpr Count kMaxTile = 4096;
  MapReader r(*node, std::string(key), diagnostics);
  family.fixed = r.required<Dim{.second = 1}>("fixed", Better::Lower).value_or(Seconds());
  family.tile_rows = r.required_count("tile_rows", 1, kMaxTile).value_or(1);
  family.memory_efficiency = read_table(r, "memory_efficiency", IntervalEnd::Point, diagnostics);
  family.compute_efficiency = read_table(r, "compute_efficiency", IntervalEnd::Point, diagnostics);
  r.finish();
  return family;
}

}  // namespace

Coefficients Coefficients::bound() {
  Coefficients out;
  for (Family& family : out.family) {
    family.memory_efficiency.fill(1);
    family.compute_efficiency.fill(1);
  }
  out.smooth_exponent = 0;
  out.name = "bound";
  return out;
}

std::optional<Coefficients> read_coefficients(const SpecNode& node, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.all().size();
  Coefficients out;
  MapReader r(node, "kernels", diagnostics);
  out.name = r.required_text("kernels").value_or("");
  const auto exponent = r.required_choice("smooth_exponent", {"2", "4"});
  out.smooth_exponent = exponent.value_or(0) == 0 ? 2 : 4;
  out.clock_exponent = r.required_number("clock_exponent", 0, 2).value_or(1);
  out.l2_speedup = r.required_number("l2_speedup", 1, 100).value_or(1);
  out.l2_share = r.required_number("l2_share", 0, 1).value_or(0);
  out.causal_efficiency = r.required_number("causal_efficiency", 0.01, 2).value_or(1);
  out.expert_skew = r.required_number("expert_skew", 1, 100, Better::Lower).value_or(1);
  out.term_uncertainty = r.required_number("term_uncertainty", 1, 10, Better::Lower).value_or(1);
  constexpr std::array<std::string_view, kKernelClassCount> kNames{"gemm", "grouped_gemm",
                                                                   "attention", "elementwise"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    out.family[i] = read_family(r, kNames[i], diagnostics);
  }
  r.finish();
  if (!r.valid() || diagnostics.all().size() != before) {
    return std::nullopt;
  }
  return out;
}

}  // namespace fathom::hardware
