#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

/// Five questions and the commands that answer them.
std::string questions_text();

/// The list of commands, flags common to all, exit status.
std::string commands_text(int width);

/// Usage, flags and an example of a command; empty for none.
std::string command_text(std::string_view command, int width);

/// The explanation of a glossary term; empty for none.
std::string term_text(std::string_view term, int width);

/// What a flag ("--isl") means, which commands take it, and the term of the glossary behind it;
/// empty for none.
std::string flag_text(std::string_view flag, int width);

/// A command that is announced and not built yet.
bool is_announced(std::string_view command);

/// Commands and terms that help knows.
std::vector<std::string> help_words();

}  // namespace fathom::cli
