#include "model/layout/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <vector>

namespace fathom::model {
namespace {

constexpr Count kMaxFactor = 100'000;

using Factors = std::map<std::string, Count, std::less<>>;

ParsedLayout fail(std::string message) { return {std::nullopt, std::move(message)}; }

/// Splits "tp2ep4dp4" into {tp: 2, ep: 4, dp: 4}; an error text when it is something else.
std::string read_factors(std::string_view text, const std::vector<std::string_view>& known,
                         Factors& factors) {
  if (text.empty()) {
    return "an empty factor list; write for instance 'tp8'";
  }
  while (!text.empty()) {
    std::string_view name;
    for (const std::string_view candidate : known) {
      if (text.substr(0, candidate.size()) == candidate) {
        name = candidate;
      }
    }
    if (name.empty()) {
      return fmt::format("'{}' does not start with {}", text, fmt::join(known, ", "));
    }
    text.remove_prefix(name.size());
    Count value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || value < 1 || value > kMaxFactor) {
      return fmt::format("'{}' wants a whole number from 1 to {}", name, kMaxFactor);
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!factors.emplace(std::string(name), value).second) {
      return fmt::format("'{}' is given twice", name);
    }
  }
  return {};
}

Count factor(const Factors& factors, std::string_view name) {
  const auto found = factors.find(name);
  return found == factors.end() ? 1 : found->second;
}

struct Parts {
  Factors attention;
  Factors experts;
  Factors scalars;  ///< pp, dcp, replicas
  bool has_attention = false;
  bool has_experts = false;
};

std::string read_part(std::string_view part, Parts& parts) {
  const auto equals = part.find('=');
  const std::string_view key = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  if (key == "attention" || key == "experts") {
    bool& has = key == "attention" ? parts.has_attention : parts.has_experts;
    if (has) {
      return fmt::format("'{}' is given twice", key);
    }
    has = true;
    return key == "attention" ? read_factors(value, {"tp", "dp"}, parts.attention)
                              : read_factors(value, {"tp", "ep"}, parts.experts);
  }
  if (key == "pp" || key == "dcp" || key == "replicas") {
    return read_factors(fmt::format("{}{}", key, value), {key}, parts.scalars);
  }
  return fmt::format("unknown part '{}'; the parts are attention, experts, pp, dcp, replicas", key);
}

ParsedLayout finish(Layout layout, bool moe, bool experts_given) {
  constexpr double kMostGpus = 1e6;
  const double gpus = static_cast<double>(layout.attention_tp) *
                      static_cast<double>(layout.attention_dp) * static_cast<double>(layout.pp) *
                      static_cast<double>(layout.replicas);
  if (gpus > kMostGpus) {
    return fail(fmt::format("its factors ask for {:.3g} GPUs", gpus));
  }
  const Count ranks = layout.ranks_per_stage();
  if (!moe) {
    if (experts_given) {
      return fail("'experts' on a dense model; leave that part out");
    }
    layout.expert_tp = ranks;
    layout.expert_ep = 1;
  } else if (!experts_given) {
    layout.expert_tp = ranks;
  } else if (layout.expert_tp * layout.expert_ep != ranks) {
    return fail(fmt::format(
        "attention tp{} x dp{} = {} ranks, but experts tp{} x ep{} = {}; they are the same ranks",
        layout.attention_tp, layout.attention_dp, ranks, layout.expert_tp, layout.expert_ep,
        layout.expert_tp * layout.expert_ep));
  }
  return {layout, {}};
}

ParsedLayout parse_long(std::string_view text, bool moe) {
  Parts parts;
  while (true) {
    const auto comma = text.find(',');
    const std::string error = read_part(text.substr(0, comma), parts);
    if (!error.empty()) {
      return fail(error);
    }
    if (comma == std::string_view::npos) {
      break;
    }
    text.remove_prefix(comma + 1);
  }
  if (!parts.has_attention) {
    return fail("'attention' is missing; write for instance 'attention=tp8,experts=ep8,pp=1'");
  }
  Layout layout;
  layout.attention_tp = factor(parts.attention, "tp");
  layout.attention_dp = factor(parts.attention, "dp");
  layout.expert_tp = factor(parts.experts, "tp");
  layout.expert_ep = factor(parts.experts, "ep");
  layout.pp = factor(parts.scalars, "pp");
  layout.dcp = factor(parts.scalars, "dcp");
  layout.replicas = factor(parts.scalars, "replicas");
  return finish(layout, moe, parts.has_experts);
}

ParsedLayout parse_short(std::string_view text, bool moe) {
  Factors factors;
  const std::string error =
      read_factors(text, {"tp", "ep", "dp", "pp", "dcp", "replicas"}, factors);
  if (!error.empty()) {
    return fail(error);
  }
  Layout layout;
  layout.pp = factor(factors, "pp");
  layout.dcp = factor(factors, "dcp");
  layout.replicas = factor(factors, "replicas");
  layout.expert_ep = factor(factors, "ep");
  layout.attention_tp = factor(factors, "tp");
  layout.attention_dp = factor(factors, "dp");
  const bool has_ep = factors.contains("ep");
  if (has_ep && !factors.contains("tp") && !factors.contains("dp")) {
    layout.attention_tp = layout.expert_ep;
  }
  const Count ranks = layout.ranks_per_stage();
  if (has_ep && ranks % layout.expert_ep != 0) {
    return fail(fmt::format("tp{} x dp{} = {} ranks do not divide by ep{}", layout.attention_tp,
                            layout.attention_dp, ranks, layout.expert_ep));
  }
  layout.expert_tp = ranks / layout.expert_ep;
  if (has_ep && !moe) {
    return fail(fmt::format("ep{} needs experts and the model is dense; use tp{}", layout.expert_ep,
                            ranks));
  }
  return finish(layout, moe, has_ep);
}

std::string pair_text(const char* first, Count a, const char* second, Count b) {
  std::string out;
  if (a != 1 || b == 1) {
    out += fmt::format("{}{}", first, a);
  }
  if (b != 1) {
    out += fmt::format("{}{}", second, b);
  }
  return out;
}

}  // namespace

ParsedLayout parse_layout(std::string_view text, bool moe) {
  if (text.find('(') != std::string_view::npos || text.find(';') != std::string_view::npos) {
    return fail("disaggregated layouts are not predicted yet; give the layout of one side");
  }
  ParsedLayout parsed =
      text.find('=') == std::string_view::npos ? parse_short(text, moe) : parse_long(text, moe);
  if (!parsed.layout) {
    parsed.error = fmt::format("'{}' is no layout: {}", text, parsed.error);
  }
  return parsed;
}

std::string print_layout(const Layout& layout, bool moe) {
  std::string out = "attention=" + pair_text("tp", layout.attention_tp, "dp", layout.attention_dp);
  if (moe) {
    out += ",experts=" + pair_text("tp", layout.expert_tp, "ep", layout.expert_ep);
  }
  out += fmt::format(",pp={}", layout.pp);
  if (layout.dcp != 1) {
    out += fmt::format(",dcp={}", layout.dcp);
  }
  if (layout.replicas != 1) {
    out += fmt::format(",replicas={}", layout.replicas);
  }
  return out;
}

}  // namespace fathom::model
