#include "cli/commands/command.h"
#include "tests/support/catch.h"
#include "tests/support/folder.h"
#include "tests/support/gguf_models.h"

namespace fathom::cli {
namespace {

using test::Folder;

Arguments command(const std::string& name, const std::string& path, OutputFormat format) {
  Arguments arguments;
  arguments.command = name;
  arguments.positional = {path};
  arguments.format = format;
  return arguments;
}

TEST_CASE("a GGUF file is shown with the bytes of its tensors") {
  const Folder folder;
  const auto m = test::mixed_llama_gguf();
  const std::string path = folder.write("tiny.gguf", m.file());
  const Answer answer = run_show(command("show", path, OutputFormat::Json));
  INFO(answer.error);
  CHECK(answer.status == ExitStatus::Yes);
  CHECK_THAT(answer.out, ContainsSubstring("\"weight_bytes\": " +
                                           std::to_string(static_cast<long>(m.data_bytes()))));
  CHECK_THAT(answer.out, ContainsSubstring(R"("kv_format": "fp16")"));
}

TEST_CASE("a GGUF file is imported to a model's YAML") {
  const Folder folder;
  const std::string path = folder.write("tiny.gguf", test::mixed_llama_gguf().file());
  const Answer answer = run_import(command("import", path, OutputFormat::Text));
  CHECK(answer.status == ExitStatus::Yes);
  CHECK(answer.error.empty());
  CHECK_THAT(answer.out, ContainsSubstring("tiny-llama-2m-q4_k_m"));
}

TEST_CASE("a GGUF file that lacks a key is a no that names it") {
  const Folder folder;
  test::GgufModel m("llama");
  m.key("block_count", 1).key("embedding_length", 256).outer().attention(0).ffn(0);
  const std::string path = folder.write("tiny.gguf", m.file());
  const Answer answer = run_import(command("import", path, OutputFormat::Json));
  CHECK(answer.status == ExitStatus::No);
  CHECK_THAT(answer.out, ContainsSubstring("llama.attention.head_count"));
}

TEST_CASE("a GGUF file with a tensor that no role holds is shown all the same") {
  const Folder folder;
  auto m = test::mixed_llama_gguf();
  m.tensor("rope_freqs.weight", {32});
  const std::string path = folder.write("tiny.gguf", m.file());
  const Answer answer = run_show(command("show", path, OutputFormat::Text));
  INFO(answer.error);
  CHECK(answer.status == ExitStatus::Yes);
  CHECK_THAT(answer.out + answer.error, ContainsSubstring("rope_freqs.weight"));
}

}  // namespace
}  // namespace fathom::cli
