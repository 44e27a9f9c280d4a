#include "cli/arguments.h"

#include "cli/raw_arguments.h"
#include "cli/report/flags.h"
#include "hardware/base/suggest.h"

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

/// Every flag of the table; where its text goes is said here.
void add_flags(CLI::App& app, RawArguments& raw, Arguments& out) {
  for (const Flag& flag : all_flags()) {
    const std::string name(flag.name);
    if (!flag.column.empty()) {
      app.add_option(name, raw.values[std::string(flag.column)]);
    }
  }
  app.add_option("--cases", out.cases);
  app.add_option("--slo-ttft", raw.slo_ttft);
  app.add_option("--slo-tpot", raw.slo_tpot);
  app.add_option("--objective", out.objective);
  app.add_option("--top", out.top)->check(CLI::Range(1, 100000));
  app.add_flag("--explain", out.explain);
  app.add_option("--format", raw.format);
  app.add_option("--output", out.output);
  app.add_flag("--quiet", out.quiet);
  app.add_flag("--verbose", out.verbose);
  app.add_option("--config-path", out.config_paths)->allow_extra_args(false);
  app.add_option("--evidence", raw.evidence);
  app.add_option("--set", raw.sets)->allow_extra_args(false);
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
  RawArguments raw;
  CLI::App app{"Fathom"};
  app.set_help_flag();
  bool help = false;
  bool version = false;
  app.add_flag("-h,--help", help, "help");
  app.add_flag("--version", version, "version");
  add_flags(app, raw, out);
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
