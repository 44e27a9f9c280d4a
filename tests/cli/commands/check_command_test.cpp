#include "cli/commands/command.h"
#include "tests/support/catch.h"

#include <filesystem>
#include <fstream>

namespace fathom::cli {
namespace {

Arguments check(std::vector<std::string> files, OutputFormat format = OutputFormat::Text) {
  Arguments arguments;
  arguments.command = "check";
  arguments.positional = std::move(files);
  arguments.format = format;
  return arguments;
}

/// A file that lives as long as the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("fathom_check_test_" + name)) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile(TemporaryFile&&) = delete;
  TemporaryFile& operator=(TemporaryFile&&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST_CASE("each kind of file is recognised by its keys") {
  const auto [file, what] = GENERATE(table<std::string, std::string>({
      {"configs/models/glm-5-nvfp4.yaml", "ok (model glm-5-nvfp4, 743.9 B parameters)"},
      {"configs/accelerators/h200-sxm.yaml", "ok (accelerator h200-sxm, 139.8 GiB usable"},
      {"configs/systems/h200-sxm.yaml", "ok (system h200-sxm, 8 x h200-sxm, nvlink)"},
      {"configs/engines/vllm.yaml", "ok (engine vllm, "},
      {"configs/kernels/hopper.yaml", "ok (kernels hopper, "},
      {"configs/models/names.csv", "ok (names with "},
  }));
  const Answer answer = run_check(check({file}));
  CHECK(answer.status == ExitStatus::Yes);
  CHECK(answer.error.empty());
  CHECK_THAT(answer.out, ContainsSubstring(file + ": " + what));
}

TEST_CASE("every spec of the library is valid") {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("configs")) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path().string());
    }
  }
  REQUIRE(files.size() > 20);
  const Answer answer = run_check(check(files));
  CAPTURE(answer.error);
  CHECK(answer.error.empty());
  CHECK(answer.status == ExitStatus::Yes);
}

TEST_CASE("one wrong file of two is named and the other is still ok") {
  const TemporaryFile wrong("typo.yaml", "modle: x\nhidden: 3\n");
  const Answer answer = run_check(check({wrong.path(), "configs/engines/vllm.yaml"}));
  CHECK(answer.status == ExitStatus::Spec);
  CHECK_THAT(answer.out, ContainsSubstring("configs/engines/vllm.yaml: ok"));
  CHECK(answer.error == wrong.path() +
                            ":1:1: error: what kind of spec is it? No first-level key says\n"
                            "    1 | modle: x\n"
                            "      | ^\n"
                            "       help: did you mean 'model'?\n");
}

TEST_CASE("a system is checked with its accelerator") {
  const TemporaryFile wrong("system.yaml", "system: a\naccelerator: h20-sxm\ngpus_per_node: 1\n");
  const Answer answer = run_check(check({wrong.path()}));
  CHECK(answer.status == ExitStatus::Spec);
  CHECK_THAT(answer.error, ContainsSubstring(":2:14: error: unknown accelerator 'h20-sxm'"));
  CHECK_THAT(answer.error, ContainsSubstring("the nearest are h200-sxm, "));
}

TEST_CASE("what is no file of text is refused with a diagnostic") {
  const TemporaryFile empty("empty.yaml", "");
  const TemporaryFile binary("binary.yaml", "\xff\xfe");
  const TemporaryFile list("list.yaml", "- a\n");
  const TemporaryFile broken("broken.yaml", "a: [1");
  for (const std::string& file : {std::string("/no/such/file.yaml"), std::string("configs"),
                                  empty.path(), binary.path(), list.path(), broken.path()}) {
    const Answer answer = run_check(check({file}));
    CHECK(answer.status == ExitStatus::Spec);
    CHECK(answer.out.empty());
    CHECK_THAT(answer.error, ContainsSubstring(file));
    CHECK_THAT(answer.error, ContainsSubstring("error: "));
  }
}

TEST_CASE("a case file is checked by its header") {
  const TemporaryFile good("good.csv", "model,system,layout\na,b,tp8\n");
  CHECK(run_check(check({good.path()})).out == good.path() + ": ok (cases with 1 row)\n");
  const TemporaryFile wrong("wrong.csv", "model,system,layuot\na,b,tp8\n");
  const Answer answer = run_check(check({wrong.path()}));
  CHECK(answer.status == ExitStatus::Spec);
  CHECK_THAT(answer.error, ContainsSubstring(":1:14: error: unknown column 'layuot'"));
  CHECK_THAT(answer.error, ContainsSubstring("did you mean 'layout'?"));
}

TEST_CASE("an accelerator without kernels is valid with a warning") {
  const TemporaryFile file("card.yaml",
                           "accelerator: card\narchitecture: hopepr\n"
                           "memory: {capacity: 80 GiB, bandwidth: 2 TB/s}\n"
                           "compute: {dense_peak: {bf16: 500 TFLOP/s}, tensor_clock: 1 GHz, "
                           "max_clock: 1 GHz}\npower: {tdp: 500 W}\n");
  const Answer answer = run_check(check({file.path()}));
  CHECK(answer.status == ExitStatus::Yes);
  CHECK_THAT(answer.error, ContainsSubstring("warning: no kernel file for architecture 'hopepr'"));
}

TEST_CASE("a change from the command line is checked too") {
  Arguments arguments = check({"configs/systems/h200-sxm.yaml"});
  arguments.overrides = {{"system", {"link.bandwith", "1 GB/s", "system.link.bandwith=1 GB/s"}}};
  const Answer answer = run_check(arguments);
  CHECK(answer.status == ExitStatus::Spec);
  CHECK_THAT(answer.error, ContainsSubstring("bandwith"));
}

TEST_CASE("the document has a row a file and a row a diagnostic") {
  const Answer answer = run_check(check({"/no/such/file.yaml"}, OutputFormat::Json));
  CHECK(answer.status == ExitStatus::Spec);
  CHECK_THAT(answer.out, ContainsSubstring("\"schema\": \"fathom.check/1\""));
  CHECK_THAT(answer.out, ContainsSubstring("\"valid\": false"));
  CHECK_THAT(answer.out, ContainsSubstring("\"message\": \"no such file\""));
  CHECK(run_check(check({"/no/such/file.yaml"}, OutputFormat::Csv)).out ==
        "file,valid,kind,summary\n/no/such/file.yaml,false,,\n");
}

TEST_CASE("check without a file is wrong usage") {
  CHECK(run_check(check({})).status == ExitStatus::Usage);
}

}  // namespace
}  // namespace fathom::cli
