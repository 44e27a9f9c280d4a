#include "cli/report/flags.h"

#include "cli/commands/inputs.h"
#include "cli/report/glossary.h"
#include "tests/support/catch.h"

#include <set>

namespace fathom::cli {
namespace {

TEST_CASE("every input column but the names has a flag") {
  const std::set<std::string> without{"id", "model", "system", "engine_version"};
  for (const std::string& column : input_columns()) {
    CAPTURE(column);
    CHECK((flag_of_column(column) == nullptr) == without.contains(column));
  }
}

TEST_CASE("a flag is found by its name") {
  CHECK(find_flag("--isl")->column == "isl");
  CHECK(find_flag("--power-limit")->column == "power_limit_w");
  CHECK(find_flag("isl") == nullptr);
}

TEST_CASE("flags of all commands are taken by each, others by those named") {
  CHECK(takes(*find_flag("--format"), "help"));
  CHECK(takes(*find_flag("--phase"), "predict"));
  CHECK_FALSE(takes(*find_flag("--phase"), "fit"));
  CHECK_FALSE(takes(*find_flag("--phase"), "predic"));
  CHECK(flags_of("show").empty());
}

TEST_CASE("help on cases names every input column") {
  const std::string text(find_term("cases")->text);
  for (const std::string& column : input_columns()) {
    CHECK_THAT(text, ContainsSubstring(" " + column));
  }
}

}  // namespace
}  // namespace fathom::cli
