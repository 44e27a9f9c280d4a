#include "cli/raw_arguments.h"

#include "hardware/base/suggest.h"
#include "hardware/base/unit_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace fathom::cli {
namespace {

const std::vector<std::string>& set_roots() {
  static const std::vector<std::string> roots{"accelerator", "system",       "model",
                                              "engine",      "coefficients", "workload"};
  return roots;
}

/// First-level keys of the specs that a change mostly goes to, and the root of each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kRootOfKey{{
    {"link", "system"},
    {"topology", "system"},
    {"gpus_per_node", "system"},
    {"memory", "accelerator"},
    {"compute", "accelerator"},
    {"power", "accelerator"},
    {"host_link", "accelerator"},
    {"attention", "model"},
    {"layers", "model"},
    {"formats", "model"},
    {"mtp", "model"},
    {"hidden", "model"},
    {"host", "engine"},
    {"passes", "engine"},
    {"kernels", "engine"},
    {"gemm", "coefficients"},
    {"grouped_gemm", "coefficients"},
    {"elementwise", "coefficients"},
}};

/// "; did you mean 'system.link.bandwidth'?" for a path without its root.
std::string root_hint(const std::string& root, const std::string& path) {
  for (const auto& [key, owner] : kRootOfKey) {
    if (key == root) {
      return fmt::format("; did you mean '{}.{}'?", owner, path);
    }
  }
  const std::string hint = hardware::did_you_mean(root, set_roots());
  return hint.empty() ? "" : "; " + hint;
}

std::string read_format(const RawArguments& raw, Arguments& out) {
  const std::vector<std::string> names{"text", "json", "csv"};
  const auto found = std::find(names.begin(), names.end(), raw.format);
  if (found == names.end()) {
    return fmt::format("--format '{}' is none of text, json, csv", raw.format);
  }
  out.format = static_cast<OutputFormat>(found - names.begin());
  return {};
}

std::string read_evidence(const RawArguments& raw, Arguments& out) {
  if (raw.evidence == "bound") {
    out.evidence = Evidence::Bound;
  } else if (raw.evidence == "calibrated") {
    return "--evidence calibrated needs --calibration FILE, and calibrations are not read yet";
  } else if (raw.evidence != "default") {
    return fmt::format("--evidence '{}' is none of bound, default", raw.evidence);
  }
  return {};
}

std::string read_set(const std::string& text, Arguments& out) {
  const auto equals = text.find('=');
  const auto dot = text.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot > equals) {
    return fmt::format("--set '{}': write ROOT.PATH=VALUE, for instance system.link.bandwidth=x2",
                       text);
  }
  const std::string root = text.substr(0, dot);
  const auto& roots = set_roots();
  if (std::find(roots.begin(), roots.end(), root) == roots.end()) {
    return fmt::format("--set '{}': unknown root '{}'; the roots are {}{}", text, root,
                       fmt::join(roots, ", "), root_hint(root, text.substr(0, equals)));
  }
  const std::string path = text.substr(dot + 1, equals - dot - 1);
  const std::string value = text.substr(equals + 1);
  if (root == "workload") {
    const auto& columns = input_columns();
    if (std::find(columns.begin(), columns.end(), path) == columns.end()) {
      const std::string hint = hardware::did_you_mean(path, columns);
      return fmt::format("--set '{}': unknown workload key '{}'{}", text, path,
                         hint.empty() ? "" : "; " + hint);
    }
    out.inputs[path] = value;
  }
  // Kept for the notes too; no spec answers to the root `workload`.
  out.overrides.push_back({root, {path, value, text}});
  return {};
}

enum class Shown : std::uint8_t { Seconds, Milliseconds };

/// A time with its unit; `usual` is named first where the unit is missing.
std::string read_target(const char* flag, const std::string& text, Shown usual, double& seconds) {
  if (text.empty()) {
    return {};
  }
  if (hardware::parse_number(text)) {
    const bool long_time = usual == Shown::Seconds;
    return fmt::format("{0} '{1}' has no unit; write '{1} {2}' or '{1} {3}'", flag, text,
                       long_time ? "s" : "ms", long_time ? "ms" : "s");
  }
  const auto time = hardware::parse<hardware::Dim{.second = 1}>(text);
  if (!time) {
    return fmt::format("{} '{}' is not a time; write for instance '50 ms'", flag, text);
  }
  seconds = time->base();
  return seconds > 0 ? std::string() : fmt::format("{} '{}' is not above zero", flag, text);
}

std::string read_power(Arguments& out, const std::string& text) {
  if (hardware::parse_number(text)) {
    return fmt::format("--power-limit '{0}' has no unit; write '{0} W'", text);
  }
  const auto watts = hardware::parse<hardware::Dim{.second = -1, .joule = 1}>(text);
  if (!watts) {
    return fmt::format("--power-limit '{}' is not a power; write for instance '450 W'", text);
  }
  out.inputs["power_limit_w"] = fmt::format("{}", watts->base());
  return {};
}

std::string read_values(const RawArguments& raw, Arguments& out) {
  std::string error;
  for (const auto& [column, text] : raw.values) {
    if (text.empty()) {
      continue;
    }
    if (column == "power_limit_w") {
      error = read_power(out, text);
    } else {
      out.inputs[column] = text;
    }
  }
  return error;
}

std::string check_config_paths(const Arguments& out) {
  for (const std::string& folder : out.config_paths) {
    std::error_code failed;
    if (!std::filesystem::is_directory(folder, failed)) {
      return fmt::format("--config-path '{}' is no folder", folder);
    }
  }
  return {};
}

}  // namespace

std::string understand(const RawArguments& raw, Arguments& out) {
  for (const std::string& error :
       {read_format(raw, out), read_evidence(raw, out), read_values(raw, out),
        read_target("--slo-ttft", raw.slo_ttft, Shown::Seconds, out.slo_ttft),
        read_target("--slo-tpot", raw.slo_tpot, Shown::Milliseconds, out.slo_tpot),
        check_config_paths(out)}) {
    if (!error.empty()) {
      return error;
    }
  }
  for (const std::string& set : raw.sets) {
    if (std::string error = read_set(set, out); !error.empty()) {
      return error;
    }
  }
  return {};
}

}  // namespace fathom::cli
