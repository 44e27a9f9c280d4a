#include "model/llm/hf_quantisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace fathom::model {
namespace {

constexpr std::size_t kLongestPattern = 200;

/// `*` matches any run of characters, dots too.
bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

/// A glob over the name, or over a module that contains it.
bool glob_module(std::string_view pattern, std::string_view module) {
  if (glob(pattern, module)) {
    return true;
  }
  for (std::size_t dot = module.find('.'); dot != std::string_view::npos;
       dot = module.find('.', dot + 1)) {
    if (glob(pattern, module.substr(0, dot))) {
      return true;
    }
  }
  return false;
}

/// The name itself, or parts of its path from one dot to another.
bool part_of_path(std::string_view part, std::string_view module) {
  for (std::size_t at = module.find(part); at != std::string_view::npos;
       at = module.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    const bool starts = at == 0 || module[at - 1] == '.';
    const bool ends = end == module.size() || module[end] == '.';
    if (starts && ends) {
      return true;
    }
  }
  return false;
}

bool regular(const std::string& pattern, const std::string& module) {
  if (pattern.size() > kLongestPattern) {
    return false;
  }
  try {
    // The library's polynomial form: a hostile pattern cannot take exponential time.
    const std::regex expression(pattern,
                                std::regex::ECMAScript | std::regex_constants::__polynomial);
    return std::regex_search(module, expression, std::regex_constants::match_continuous);
  } catch (const std::regex_error&) {
    return false;  // a pattern that is none excludes nothing
  }
}

bool matches_one(const std::string& pattern, const std::string& module) {
  if (pattern.starts_with("re:")) {
    return regular(pattern.substr(3), module);
  }
  if (pattern.find('*') != std::string::npos) {
    return glob_module(pattern, module);
  }
  return !pattern.empty() && part_of_path(pattern, module);
}

}  // namespace

bool pattern_matches(const std::string& pattern, const std::string& module) {
  for (const char* prefix : {"", "model.", "language_model.model.", "model.language_model.",
                             "language_model.", "backbone."}) {
    if (matches_one(pattern, prefix + module)) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> module_names(const ModuleNames& n, Role role, const std::string& layer) {
  const auto in = [&layer](std::string_view path, std::initializer_list<const char*> names) {
    std::vector<std::string> out;
    for (const char* name : names) {
      out.push_back(fmt::format("{}.{}.{}", layer, path, name));
    }
    return out;
  };
  switch (role) {
    case Role::Query:
      return in(n.attention, {"q_proj", "qkv_proj", "W_pack", "query_key_value", "wq", "wqkv"});
    case Role::Key:
      return in(n.attention, {"k_proj", "qkv_proj", "W_pack", "query_key_value", "wk", "wqkv"});
    case Role::Value:
      return in(n.attention, {"v_proj", "qkv_proj", "W_pack", "query_key_value", "wv", "wqkv"});
    case Role::QueryDown:
      return in(n.attention, {"q_a_proj", "wq_a", "q_proj"});
    case Role::QueryUp:
      return in(n.attention, {"q_b_proj", "wq_b", "wq"});
    case Role::LatentDown:
      return in(n.attention, {"kv_a_proj_with_mqa", "wkv", "wkv_a_with_mqa"});
    case Role::LatentUp:
      return in(n.attention, {"kv_b_proj", "wkv_b"});
    case Role::Output:
      return in(n.attention, {"o_proj", "wo_b", "dense", "out_proj", "wo"});
    case Role::OutputDown:
      return in(n.attention, {"wo_a"});
    case Role::AttentionGate:
      return in(n.attention, {"g_proj", "gate_proj"});
    case Role::IndexQuery:
      return in(n.attention, {"indexer.wq_b", "index_q_proj"});
    case Role::IndexKey:
      return in(n.attention, {"indexer.wk", "index_k_proj"});
    case Role::DenseUp:
      return in(n.mlp, {"gate_proj", "up_proj", "gate_up_proj", "w1", "w3"});
    case Role::DenseDown:
      return in(n.mlp, {"down_proj", "w2"});
    case Role::ExpertUp:
      return in(n.experts, {"0.gate_proj", "0.up_proj", "0.w1", "gate_up_proj"});
    case Role::ExpertDown:
      return in(n.experts, {"0.down_proj", "0.w2", "down_proj"});
    case Role::SharedUp:
      return in(n.shared, {"gate_proj", "up_proj", "w1"});
    case Role::SharedDown:
      return in(n.shared, {"down_proj", "w2"});
    case Role::StateIn:
    case Role::StateGroups:
      return in(n.mixer, {"in_proj_qkv", "in_proj_qkvz", "in_proj", "q_proj"});
    case Role::GateUp:
      return in(n.mixer, {"in_proj_z", "in_proj_qkvz", "g_b_proj", "g_proj"});
    case Role::MtpProjection:
      return n.mtp == ModuleNames::Mtp::Mtp
                 ? std::vector<std::string>{layer + ".e_proj", layer + ".h_proj"}
                 : std::vector<std::string>();
    case Role::StateOut:
      return in(n.mixer, {"out_proj", "o_proj"});
    default:
      return {};
  }
}

namespace {

/// A list in which layer numbers were lost excludes every layer if read as it stands: `layers.**`
/// was one layer with all below it, `layers.*.*` whole layers. They are the MTP layers, else the
/// dense ones at the start, which makers leave alone.
enum class Lost : std::uint8_t { No, OneLayer, WholeLayers };

Lost lost_number(std::string pattern) {
  for (const char* prefix : {"language_model.model.", "model.language_model.", "model."}) {
    if (pattern.starts_with(prefix)) {
      pattern = pattern.substr(std::string_view(prefix).size());
    }
  }
  return pattern == "layers.**"    ? Lost::OneLayer
         : pattern == "layers.*.*" ? Lost::WholeLayers
                                   : Lost::No;
}

bool any_matches(const std::string& pattern, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&pattern](const std::string& name) {
    return pattern_matches(pattern, name);
  });
}

class FormatSetter {
 public:
  FormatSetter(const HfDraft& draft, const Quantisation& quantisation, Format base)
      : draft_(&draft), q_(&quantisation) {
    set_small_formats(plain_, base);
    for (int i = 0; i < kRoleCount; ++i) {
      if (role_facts(static_cast<Role>(i)).source == FormatSource::Linear) {
        set_format(plain_, static_cast<Role>(i), base);
      }
    }
    for (const std::string& pattern : quantisation.excluded) {
      const Lost lost = lost_number(pattern);
      const bool to_mtp = lost == Lost::OneLayer && draft.mtp.has_value();
      excludes_mtp_ = excludes_mtp_ || to_mtp;
      excludes_dense_ = excludes_dense_ || (lost != Lost::No && !to_mtp);
    }
  }

  [[nodiscard]] bool read_lost_numbers() const { return excludes_mtp_ || excludes_dense_; }

  [[nodiscard]] Formats layer(const LayerKind& kind, std::size_t index) const {
    const bool dense = std::holds_alternative<DenseMlp>(kind.mlp);
    const std::string name = fmt::format("layers.{}", index);
    return fixed(excludes_dense_ && dense ? plain_ : named(name), name);
  }

  [[nodiscard]] Formats mtp() const {
    std::string name;
    switch (draft_->names.mtp) {
      case ModuleNames::Mtp::AfterLayers:
        name = fmt::format("layers.{}", draft_->layers.size());
        break;
      case ModuleNames::Mtp::Mtp:
        name = "mtp.0";
        break;
      case ModuleNames::Mtp::MtpLayers:
        name = "mtp.layers.0";
        break;
    }
    return fixed(excludes_mtp_ ? plain_ : named(name), name);
  }

  [[nodiscard]] Formats outer() const {
    Formats out = plain_;
    for (const QuantRule& rule : q_->rules) {
      if (pattern_matches(rule.pattern, "lm_head")) {
        set_format(out, Role::LmHead, rule.format);
      }
    }
    return fixed(out, "");
  }

 private:
  /// Roles that the architecture stores otherwise, unless a rule of the export names them.
  [[nodiscard]] Formats fixed(Formats formats, const std::string& layer) const {
    for (const auto& [role, format] : draft_->fixed) {
      if (!rule_of(module_names(draft_->names, role, layer))) {
        set_format(formats, role, format);
      }
    }
    if (draft_->e8m0_scales) {
      std::replace(formats.begin(), formats.end(), Format::Fp8Block, Format::Fp8BlockE8m0);
    }
    return formats;
  }

  [[nodiscard]] Formats named(const std::string& layer) const {
    Formats out = plain_;
    for (int i = 0; i < kRoleCount; ++i) {
      const auto role = static_cast<Role>(i);
      const auto names = module_names(draft_->names, role, layer);
      if (!names.empty()) {
        set_format(out, role, of_module(role, names));
      }
    }
    return out;
  }

  [[nodiscard]] std::optional<Format> rule_of(const std::vector<std::string>& names) const {
    for (const QuantRule& rule : q_->rules) {
      if (any_matches(rule.pattern, names)) {
        return rule.format;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Format of_module(Role role, const std::vector<std::string>& names) const {
    if (const auto format = rule_of(names)) {
      return *format;
    }
    for (const std::string& pattern : q_->excluded) {
      if (lost_number(pattern) == Lost::No && any_matches(pattern, names)) {
        return format_of(plain_, role);
      }
    }
    const bool expert = role_facts(role).group == Group::RoutedExperts;
    return q_->linear && (expert || !q_->experts_only) ? *q_->linear : format_of(plain_, role);
  }

  const HfDraft* draft_;
  const Quantisation* q_;
  Formats plain_{};
  bool excludes_mtp_ = false;
  bool excludes_dense_ = false;
};

}  // namespace

FormatSetting set_formats(const HfDraft& draft, const Quantisation& quantisation, Format base) {
  const FormatSetter setter(draft, quantisation, base);
  FormatSetting out;
  for (std::size_t i = 0; i < draft.layers.size(); ++i) {
    out.layers.push_back(setter.layer(draft.layers.at(i), i));
  }
  out.mtp = setter.mtp();
  out.outer = setter.outer();
  if (setter.read_lost_numbers()) {
    out.notes.emplace_back(
        "the exclude list names every layer ('layers.**'): its layer numbers were lost; read as "
        "the MTP layers, or the dense ones where there are none");
  }
  return out;
}

}  // namespace fathom::model
