#pragma once

#include "cli/commands/inputs.h"
#include "cli/commands/scenario_builder.h"
#include "cli/commands/spec_library.h"

#include <string>
#include <vector>

namespace fathom::cli {

enum class OutputFormat : std::uint8_t { Text, Json, Csv };

/// What the program says with its exit status.
enum class ExitStatus : int { Yes = 0, No = 1, Usage = 2, Spec = 3, Fault = 70 };

/// The command line, read but not understood: names and texts.
struct Arguments {
  std::string command;
  std::vector<std::string> positional;
  OutputFormat format = OutputFormat::Text;
  std::string name;    ///< id of an imported spec, or empty
  std::string output;  ///< file, or empty for standard output
  bool quiet = false;
  bool verbose = false;
  bool colour = false;  ///< standard output is a terminal and NO_COLOR is not set
  int width = 100;      ///< columns of the terminal
  std::vector<std::string> config_paths;
  std::vector<RootedOverride> overrides;
  Evidence evidence = Evidence::Default;
  Inputs inputs;
  std::string cases;    ///< file, or empty
  double slo_ttft = 0;  ///< seconds
  double slo_tpot = 0;
  std::string objective;
  int top = 10;
  bool explain = false;
};

/// What a command has to say: main prints it.
struct Answer {
  ExitStatus status = ExitStatus::Yes;
  std::string out;    ///< the answer
  std::string error;  ///< diagnostics and warnings
};

Answer run_plan(const Arguments& arguments);
Answer run_predict(const Arguments& arguments);
Answer run_fit(const Arguments& arguments);
Answer run_check(const Arguments& arguments);
Answer run_import(const Arguments& arguments);
Answer run_list(const Arguments& arguments);
Answer run_show(const Arguments& arguments);
Answer run_help(const Arguments& arguments);

/// A one-line failure.
Answer failure(ExitStatus status, const std::string& message);

/// What is left in diagnostics, rendered, with exit status 3.
Answer spec_failure(const hardware::Diagnostics& diagnostics);

}  // namespace fathom::cli
