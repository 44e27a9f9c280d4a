#include "cli/commands/scenario_builder.h"

#include "cli/commands/spec_kind.h"
#include "hardware/base/unit_text.h"
#include "model/llm/read_model.h"

#include <fmt/format.h>

#include <cmath>

namespace fathom::cli {
namespace {

using hardware::Count;
using hardware::Format;
using model::AskedPhase;

constexpr double kMostTokens = 1e9;
constexpr double kMostSequences = 1e7;

void check_spread(InputReader& r, const Inputs& inputs, const char* column) {
  const std::string text = input(inputs, column);
  if (text.empty() || text == "uniform" || text == "fixed") {
    return;
  }
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const auto cv = colon == std::string::npos
                      ? std::nullopt
                      : hardware::parse_number(std::string_view(text).substr(colon + 1));
  if ((kind != "normal" && kind != "lognormal") || !cv || *cv <= 0) {
    r.fail(
        fmt::format("{} '{}' is none of uniform, normal:CV, lognormal:CV", r.name(column), text));
  }
}

model::Question read_question(InputReader& r, const Inputs& inputs) {
  model::Question q;
  q.batch = r.whole("batch", 1, kMostSequences, -1);
  q.context = r.number("context", 0, kMostTokens, -1);
  q.new_tokens = r.number("new_tokens", 1, kMostTokens, -1);
  q.isl = r.number("isl", 1, kMostTokens, -1);
  q.osl = r.number("osl", 1, kMostTokens, -1);
  check_spread(r, inputs, "isl_spread");
  check_spread(r, inputs, "osl_spread");
  q.concurrency = r.whole("concurrency", 1, kMostSequences, -1);
  q.rate = r.number("rate", 1e-9, 1e9, -1);
  q.requests = r.whole("requests", 1, 1e9, -1);
  q.run.spec_tokens = static_cast<int>(r.whole("spec_tokens", 0, 64, 0));
  q.spec_acceptance = r.number("spec_acceptance", 0, 1, -1);
  q.run.cuda_graphs = r.choice("cuda_graphs", {"on", "off", "true", "false"}, 0) % 2 == 0;
  q.memory_fraction = r.number("memory_fraction", 0.01, 1, 0);
  q.max_model_len = static_cast<Count>(r.whole("max_model_len", 1, kMostTokens, 0));
  q.max_num_seqs = static_cast<Count>(r.whole("max_num_seqs", 1, kMostSequences, 0));
  q.max_batched_tokens = static_cast<Count>(r.whole("max_batched_tokens", 1, kMostTokens, 0));
  q.run.power_limit = hardware::Watts(r.number("power_limit_w", 1, 1e5, 0));
  q.run.kv_format = r.format("kv_format");
  // Default: serve if isl is given, else decode.
  const std::size_t phase = r.choice("phase", {"decode", "prefill", "serve"}, q.isl > 0 ? 2 : 0);
  q.phase = static_cast<AskedPhase>(phase);
  return q;
}

std::string first_error(const hardware::Diagnostics& diagnostics) {
  for (const auto& d : diagnostics.all()) {
    if (d.severity == hardware::Diagnostic::Severity::Error) {
      return d.help.empty() ? d.message : d.message + "; " + d.help;
    }
  }
  return "the spec is wrong";
}

Format main_format(const model::ModelSpec& m) {
  const auto group = m.is_moe() ? model::Group::RoutedExperts : model::Group::DenseFfn;
  return m.layers.back().formats.at(static_cast<std::size_t>(group));
}

/// The model in the asked weight format: itself, the library's quantised variant, or derived.
std::optional<model::ModelSpec> in_format(const model::ModelSpec& base, Format format,
                                          SpecLibrary& library, hardware::Diagnostics& diagnostics,
                                          BuiltScenario& out) {
  const auto same = [](Format a, Format b) {
    const auto fp8 = [](Format f) {
      return f == Format::Fp8 || f == Format::Fp8Block || f == Format::Fp8Channel ||
             f == Format::Fp8BlockE8m0;
    };
    const auto int4 = [](Format f) { return f == Format::Int4G32 || f == Format::Int4G128; };
    return a == b || (fp8(a) && fp8(b)) || (int4(a) && int4(b));
  };
  if (same(main_format(base), format)) {
    return base;
  }
  const bool fp8 = format == Format::Fp8 || format == Format::Fp8Block;
  const std::string variant =
      base.id + "-" + (fp8 ? "fp8" : std::string(hardware::format_name(format)));
  if (library.has_model(variant)) {
    if (const auto* found = library.model(variant, diagnostics)) {
      out.notes.push_back(fmt::format("weight_format {}: the library's {} is used",
                                      hardware::format_name(format), variant));
      return *found;
    }
  }
  out.notes.push_back(fmt::format(
      "weight_format {}: linear and expert weights derived in that format; embedding, lm_head, "
      "router and norms stay as they are",
      hardware::format_name(format)));
  return model::with_weight_format(base, format);
}

std::string add_engine(const Inputs& inputs, SpecLibrary& library,
                       hardware::Diagnostics& diagnostics, BuiltScenario& out) {
  std::string name = input(inputs, "engine");
  std::string version = input(inputs, "engine_version");
  const auto at = name.find('@');
  if (at != std::string::npos) {
    version = name.substr(at + 1);
    name = name.substr(0, at);
  }
  if (name.empty()) {
    name = "generic";
  }
  const model::EngineSpec* engine = library.engine(name, diagnostics);
  if (engine == nullptr) {
    return first_error(diagnostics);
  }
  if (!version.empty()) {
    out.notes.push_back(
        fmt::format("engine version '{}': one description of {} is known, its "
                    "newest is used",
                    version, name));
  }
  out.setup.engine = *engine;
  return {};
}

std::string add_machine(InputReader& r, SpecLibrary& library, hardware::Diagnostics& diagnostics,
                        BuiltScenario& out) {
  const SystemSet* system = library.system(out.system_name, diagnostics);
  if (system == nullptr) {
    return first_error(diagnostics);
  }
  out.setup.system = system->point;
  out.setup.slow_system = system->slow;
  out.setup.fast_system = system->fast;
  out.sources = system->sources;
  const double gpus = r.whole("gpus", 1, 1e6, 0);
  if (!r.error().empty()) {
    return r.error();
  }
  if (gpus > static_cast<double>(system->point.gpus)) {
    return fmt::format("{} {} exceeds the {} of {}", r.name("gpus"), gpus, system->point.gpus,
                       out.system_name);
  }
  if (gpus > 0) {
    for (auto* s : {&out.setup.system, &out.setup.slow_system, &out.setup.fast_system}) {
      s->gpus = static_cast<Count>(gpus);
    }
  }
  out.setup.bound = out.evidence == Evidence::Bound;
  if (out.setup.bound) {  // the datasheet is enough
    out.setup.coefficients = hardware::Coefficients::bound();
    return {};
  }
  const auto* coefficients =
      library.coefficients(system->point.accelerator.architecture, diagnostics);
  if (coefficients == nullptr) {
    return first_error(diagnostics);
  }
  out.setup.coefficients = *coefficients;
  return {};
}

std::string add_model(SpecLibrary& library, hardware::Diagnostics& diagnostics, InputReader& r,
                      BuiltScenario& out) {
  const model::ModelSpec* found = library.model(out.model_name, diagnostics);
  if (found == nullptr) {
    return first_error(diagnostics);
  }
  out.setup.model = *found;
  if (const auto format = r.format("weight_format")) {
    const auto changed = in_format(*found, *format, library, diagnostics, out);
    out.setup.model = changed.value_or(*found);
  }
  return r.error();
}

/// The longest sequence against --max-model-len, or the model's context where none is given.
std::string check_lengths(const InputReader& r, const BuiltScenario& s) {
  const auto& q = s.question;
  const double tokens = q.phase == AskedPhase::Prefill && q.new_tokens <= 0 ? q.isl : q.new_tokens;
  const double decode = std::max(0.0, q.context) + std::max(1.0, tokens);
  const double serve = std::max(0.0, q.isl) + std::max(0.0, q.osl);
  const double asked = q.phase == AskedPhase::Serve ? serve : decode;
  if (q.max_model_len > 0) {
    return asked <= static_cast<double>(q.max_model_len)
               ? std::string()
               : fmt::format("{:.0f} tokens exceed {} {}", asked, r.name("max_model_len"),
                             q.max_model_len);
  }
  const auto longest = static_cast<double>(s.setup.model.max_context);
  if (longest > 0 && asked > longest) {
    return fmt::format(
        "{:.0f} tokens exceed the model's context of {:.0f}; give --max-model-len "
        "to go beyond it",
        asked, longest);
  }
  return {};
}

/// A decode batch against --max-num-seqs, which is a limit of each engine.
std::string check_sequences(const InputReader& r, const BuiltScenario& s) {
  const auto& q = s.question;
  if (q.max_num_seqs == 0 || q.phase != AskedPhase::Decode || !s.layout) {
    return {};
  }
  const Count engines = s.layout->attention_dp * s.layout->replicas;
  const double most = static_cast<double>(q.max_num_seqs) * static_cast<double>(engines);
  if (q.batch <= most) {
    return {};
  }
  return fmt::format("{} {:.0f} exceeds {} {} of {} engine{}", r.name("batch"), q.batch,
                     r.name("max_num_seqs"), q.max_num_seqs, engines, engines == 1 ? "" : "s");
}

std::string check_power(const InputReader& r, const BuiltScenario& s) {
  const auto& a = s.setup.system.accelerator;
  const double asked = s.question.run.power_limit.base();
  const double low = std::max(a.power_limit_min.base(), a.power.base.base());
  const double high = a.power_limit_max.base();
  if (asked > 0 && (asked < low || asked > high)) {
    const std::string name = r.name("power_limit_w");
    return fmt::format("{} {}{} is out of range; {} takes {} to {} W", name, asked,
                       name.front() == '-' ? " W" : "", a.id, low, high);
  }
  return {};
}

/// MODEL and SYSTEM the other way round.
std::string check_order(const BuiltScenario& s, const SpecLibrary& library) {
  if (names_system(library, s.model_name)) {
    return fmt::format("'{}' is a system; the order is MODEL SYSTEM", s.model_name);
  }
  if (!names_system(library, s.system_name) && names_model(library, s.system_name)) {
    return fmt::format("'{}' is a model; the order is MODEL SYSTEM", s.system_name);
  }
  return {};
}

}  // namespace

BuildResult build_scenario(const Inputs& inputs, Evidence evidence, SpecLibrary& library,
                           hardware::Diagnostics& diagnostics, NamedBy names) {
  BuiltScenario out;
  out.evidence = evidence;
  out.model_name = input(inputs, "model");
  out.system_name = input(inputs, "system");
  const auto fail = [](std::string error) { return BuildResult{std::nullopt, std::move(error)}; };
  if (out.model_name.empty()) {
    return fail("model is missing");
  }
  if (out.system_name.empty()) {
    return fail("system is missing");
  }
  if (const std::string error = check_order(out, library); !error.empty()) {
    return fail(error);
  }
  InputReader r(inputs, names);
  out.question = read_question(r, inputs);
  if (!r.error().empty()) {
    return fail(r.error());
  }
  for (const std::string& error :
       {add_model(library, diagnostics, r, out), add_machine(r, library, diagnostics, out),
        add_engine(inputs, library, diagnostics, out)}) {
    if (!error.empty()) {
      return fail(error);
    }
  }
  const std::string layout = input(inputs, "layout");
  if (!layout.empty()) {
    const auto parsed = model::parse_layout(layout, out.setup.model.is_moe());
    if (!parsed.layout) {
      return fail(parsed.error);
    }
    out.layout = parsed.layout;
  }
  for (const std::string& error :
       {check_lengths(r, out), check_power(r, out), check_sequences(r, out)}) {
    if (!error.empty()) {
      return fail(error);
    }
  }
  return {std::move(out), {}};
}

}  // namespace fathom::cli
