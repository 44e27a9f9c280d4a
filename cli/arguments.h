#pragma once

#include "cli/commands/command.h"

#include <optional>
#include <string>

namespace fathom::cli {

/// The command line read, or what to print and the exit status instead (help, wrong usage).
struct ParsedArguments {
  std::optional<Arguments> arguments;
  Answer answer;
};

ParsedArguments parse_arguments(int argc, const char* const* argv);

/// Runs the command.
Answer run(const Arguments& arguments);

}  // namespace fathom::cli
