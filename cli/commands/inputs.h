#pragma once

#include <map>
#include <string>
#include <vector>

namespace fathom::cli {

/// What is asked for, by column name of the command-line reference; absent = not given. Flags and
/// case rows both become this, so that there is one way from text to a question.
using Inputs = std::map<std::string, std::string, std::less<>>;

/// All input columns of predict, fit and simulate, in their order.
const std::vector<std::string>& input_columns();

/// The text of a column, or empty.
std::string input(const Inputs& inputs, std::string_view column);

}  // namespace fathom::cli
