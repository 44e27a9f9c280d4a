#include "model/llm/hf_quantisation.h"
#include "model/llm/module_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace fathom::model {

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

/// The patterns of an exclude list that still have their numbers.
std::vector<std::string> whole_patterns(const Quantisation& quantisation) {
  std::vector<std::string> out;
  for (const std::string& pattern : quantisation.excluded) {
    if (lost_number(pattern) == Lost::No) {
      out.push_back(pattern);
    }
  }
  return out;
}

std::vector<std::string> rule_patterns(const Quantisation& quantisation) {
  std::vector<std::string> out;
  for (const QuantRule& rule : quantisation.rules) {
    out.push_back(rule.pattern);
  }
  return out;
}

/// The first characters of a text, none of them cut.
std::string_view beginning(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::size_t end = std::min(text.size(), kShown);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

class FormatSetter {
 public:
  FormatSetter(const HfDraft& draft, const Quantisation& quantisation, Format base)
      : draft_(&draft),
        q_(&quantisation),
        rules_(rule_patterns(quantisation)),
        excluded_(whole_patterns(quantisation)) {
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

  /// Roughly how many globs are tried for all layers.
  [[nodiscard]] double work() const {
    constexpr double kModules = 80;  // of a layer
    const double modules = kModules * static_cast<double>(draft_->layers.size() + 1);
    return rules_.work(modules) + excluded_.work(modules);
  }

  /// Patterns that mean nothing here.
  [[nodiscard]] std::vector<std::string> unusable() const {
    std::vector<std::string> out = rules_.unusable();
    out.insert(out.end(), excluded_.unusable().begin(), excluded_.unusable().end());
    return out;
  }

  Formats layer(const LayerKind& kind, std::size_t index) {
    const bool dense = std::holds_alternative<DenseMlp>(kind.mlp);
    const std::string name = fmt::format("layers.{}", index);
    if (!rules_.blind_to_digits() || !excluded_.blind_to_digits()) {
      return fixed(excludes_dense_ && dense ? plain_ : named(name), name);
    }
    // Layers whose numbers have as many digits are alike.
    const std::string key = std::string(name.size(), dense ? 'd' : 'o');
    const auto found = like_it_.find(key);
    return found != like_it_.end()
               ? found->second
               : like_it_.emplace(key, fixed(excludes_dense_ && dense ? plain_ : named(name), name))
                     .first->second;
  }

  Formats mtp() {
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

  Formats outer() {
    Formats out = plain_;
    if (const auto format = rule_of({"lm_head"})) {
      set_format(out, Role::LmHead, *format);
    }
    return fixed(out, "");
  }

 private:
  /// Roles that the architecture stores otherwise, unless a rule of the export names them.
  Formats fixed(Formats formats, const std::string& layer) {
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

  Formats named(const std::string& layer) {
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

  std::optional<Format> rule_of(const std::vector<std::string>& names) {
    const auto rule = rules_.first(names);
    return rule ? std::optional(q_->rules.at(*rule).format) : std::nullopt;
  }

  Format of_module(Role role, const std::vector<std::string>& names) {
    if (const auto format = rule_of(names)) {
      return *format;
    }
    if (excluded_.first(names)) {
      return format_of(plain_, role);
    }
    const bool expert = role_facts(role).group == Group::RoutedExperts;
    return q_->linear && (expert || !q_->experts_only) ? *q_->linear : format_of(plain_, role);
  }

  const HfDraft* draft_;
  const Quantisation* q_;
  ModulePatterns rules_;
  ModulePatterns excluded_;
  std::unordered_map<std::string, Formats> like_it_;
  Formats plain_{};
  bool excludes_mtp_ = false;
  bool excludes_dense_ = false;
};

}  // namespace

std::optional<FormatSetting> set_formats(const HfDraft& draft, const Quantisation& quantisation,
                                         Format base) {
  constexpr double kMostWork = 3e7;  // some seconds; the lists of makers take a hundredth
  FormatSetter setter(draft, quantisation, base);
  if (setter.work() > kMostWork) {
    return std::nullopt;
  }
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
  const std::vector<std::string> unusable = setter.unusable();
  if (!unusable.empty()) {
    out.notes.push_back(fmt::format("{} patterns of the quantisation mean nothing, the first '{}'",
                                    unusable.size(), beginning(unusable.front())));
  }
  return out;
}

}  // namespace fathom::model
