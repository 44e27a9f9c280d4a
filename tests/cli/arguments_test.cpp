#include "cli/arguments.h"

#include "cli/report/flags.h"
#include "tests/support/catch.h"

namespace fathom::cli {
namespace {

ParsedArguments parse(std::vector<const char*> words) {
  words.insert(words.begin(), "fathom");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

std::string refused(std::vector<const char*> words) {
  const ParsedArguments parsed = parse(std::move(words));
  CHECK_FALSE(parsed.arguments);
  CHECK(parsed.answer.status == ExitStatus::Usage);
  return parsed.answer.error;
}

TEST_CASE("targets and the power limit have a unit") {
  CHECK(parse({"plan", "--slo-ttft", "2 s"}).arguments->slo_ttft == 2);
  CHECK(parse({"plan", "--slo-tpot", "50 ms"}).arguments->slo_tpot == 0.05);
  CHECK(input(parse({"plan", "--power-limit", "0.45 kW"}).arguments->inputs, "power_limit_w") ==
        "450");
  CHECK(refused({"plan", "--slo-ttft", "3"}) ==
        "fathom: --slo-ttft '3' has no unit; write '3 s' or '3 ms'\n");
  CHECK(refused({"plan", "--slo-tpot", "50"}) ==
        "fathom: --slo-tpot '50' has no unit; write '50 ms' or '50 s'\n");
  CHECK(refused({"plan", "--power-limit", "450"}) ==
        "fathom: --power-limit '450' has no unit; write '450 W'\n");
}

TEST_CASE("a command refuses the flags that it would ignore") {
  CHECK(refused({"fit", "--phase", "decode"}) ==
        "fathom: fit does not take --phase; predict does\n");
  CHECK(refused({"show", "x", "--explain"}) == "fathom: show does not take --explain; fit does\n");
  CHECK(parse({"show", "x", "--set", "system.link.bandwidth=x2"}).arguments);
  CHECK(parse({"check", "x", "--config-path", "."}).arguments);
}

TEST_CASE("every flag of the table is one of the program") {
  for (const Flag& flag : all_flags()) {
    CAPTURE(std::string(flag.name));
    const std::string name(flag.name);
    const std::string error = flag.value.empty() ? "" : refused({"predict", name.c_str()});
    std::string expected;
    if (!flag.value.empty()) {
      expected.append("fathom: ").append(name).append(" has no value; fathom help ");
      expected.append(name).append(" explains it\n");
    }
    CHECK(error == expected);
    CHECK(parse({"help", name.c_str()}).arguments->positional == std::vector<std::string>{name});
  }
}

TEST_CASE("a repeatable flag takes one value at a time") {
  const auto parsed = parse({"--set", "system.link.bandwidth=x2", "plan", "a", "b"});
  REQUIRE(parsed.arguments);
  CHECK(parsed.arguments->command == "plan");
  CHECK(parsed.arguments->overrides.size() == 1);
}

TEST_CASE("a change without its root is told the likely one") {
  CHECK_THAT(refused({"plan", "--set", "link.bandwidth=x2"}),
             ContainsSubstring("system.link.bandwidth"));
}

TEST_CASE("a folder of specs that is not there is refused") {
  CHECK(refused({"list", "models", "--config-path", "/no/such/folder"}) ==
        "fathom: --config-path '/no/such/folder' is no folder\n");
}

}  // namespace
}  // namespace fathom::cli
