#include "cli/commands/command.h"
#include "cli/report/glossary.h"
#include "cli/report/help_text.h"
#include "model/step/limiter.h"
#include "tests/support/catch.h"

namespace fathom::cli {
namespace {

Answer help(std::vector<std::string> words) {
  Arguments arguments;
  arguments.command = "help";
  arguments.positional = std::move(words);
  return run_help(arguments);
}

TEST_CASE("fathom alone asks five questions") {
  const Answer answer = run_help(Arguments{});
  CHECK(answer.status == ExitStatus::Yes);
  for (const char* question :
       {"Does it fit?", "How fast is each layout?", "What limits one layout?", "What would help?",
        "Is my spec valid?"}) {
    CHECK_THAT(answer.out, ContainsSubstring(question));
  }
  CHECK_THAT(answer.out, !ContainsSubstring("exit status"));
}

TEST_CASE("help lists the commands that are built and no others") {
  const std::string out = help({}).out;
  for (const char* command :
       {"plan MODEL SYSTEM", "predict MODEL SYSTEM", "fit MODEL SYSTEM", "check FILE",
        "import FILE", "list KIND", "show NAME", "help [TERM]"}) {
    CHECK_THAT(out, ContainsSubstring(command));
  }
  for (const char* later : {"simulate", "calibrate", "diagnose", "compare"}) {
    CHECK_THAT(out, !ContainsSubstring(later));
  }
}

TEST_CASE("a term is found in any case and spelling") {
  const std::string text = help({"link latency"}).out;
  CHECK_THAT(text, ContainsSubstring("link latency: Time of messages"));
  CHECK(help({"link", "latency"}).out == text);
  CHECK(help({"Link-Latency"}).out == text);
  CHECK(help({"LINK_LATENCY"}).out == text);
  CHECK_THAT(help({"ttft"}).out, ContainsSubstring("TTFT: Seconds from the arrival"));
}

TEST_CASE("every resource that can limit is explained") {
  for (int i = 0; i < model::kResourceCount; ++i) {
    CHECK(find_term(model::resource_name(static_cast<model::Resource>(i))) != nullptr);
  }
}

TEST_CASE("the words of the field are explained") {
  for (const char* term : {"TTFT",
                           "TPOT",
                           "ITL",
                           "E2E",
                           "ISL",
                           "OSL",
                           "MFU",
                           "MBU",
                           "TP",
                           "EP",
                           "DP",
                           "PP",
                           "rank",
                           "node",
                           "goodput",
                           "algbw",
                           "busbw",
                           "payload",
                           "limiting resource",
                           "elasticity",
                           "evidence",
                           "bound",
                           "context",
                           "batch",
                           "NVFP4",
                           "MLA",
                           "DSA"}) {
    CHECK(find_term(term) != nullptr);
  }
}

TEST_CASE("no term is explained twice") {
  for (const std::string& term : glossary_terms()) {
    REQUIRE(find_term(term) != nullptr);
    CHECK(find_term(term)->term == term);
  }
}

TEST_CASE("a command is explained with its flags and an example") {
  const std::string out = help({"predict"}).out;
  CHECK_THAT(out, ContainsSubstring("fathom predict MODEL SYSTEM --layout L"));
  CHECK_THAT(out, ContainsSubstring("for instance: fathom predict "));
  CHECK(help({"predict", "glm-5", "8x-h200-sxm"}).out == out);
}

TEST_CASE("an announced command says that it is not built yet") {
  const Answer answer = help({"simulate"});
  CHECK(answer.status == ExitStatus::Usage);
  CHECK(answer.error == "fathom: 'simulate' is not built yet\n");
}

TEST_CASE("an unknown term is wrong usage and names the nearest") {
  const Answer answer = help({"elastisity"});
  CHECK(answer.status == ExitStatus::Usage);
  CHECK(answer.out.empty());
  CHECK_THAT(answer.error,
             ContainsSubstring("no help on 'elastisity'; the nearest are elasticity"));
}

}  // namespace
}  // namespace fathom::cli
