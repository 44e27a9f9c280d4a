#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

/// A flag of the command line.
struct Flag {
  std::string_view name;      ///< "--isl"
  std::string_view column;    ///< the input column that it fills, or empty
  std::string_view commands;  ///< those that take it, separated by blanks; empty: all
  std::string_view value;     ///< what stands behind it: "N", "'450 W'"; empty for a switch
  std::string_view what;
};

/// Every flag, in the order of help.
std::span<const Flag> all_flags();

/// The flag of that name, or null.
const Flag* find_flag(std::string_view name);

/// The flag that fills an input column, or null.
const Flag* flag_of_column(std::string_view column);

bool takes(const Flag& flag, std::string_view command);

/// The names of the flags that a command takes beside those of all commands.
std::vector<std::string> flags_of(std::string_view command);

}  // namespace fathom::cli
