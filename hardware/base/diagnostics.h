#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::hardware {

/// One text file in memory: the name under which it is reported and its lines without endings.
struct SourceFile {
  std::string name;
  std::vector<std::string> lines;
};

/// Splits a text into lines at LF; a byte-order mark and the CR of a CRLF are dropped.
std::shared_ptr<const SourceFile> make_source(std::string name, std::string_view text);

/// A place in a file; line and column count from 1, 0 = no place. Columns count bytes.
struct Mark {
  std::shared_ptr<const SourceFile> file;
  int line = 0;
  int column = 0;
};

/// One thing that is wrong (or odd) and where.
struct Diagnostic {
  enum class Severity { Error, Warning };
  struct Note {
    Mark mark;
    std::string message;
  };
  Severity severity = Severity::Error;
  Mark mark;
  std::string message;
  std::string help;  ///< the likely fix, or empty
  std::vector<Note> notes;
};

/// Collects all that is wrong; reading continues past an error. The one out-parameter of the
/// house. Nothing is printed here.
class Diagnostics {
 public:
  Diagnostic& error(Mark mark, std::string message, std::string help = {});
  Diagnostic& warning(Mark mark, std::string message, std::string help = {});

  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
};

/// `file:line:column: error: what`, the line, a caret, notes, `help:`. Tabs in the line are shown
/// as one space; a line longer than 160 columns is cut around the caret; control characters
/// are shown as '?'.
/// ```
/// card.yaml:3:1: error: unknown key 'memory_chanels' in 'memory'
///     3 | memory_chanels: 8
///       | ^
///        help: did you mean 'memory_channels'?
/// ```
std::string render(const Diagnostic& diagnostic);

/// The first hundred, one after the other, how many more, then a line "N errors" when there is more
/// than one error.
std::string render(const Diagnostics& diagnostics);

}  // namespace fathom::hardware
