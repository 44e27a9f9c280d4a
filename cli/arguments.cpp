#include "cli/arguments.h"

#include "hardware/base/suggest.h"
#include "hardware/base/unit_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace fathom::cli {
namespace {

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> names{"plan", "predict", "fit", "check",
                                              "list", "show",    "help"};
  return names;
}

const std::vector<std::string>& set_roots() {
  static const std::vector<std::string> roots{"accelerator", "system",       "model",
                                              "engine",      "coefficients", "workload"};
  return roots;
}

/// Texts as CLI11 fills them; understood afterwards.
struct Raw {
  std::string format = "text";
  std::string evidence = "default";
  std::vector<std::string> sets;
  std::string slo_ttft;
  std::string slo_tpot;
  std::map<std::string, std::string> values;  ///< by column
};

void add_input_flags(CLI::App& app, Raw& raw, Arguments& out) {
  const auto flag = [&](const char* name, const char* column, const char* what) {
    app.add_option(name, raw.values[column], what);
  };
  flag("--layout", "layout", "attention=tp8,experts=ep8,pp=1 or a short form");
  flag("--gpus", "gpus", "use the first N GPUs");
  flag("--engine", "engine", "generic, vllm, sglang, trtllm, llamacpp, pytorch; @VERSION");
  flag("--weight-format", "weight_format", "bf16, fp8, nvfp4, int4 ...");
  flag("--kv-format", "kv_format", "bf16, fp16, fp8");
  flag("--phase", "phase", "decode, prefill, serve");
  flag("--batch", "batch", "sequences of the whole deployment");
  flag("--context", "context", "tokens each sequence already has");
  flag("--new-tokens", "new_tokens", "tokens per sequence in this step");
  flag("--isl", "isl", "mean input length");
  flag("--osl", "osl", "mean output length");
  flag("--isl-spread", "isl_spread", "uniform, normal:CV, lognormal:CV");
  flag("--osl-spread", "osl_spread", "uniform, normal:CV, lognormal:CV");
  flag("--concurrency", "concurrency", "requests always in flight");
  flag("--rate", "rate", "requests a second");
  flag("--requests", "requests", "requests sent at time 0");
  flag("--spec-tokens", "spec_tokens", "drafted tokens a step");
  flag("--spec-acceptance", "spec_acceptance", "accepted over drafted");
  flag("--cuda-graphs", "cuda_graphs", "on or off");
  flag("--memory-fraction", "memory_fraction", "of the usable memory");
  flag("--max-model-len", "max_model_len", "longest sequence");
  flag("--max-num-seqs", "max_num_seqs", "most sequences at once");
  flag("--max-batched-tokens", "max_batched_tokens", "most tokens in a step");
  flag("--power-limit", "power_limit_w", "watts, or with a unit: '450 W'");
  app.add_option("--cases", out.cases, "a CSV file, one row a case");
  app.add_option("--slo-ttft", raw.slo_ttft, "target, for instance '2 s'");
  app.add_option("--slo-tpot", raw.slo_tpot, "target, for instance '50 ms'");
  app.add_option("--objective", out.objective, "throughput, user, ttft");
  app.add_option("--top", out.top, "layouts to list")->check(CLI::Range(1, 100000));
  app.add_flag("--explain", out.explain, "the formula with numbers put in");
}

void add_common_flags(CLI::App& app, Raw& raw, Arguments& out) {
  app.add_option("--format", raw.format, "text, json, csv");
  app.add_option("--output", out.output, "write the answer to a file");
  app.add_flag("--quiet", out.quiet, "no warnings");
  app.add_flag("--verbose", out.verbose, "every layout, every operator");
  app.add_option("--config-path", out.config_paths, "a folder with models/, systems/ ...");
  app.add_option("--evidence", raw.evidence, "bound or default");
  app.add_option("--set", raw.sets, "PATH=VALUE, for instance system.link.bandwidth=x2");
}

int terminal_width() {
  constexpr int kDefault = 100;
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col >= 60) {
    return size.ws_col;
  }
  return kDefault;
}

std::string read_format(const Raw& raw, Arguments& out) {
  const std::vector<std::string> names{"text", "json", "csv"};
  const auto found = std::find(names.begin(), names.end(), raw.format);
  if (found == names.end()) {
    return fmt::format("--format '{}' is none of text, json, csv", raw.format);
  }
  out.format = static_cast<OutputFormat>(found - names.begin());
  return {};
}

std::string read_evidence(const Raw& raw, Arguments& out) {
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
    const std::string hint = hardware::did_you_mean(root, roots);
    return fmt::format("--set '{}': unknown root '{}'; the roots are {}{}", text, root,
                       fmt::join(roots, ", "), hint.empty() ? "" : "; " + hint);
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
    return {};
  }
  out.overrides.push_back({root, {path, value, text}});
  return {};
}

/// "2 s" or a bare number of seconds.
std::string read_target(const char* flag, const std::string& text, double& seconds) {
  if (text.empty()) {
    return {};
  }
  const auto typed = hardware::parse<hardware::Dim{.second = 1}>(text);
  const auto bare = hardware::parse_number(text);
  if (!typed && !bare) {
    return fmt::format("{} '{}' is not a time; write for instance '50 ms'", flag, text);
  }
  seconds = typed ? typed->base() : *bare;
  return seconds > 0 ? std::string() : fmt::format("{} '{}' is not above zero", flag, text);
}

std::string read_values(const Raw& raw, Arguments& out) {
  for (const auto& [column, text] : raw.values) {
    if (!text.empty()) {
      out.inputs[column] = text;
    }
  }
  const std::string power = input(out.inputs, "power_limit_w");
  if (!power.empty() && !hardware::parse_number(power)) {
    const auto watts = hardware::parse<hardware::Dim{.second = -1, .joule = 1}>(power);
    if (!watts) {
      return fmt::format("--power-limit '{}' is not a power; write for instance '450 W'", power);
    }
    out.inputs["power_limit_w"] = fmt::format("{}", watts->base());
  }
  return {};
}

std::string understand(const Raw& raw, Arguments& out) {
  for (const std::string& error :
       {read_format(raw, out), read_evidence(raw, out), read_values(raw, out),
        read_target("--slo-ttft", raw.slo_ttft, out.slo_ttft),
        read_target("--slo-tpot", raw.slo_tpot, out.slo_tpot)}) {
    if (!error.empty()) {
      return error;
    }
  }
  for (const std::string& set : raw.sets) {
    if (const std::string error = read_set(set, out); !error.empty()) {
      return error;
    }
  }
  return {};
}

ParsedArguments wrong(const std::string& message) {
  return {std::nullopt, failure(ExitStatus::Usage, message)};
}

/// The flag that CLI11 did not know, with the nearest that exists.
std::string unknown_flag(const CLI::App& app, const std::vector<std::string>& extras) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    names.push_back("--" + option->get_single_name());
  }
  const std::string flag = extras.front().substr(0, extras.front().find('='));
  const std::string hint = hardware::did_you_mean(flag, names);
  return fmt::format("unknown flag '{}'{}", flag, hint.empty() ? "" : "; " + hint);
}

ParsedArguments unknown_command(const std::string& name) {
  const std::vector<std::string> later{"simulate", "size",      "cost",   "import",
                                       "compare",  "calibrate", "report", "diagnose"};
  if (std::find(later.begin(), later.end(), name) != later.end()) {
    return wrong(
        fmt::format("'{}' is not built yet; built are {}", name, fmt::join(command_names(), ", ")));
  }
  const std::string hint = hardware::did_you_mean(name, command_names());
  return wrong(fmt::format("unknown command '{}'{}", name,
                           hint.empty() ? "; fathom help lists them" : "; " + hint));
}

}  // namespace

ParsedArguments parse_arguments(int argc, const char* const* argv) {
  Arguments out;
  Raw raw;
  CLI::App app{"Fathom"};
  app.set_help_flag();
  bool help = false;
  bool version = false;
  app.add_flag("-h,--help", help, "help");
  app.add_flag("--version", version, "version");
  add_common_flags(app, raw, out);
  add_input_flags(app, raw, out);
  std::vector<std::string> words;
  app.add_option("words", words, "COMMAND and its names");
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return wrong(error.what());
  }
  if (version) {
    return {std::nullopt, {ExitStatus::Yes, "fathom " FATHOM_VERSION "\n", {}}};
  }
  if (const auto extras = app.remaining(); !extras.empty()) {
    return wrong(unknown_flag(app, extras));
  }
  if (help) {
    out.command = "help";
    out.positional = words;
  } else if (!words.empty()) {
    out.command = words.front();
    out.positional.assign(words.begin() + 1, words.end());
  }
  const auto& commands = command_names();
  if (!out.command.empty() &&
      std::find(commands.begin(), commands.end(), out.command) == commands.end()) {
    return unknown_command(out.command);
  }
  if (const std::string error = understand(raw, out); !error.empty()) {
    return wrong(error);
  }
  out.width = terminal_width();
  out.colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return {std::move(out), {}};
}

Answer run(const Arguments& arguments) {
  const std::string& command = arguments.command;
  if (command == "plan") return run_plan(arguments);
  if (command == "predict") return run_predict(arguments);
  if (command == "fit") return run_fit(arguments);
  if (command == "check") return run_check(arguments);
  if (command == "list") return run_list(arguments);
  if (command == "show") return run_show(arguments);
  return run_help(arguments);
}

}  // namespace fathom::cli
