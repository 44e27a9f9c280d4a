#include "cli/commands/command.h"
#include "tests/support/catch.h"

namespace fathom::cli {
namespace {

Arguments list(std::vector<std::string> words, OutputFormat format = OutputFormat::Text) {
  Arguments arguments;
  arguments.command = "list";
  arguments.positional = std::move(words);
  arguments.format = format;
  return arguments;
}

TEST_CASE("every kind of spec can be listed") {
  const auto [kind, member] = GENERATE(table<std::string, std::string>({
      {"models", "glm-5-nvfp4"},
      {"accelerators", "h200-sxm"},
      {"systems", "rtx-pro-6000-se-vm"},
      {"engines", "vllm"},
      {"kernels", "hopper"},
  }));
  for (const OutputFormat format : {OutputFormat::Text, OutputFormat::Json, OutputFormat::Csv}) {
    const Answer answer = run_list(list({kind}, format));
    CHECK(answer.status == ExitStatus::Yes);
    CHECK(answer.error.empty());
    CHECK_THAT(answer.out, ContainsSubstring(member));
  }
}

TEST_CASE("a list is a document of its schema") {
  CHECK_THAT(run_list(list({"systems"}, OutputFormat::Json)).out,
             ContainsSubstring("\"schema\": \"fathom.list/1\""));
}

TEST_CASE("the table of models has the derived counts") {
  const std::string out = run_list(list({"models"}, OutputFormat::Csv)).out;
  CHECK_THAT(out, ContainsSubstring("\nglm-5-nvfp4,nvidia/GLM-5-NVFP4,743911218432,40833146112,"));
}

TEST_CASE("an unknown kind is wrong usage and names the nearest") {
  const Answer answer = run_list(list({"modles"}));
  CHECK(answer.status == ExitStatus::Usage);
  CHECK(answer.out.empty());
  CHECK(answer.error == "fathom: cannot list 'modles'; did you mean 'models'?\n");
}

TEST_CASE("a list without a kind, or with a name too many, is wrong usage") {
  CHECK(run_list(list({})).status == ExitStatus::Usage);
  CHECK(run_list(list({"models", "x"})).status == ExitStatus::Usage);
  CHECK(run_list(list({"layouts", "glm-5-nvfp4"})).status == ExitStatus::Usage);
}

TEST_CASE("layouts are listed with the reason why some are refused") {
  const Answer answer = run_list(list({"layouts", "qwen3-30b-a3b-fp8", "4x-h200-sxm"}));
  CHECK(answer.status == ExitStatus::Yes);
  CHECK_THAT(answer.out, ContainsSubstring("legal\n  attention=tp4,experts=tp2ep2,pp=1\n"));
  CHECK_THAT(answer.out, ContainsSubstring("refused\n  attention=tp4,experts=tp4,pp=1 "));
  CHECK_THAT(answer.out, ContainsSubstring("routed_experts width 768 over 4 ranks is 192"));
}

TEST_CASE("layouts of fewer GPUs use those only") {
  Arguments arguments = list({"layouts", "llama-3.1-8b", "8x-h200-sxm"}, OutputFormat::Csv);
  arguments.inputs["gpus"] = "2";
  CHECK(run_list(arguments).out ==
        "layout,gpus,legal,reason\n"
        "\"attention=tp2,pp=1\",2,true,\n"
        "\"attention=tp1,pp=2\",2,true,\n"
        "\"attention=tp1,pp=1,replicas=2\",2,true,\n");
}

TEST_CASE("layouts of an unknown model are refused with the nearest names") {
  const Answer answer = run_list(list({"layouts", "glm-6", "8x-h200-sxm"}));
  CHECK(answer.status == ExitStatus::Spec);
  CHECK_THAT(answer.error, ContainsSubstring("unknown model 'glm-6'"));
}

TEST_CASE("a change of all accelerators is seen in their list") {
  Arguments arguments = list({"accelerators"}, OutputFormat::Csv);
  arguments.overrides = {{"accelerator", {"power.tdp", "123 W", "accelerator.power.tdp=123 W"}}};
  CHECK_THAT(run_list(arguments).out, ContainsSubstring(",123\n"));
}

}  // namespace
}  // namespace fathom::cli
