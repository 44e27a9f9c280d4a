#pragma once

#include "cli/commands/command.h"

#include <map>
#include <string>
#include <vector>

namespace fathom::cli {

/// The flags' texts as they stand on the command line.
struct RawArguments {
  std::string format = "text";
  std::string evidence = "default";
  std::vector<std::string> sets;
  std::string slo_ttft;
  std::string slo_tpot;
  std::map<std::string, std::string> values;  ///< by column
};

/// Understands the texts; what is wrong with the first that cannot be, or empty.
std::string understand(const RawArguments& raw, Arguments& out);

}  // namespace fathom::cli
