#include "hardware/base/diagnostics.h"

#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

std::string shown(std::string_view text, int line, int column) {
  Diagnostics diagnostics;
  diagnostics.error({make_source("a.yaml", text), line, column}, "wrong");
  return render(diagnostics);
}

TEST_CASE("an error shows its line, a caret and the help") {
  Diagnostics diagnostics;
  const auto file = make_source("card.yaml", "a: 1\nb: 2\nmemory_chanels: 8\n");
  diagnostics.error({file, 3, 1}, "unknown key 'memory_chanels' in 'memory'",
                    "did you mean 'memory_channels'?");
  CHECK(render(diagnostics) ==
        "card.yaml:3:1: error: unknown key 'memory_chanels' in 'memory'\n"
        "    3 | memory_chanels: 8\n"
        "      | ^\n"
        "       help: did you mean 'memory_channels'?\n");
}

TEST_CASE("notes stand between the caret and the help") {
  Diagnostics diagnostics;
  const auto file = make_source("a.yaml", "a: 1\na: 2\n");
  diagnostics.error({file, 2, 1}, "twice", "remove one").notes.push_back({{file, 1, 1}, "first"});
  CHECK(render(diagnostics) ==
        "a.yaml:2:1: error: twice\n"
        "    2 | a: 2\n"
        "      | ^\n"
        "a.yaml:1:1: note: first\n"
        "       help: remove one\n");
}

TEST_CASE("more than one error is counted, warnings are not") {
  Diagnostics diagnostics;
  CHECK_FALSE(diagnostics.has_errors());
  diagnostics.warning({}, "odd");
  CHECK_FALSE(diagnostics.has_errors());
  diagnostics.error({}, "one");
  CHECK(render(diagnostics) == "warning: odd\nerror: one\n");
  diagnostics.error({}, "two");
  CHECK(diagnostics.has_errors());
  CHECK(render(diagnostics) == "warning: odd\nerror: one\nerror: two\n2 errors\n");
}

TEST_CASE("a place is shown as far as it is known") {
  CHECK(shown("x\n", 0, 0) == "a.yaml: error: wrong\n");
  CHECK(shown("x\n", 1, 0) == "a.yaml:1: error: wrong\n    1 | x\n");
  CHECK(shown("x\n", 9, 1) == "a.yaml:9:1: error: wrong\n");
}

TEST_CASE("the caret stands under the character, whatever its bytes") {
  CHECK(shown("\xC2\xB5s: 1\n", 1, 4) ==
        "a.yaml:1:4: error: wrong\n    1 | \xC2\xB5s: 1\n      |   ^\n");
  CHECK(shown("\tx\n", 1, 2) == "a.yaml:1:2: error: wrong\n    1 |  x\n      |  ^\n");
  CHECK(shown("ab\n", 1, 3) == "a.yaml:1:3: error: wrong\n    1 | ab\n      |   ^\n");
}

TEST_CASE("characters that steer a terminal are not passed on") {
  CHECK(shown("a\x1B[2Jb\xFF\xC2\x9B\n", 1, 1) ==
        "a.yaml:1:1: error: wrong\n    1 | a?[2Jb?"
        "?\n      | ^\n");
  Diagnostics diagnostics;
  diagnostics.error({}, "key 'a\n\x1B'");
  CHECK(render(diagnostics) ==
        "error: key 'a?"
        "?'\n");
}

TEST_CASE("a long line is cut around the caret") {
  const std::string text = shown(std::string(500, 'a') + "X" + std::string(500, 'b'), 1, 501);
  const std::size_t line = text.find("    1 | ");
  const std::size_t caret = text.find("      | ", line);
  const std::string excerpt = text.substr(line + 8, caret - line - 9);
  CHECK(excerpt.size() == 160);
  CHECK(excerpt.substr(0, 4) == "...a");
  CHECK(excerpt.substr(156) == "b...");
  CHECK(excerpt.at(text.find('^') - caret - 8) == 'X');
}

TEST_CASE("a line that is cut keeps its beginning when the caret is there") {
  const std::string text = shown("X" + std::string(500, 'b'), 1, 1);
  CHECK_THAT(text, ContainsSubstring("    1 | Xbb"));
  CHECK_THAT(text, ContainsSubstring("bb...\n      | ^\n"));
}

TEST_CASE("a source has no byte-order mark and no carriage returns") {
  CHECK(make_source("x",
                    "\xEF\xBB\xBF"
                    "a\r\nb")
            ->lines == std::vector<std::string>{"a", "b"});
  CHECK(make_source("x", "a\n\n")->lines == std::vector<std::string>{"a", ""});
  CHECK(make_source("x", "")->lines.empty());
}

}  // namespace
}  // namespace fathom::hardware
