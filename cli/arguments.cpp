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
  static const std::vector<std::string> names{"plan",   "predict", "fit",  "check",
                                              "import", "list",    "show", "help"};
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
  app.add_option("--name", out.name);
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
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): the system call is declared so
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

/// "fit does not take --phase; predict does" for the first flag given that the command ignores.
std::string foreign_flag(const CLI::App& app, const std::string& command) {
  for (const CLI::Option* option : app.get_options()) {
    const Flag* flag = option->count() > 0 ? find_flag(option->get_name()) : nullptr;
    if (flag == nullptr || takes(*flag, command)) {
      continue;
    }
    std::vector<std::string> owners;
    for (const std::string& name : command_names()) {
      if (takes(*flag, name)) {
        owners.push_back(name);
      }
    }
    return fmt::format("{} does not take {}; {} {}", command, flag->name, fmt::join(owners, ", "),
                       owners.size() == 1 ? "does" : "do");
  }
  return {};
}

/// What CLI11 refuses, in our words where they say more.
std::string parse_error(const CLI::ParseError& error) {
  const std::string said = error.what();
  const std::string flag = said.substr(0, said.find(':'));
  return error.get_name() == "ArgumentMismatch" && find_flag(flag) != nullptr
             ? fmt::format("{0} has no value; fathom help {0} explains it", flag)
             : said;
}

/// `help --isl` explains a flag, which is no flag then; nothing for any other command line.
std::optional<Arguments> help_on_flag(int argc, const char* const* argv) {
  if (argc != 3 || std::string_view(argv[1]) != "help" || find_flag(argv[2]) == nullptr) {
    return std::nullopt;
  }
  Arguments out;
  out.command = "help";
  out.positional = {argv[2]};
  out.width = terminal_width();
  return out;
}

ParsedArguments unknown_command(const std::string& name) {
  const std::vector<std::string> later{"simulate",  "size",   "cost",    "compare",
                                       "calibrate", "report", "diagnose"};
  if (std::find(later.begin(), later.end(), name) != later.end()) {
    return wrong(
        fmt::format("'{}' is not built yet; built are {}", name, fmt::join(command_names(), ", ")));
  }
  const std::string hint = hardware::did_you_mean(name, command_names());
  return wrong(fmt::format("unknown command '{}'{}", name,
                           hint.empty() ? "; fathom help lists them" : "; " + hint));
}

/// What is no flag with a value.
struct Words {
  std::vector<std::string> words;
  bool help = false;
  bool version = false;
};

void take_words(const Words& given, Arguments& out) {
  if (given.help) {
    out.command = "help";
    out.positional = given.words;
  } else if (!given.words.empty()) {
    out.command = given.words.front();
    out.positional.assign(given.words.begin() + 1, given.words.end());
  }
}

bool is_command(const std::string& name) {
  const auto& names = command_names();
  return name.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

ParsedArguments parse_arguments(int argc, const char* const* argv) {
  if (auto help = help_on_flag(argc, argv)) {
    return {std::move(help), {}};
  }
  Arguments out;
  RawArguments raw;
  CLI::App app{"Fathom"};
  app.set_help_flag();
  Words words;
  app.add_flag("-h,--help", words.help);
  app.add_flag("--version", words.version);
  add_flags(app, raw, out);
  app.add_option("words", words.words);
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return wrong(parse_error(error));
  }
  if (words.version) {
    return {std::nullopt, {ExitStatus::Yes, "fathom " FATHOM_VERSION "\n", {}}};
  }
  if (const auto extras = app.remaining(); !extras.empty()) {
    return wrong(unknown_flag(app, extras));
  }
  take_words(words, out);
  if (!is_command(out.command)) {
    return unknown_command(out.command);
  }
  std::string error =
      out.command.empty() || words.help ? std::string() : foreign_flag(app, out.command);
  error = error.empty() ? understand(raw, out) : error;
  if (!error.empty()) {
    return wrong(error);
  }
  out.width = terminal_width();
  out.colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return {std::move(out), {}};
}

Answer run(const Arguments& arguments) {
  const std::string& command = arguments.command;
  if (command == "plan") {
    return run_plan(arguments);
  }
  if (command == "predict") {
    return run_predict(arguments);
  }
  if (command == "fit") {
    return run_fit(arguments);
  }
  if (command == "check") {
    return run_check(arguments);
  }
  if (command == "import") {
    return run_import(arguments);
  }
  if (command == "list") {
    return run_list(arguments);
  }
  if (command == "show") {
    return run_show(arguments);
  }
  return run_help(arguments);
}

}  // namespace fathom::cli
