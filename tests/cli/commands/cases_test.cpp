#include "cli/commands/common.h"
#include "tests/support/catch.h"

#include <cstdio>
#include <fstream>

namespace fathom::cli {
namespace {

/// Answers each row by its context and echoes the layout.
Answer answer(const std::string& text, OutputFormat format, const Inputs& flags) {
  const std::string file = "fathom_cases_test.csv";
  std::ofstream(file) << text;
  Arguments arguments;
  arguments.command = "predict";
  arguments.cases = file;
  arguments.format = format;
  arguments.inputs = flags;
  Answer out = run_cases(arguments, "fathom.predict/1", [](const Inputs& inputs, SpecLibrary&) {
    return Row{{"seen", input(inputs, "context") + " " + input(inputs, "layout")}};
  });
  std::remove(file.c_str());
  return out;
}

TEST_CASE("what flags give stands in the answer after the file's own cells") {
  CHECK(answer("context,id\n8,a\n,\n", OutputFormat::Csv, {{"layout", "tp8"}, {"context", "1"}})
            .out == "context,id,layout,seen\n8,a,tp8,8 tp8\n,2,tp8,1 tp8\n");
}

TEST_CASE("a table without rows is answered by its header") {
  CHECK(answer("context\n", OutputFormat::Csv, {{"layout", "tp8"}}).out ==
        "id,context,layout,seen\n");
  CHECK_THAT(answer("context\n", OutputFormat::Json, {}).out, ContainsSubstring("\"cases\": []"));
}

TEST_CASE("cells are echoed as given in CSV, as numbers in JSON") {
  CHECK(answer("id,context\n01,8.0\n", OutputFormat::Csv, {}).out ==
        "id,context,seen\n01,8.0,8.0 \n");
  const std::string json = answer("id,context\n01,8.0\n", OutputFormat::Json, {}).out;
  CHECK_THAT(json, ContainsSubstring("\"id\": \"01\""));
  CHECK_THAT(json, ContainsSubstring("\"context\": 8,"));
}

TEST_CASE("cells separated by semicolons are refused") {
  const Answer out = answer("id;context\na;8\n", OutputFormat::Csv, {});
  CHECK(out.status == ExitStatus::Spec);
  CHECK_THAT(out.error, ContainsSubstring("separate with commas"));
}

}  // namespace
}  // namespace fathom::cli
