#include "cli/commands/command.h"
#include "cli/report/show_report.h"
#include "cli/report/table.h"
#include "hardware/base/spec_reader.h"
#include "model/engine/read_engine.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <sstream>

namespace fathom::cli {
namespace {

Arguments show(std::vector<std::string> words, OutputFormat format = OutputFormat::Text) {
  Arguments arguments;
  arguments.command = "show";
  arguments.positional = std::move(words);
  arguments.format = format;
  return arguments;
}

std::string text_of(std::vector<std::string> words) {
  const Answer answer = run_show(show(std::move(words)));
  CHECK(answer.status == ExitStatus::Yes);
  CHECK(answer.error.empty());
  return answer.out;
}

std::string json_of(std::vector<std::string> words) {
  return run_show(show(std::move(words), OutputFormat::Json)).out;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream in(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(in, line);) {
    widest = std::max(widest, text_width(line));
  }
  return widest;
}

TEST_CASE("a model is shown with the published and derived counts of GLM-5") {
  const std::string json = json_of({"glm-5-nvfp4"});
  for (const char* line :
       {R"("schema": "fathom.show/1")", R"("parameters_total": 743911218432,)",
        R"("parameters_active": 40833146112,)", R"("parameters_mtp": 9952920576,)",
        R"("kv_format": "fp8")", R"("kv_bytes_per_token": 61464,)",
        R"("kv_index_bytes_per_token": 10296,)", R"("kv_bytes_per_token_bf16": 100152,)",
        R"("kv_elements_per_token": 44928,)", R"("state_bytes_per_sequence": 0,)"}) {
    CHECK_THAT(json, ContainsSubstring(line));
  }
}

TEST_CASE("a model's text has the cache in each format and what stays unquantised") {
  const std::string text = text_of({"glm-5-nvfp4"});
  CHECK_THAT(text, ContainsSubstring("743.9 B parameters, 40.8 B active"));
  CHECK_THAT(text, ContainsSubstring("fp8, latent alone  44,928 B"));
  CHECK_THAT(text, ContainsSubstring("unquantised   embedding, attention, indexer, router, norm"));
  CHECK_THAT(text, ContainsSubstring("configs/models/glm-5-nvfp4.yaml:"));
}

TEST_CASE("a sequence's cache is its length times the bytes of a token") {
  // 32 layers x 2 x 8 heads x 128 x 2 bytes = 131,072; times 1,024 tokens.
  CHECK_THAT(json_of({"llama-3.1-8b"}), ContainsSubstring("\"bf16_bytes\": 134217728,"));
}

TEST_CASE("a Hugging Face id and any case find the model") {
  CHECK_THAT(json_of({"zai-org/GLM-5-FP8"}), ContainsSubstring("\"name\": \"glm-5-fp8\""));
  CHECK_THAT(json_of({"Llama-3.1-8B"}), ContainsSubstring("\"name\": \"llama-3.1-8b\""));
}

TEST_CASE("a name of an accelerator and a system is the accelerator; the kind picks the other") {
  CHECK_THAT(json_of({"h200-sxm"}), ContainsSubstring("\"kind\": \"accelerator\""));
  CHECK_THAT(json_of({"system", "h200-sxm"}), ContainsSubstring("\"kind\": \"system\""));
  CHECK_THAT(json_of({"4x-h200-sxm"}), ContainsSubstring("\"gpus\": 4,"));
  CHECK_THAT(json_of({"vllm"}), ContainsSubstring("\"kind\": \"engine\""));
}

TEST_CASE("a file is shown as what it is") {
  CHECK_THAT(json_of({"configs/models/glm-5.yaml"}), ContainsSubstring("\"kind\": \"model\""));
  CHECK_THAT(json_of({"configs/systems/h100-sxm.yaml"}), ContainsSubstring("\"kind\": \"system\""));
  CHECK_THAT(json_of({"configs/kernels/hopper.yaml"}), ContainsSubstring("\"kind\": \"kernels\""));
  CHECK(run_show(show({"README.md"})).status == ExitStatus::Spec);
}

TEST_CASE("kernels are shown with their keys as written and every source") {
  const std::string text = text_of({"hopper"});
  CHECK(text == text_of({"kernels", "hopper"}));
  CHECK_THAT(text, ContainsSubstring("gemm.fixed "));
  CHECK_THAT(text, ContainsSubstring("configs/kernels/hopper.yaml:"));
  CHECK_THAT(run_show(show({"hopper"}, OutputFormat::Csv)).out,
             ContainsSubstring("key,value\nsmooth_exponent,"));
}

TEST_CASE("an accelerator has capacity, peaks with their clock, and sources with their place") {
  const std::string text = text_of({"rtx-pro-6000-se"});
  CHECK_THAT(text, ContainsSubstring("97,887 MiB nominal (95.6 GiB), 97,280 MiB usable"));
  CHECK_THAT(text, ContainsSubstring("dense peaks at 2430 MHz"));
  CHECK_THAT(text, ContainsSubstring("1871.2 TFLOP/s"));
  CHECK_THAT(text, ContainsSubstring("memory.l2: configs/accelerators/rtx-pro-6000-se.yaml:"));
}

TEST_CASE("without peer-to-peer the all-reduce is the library's ring alone") {
  const std::string text = text_of({"8x-rtx-pro-6000-se-no-p2p"});
  CHECK_THAT(text, ContainsSubstring("no peer-to-peer"));
  CHECK_THAT(text, !ContainsSubstring("by the library alone"));
  CHECK_THAT(text_of({"system", "rtx-pro-6000-se"}), ContainsSubstring("by the library alone"));
}

TEST_CASE("a system given as intervals shows both ends") {
  const std::string text = text_of({"8x-rtx-pro-6000-se-vm"});
  CHECK_THAT(text, ContainsSubstring("(3.40 us to 6.80 us)"));
  CHECK_THAT(text, ContainsSubstring("the same at the two ends of the intervals"));
}

TEST_CASE("twice the link halves what goes with the size of a message") {
  Arguments arguments = show({"system", "2x-rtx-pro-6000-se-no-p2p"}, OutputFormat::Json);
  arguments.evidence = Evidence::Bound;
  // Bound: 2 (n-1)/n x 1,024 B / 63 GB/s, no latency.
  CHECK_THAT(run_show(arguments).out, ContainsSubstring("\"time_s\": 1.62539683e-08,"));
  arguments.overrides = {{"system", {"link.bandwidth", "x2", "system.link.bandwidth=x2"}}};
  const std::string twice = run_show(arguments).out;
  CHECK_THAT(twice, ContainsSubstring("\"time_s\": 8.12698413e-09,"));
  CHECK_THAT(twice, ContainsSubstring("--set system.link.bandwidth=x2"));
}

TEST_CASE("every key of an engine is in its text and in its document") {
  hardware::Diagnostics diagnostics;
  const auto tree = hardware::read_spec_file("configs/engines/vllm.yaml", diagnostics);
  REQUIRE(tree);
  const auto engine = model::read_engine(*tree, diagnostics);
  REQUIRE(engine);
  const std::vector<SpecKey> keys = spec_keys(*tree);
  // kind and name stand for the key `engine`.
  CHECK(engine_document(*engine, {}).columns.size() == keys.size() - 1 + 2);
  const std::string text = engine_text(*engine, *tree, {});
  for (const SpecKey& key : keys) {
    CHECK_THAT(text, ContainsSubstring(key.path));
  }
}

TEST_CASE("a source names its place and the keys that it speaks for") {
  hardware::Diagnostics diagnostics;
  const auto tree = hardware::read_spec_text(
      "a: 1\nbox:\n  b: {value: 2, source: seen}\n  c: 3\n  source: read\nsource: all\n", "x.yaml",
      diagnostics);
  REQUIRE(tree);
  CHECK(spec_sources(*tree) == std::vector<std::string>{"box.b: x.yaml:3 (seen)",
                                                        "box (c): x.yaml:2 (read)",
                                                        "all else: x.yaml:6 (all)"});
}

TEST_CASE("what is shown fits 100 columns") {
  for (const char* name : {"glm-5-nvfp4", "rtx-pro-6000-se", "8x-rtx-pro-6000-se-vm", "8x-h200-sxm",
                           "vllm", "qwen3-30b-a3b-fp8"}) {
    CHECK(widest_line(text_of({name})) <= 100);
  }
}

TEST_CASE("an unknown name gets the nearest three") {
  const Answer answer = run_show(show({"h20-sxm"}));
  CHECK(answer.status == ExitStatus::Spec);
  CHECK_THAT(answer.error, ContainsSubstring("unknown name 'h20-sxm'"));
  CHECK_THAT(answer.error, ContainsSubstring("h200-sxm"));
}

TEST_CASE("more GPUs than the node has is an error with its place, not an unknown name") {
  const Answer answer = run_show(show({"9x-h200-sxm"}));
  CHECK(answer.status == ExitStatus::Spec);
  CHECK_THAT(answer.error, ContainsSubstring("configs/systems/h200-sxm.yaml:"));
}

TEST_CASE("show without a name, with three words or of no kind is wrong usage") {
  CHECK(run_show(show({})).status == ExitStatus::Usage);
  CHECK(run_show(show({"a", "b", "c"})).status == ExitStatus::Usage);
  CHECK(run_show(show({"sytem", "h200-sxm"})).error ==
        "fathom: 'sytem' is none of model, accelerator, system, engine, kernels; did you mean "
        "'system'?\n");
}

}  // namespace
}  // namespace fathom::cli
