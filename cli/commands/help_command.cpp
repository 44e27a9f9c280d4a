#include "cli/commands/common.h"
#include "cli/report/help_text.h"
#include "hardware/base/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::cli {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

Answer told(const std::string& term, const std::string& text, const Arguments& arguments) {
  Answer out;
  out.out = text;
  if (arguments.format != OutputFormat::Text) {
    Document document;
    document.schema = "fathom.help/1";
    document.columns = {{"term", text_or_blank(term)}, {"text", text}};
    out.out = render_document(document, arguments.format);
  }
  return out;
}

}  // namespace

/// Without a command: five questions. `help`: the commands. `help TERM`: a command or a word; what
/// stands behind a command is ignored (`fathom plan MODEL SYSTEM --help`).
Answer run_help(const Arguments& arguments) {
  const auto& words = arguments.positional;
  if (words.empty()) {
    const bool alone = arguments.command.empty();
    return told({}, alone ? questions_text() : commands_text(arguments.width), arguments);
  }
  const std::string term = fmt::format("{}", fmt::join(words, " "));
  if (const std::string flag = flag_text(words.front(), arguments.width); !flag.empty()) {
    return told(words.front(), flag, arguments);
  }
  const std::string command = lower(words.front());
  const std::string known = command_text(command, arguments.width);
  const std::string word = term_text(term, arguments.width);
  if (!known.empty()) {
    return told(command, known, arguments);
  }
  if (!word.empty()) {
    return told(term, word, arguments);
  }
  if (is_announced(command)) {
    return failure(ExitStatus::Usage, fmt::format("'{}' is not built yet", command));
  }
  return failure(ExitStatus::Usage,
                 fmt::format("no help on '{}'; the nearest are {}", term,
                             fmt::join(hardware::nearest_names(term, help_words(), 3), ", ")));
}

}  // namespace fathom::cli
