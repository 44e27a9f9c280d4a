#include "cli/commands/spec_library.h"
#include "cli/report/show_model_report.h"
#include "hardware/base/csv_reader.h"
#include "hardware/base/file_text.h"
#include "hardware/base/json_reader.h"
#include "model/llm/import_model.h"
#include "model/llm/write_model.h"
#include "tests/support/specs.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace fathom::model {
namespace {

std::string text_of(const std::string& path) {
  hardware::Diagnostics diagnostics;
  const auto text = hardware::read_file_text(path, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(text);
  return *text;
}

ImportedModel import_file(const std::string& path) {
  hardware::Diagnostics diagnostics;
  auto imported = import_model(path, diagnostics);
  INFO(path << "\n" << render(diagnostics));
  REQUIRE(imported);
  CHECK(diagnostics.all().empty());
  return *std::move(imported);
}

std::string shown(const ModelSpec& model) {
  return cli::json_report(cli::model_document(model, {}));
}

/// The files of the library by Hugging Face id in lower case.
std::map<std::string, std::string> library_files() {
  hardware::Diagnostics diagnostics;
  const auto table = hardware::read_csv_file("configs/models/names.csv", diagnostics);
  REQUIRE(table);
  std::map<std::string, std::string> out;
  for (const auto& row : table->rows) {
    out[row.cells.at(0)] = row.cells.at(1);
  }
  return out;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

/// The configs of this repository, or all of the folder that FATHOM_FACTS names.
std::vector<std::string> configs() {
  const char* facts = std::getenv("FATHOM_FACTS");
  const std::string folder = facts != nullptr ? std::string(facts) + "/models" : "tests/data/hf";
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_CASE("a config.json, imported, is the file of the library, and shows the same figures") {
  const auto files = library_files();
  CHECK(configs().size() >= 13);
  for (const std::string& config : configs()) {
    ImportedModel imported = import_file(config);
    INFO(config);
    REQUIRE(files.count(lower(imported.spec.hugging_face)) == 1);
    const std::string file = files.at(lower(imported.spec.hugging_face));
    imported.spec.id = std::filesystem::path(file).stem().string();
    CHECK(write_model(imported) == text_of("configs/models/" + file));
    CHECK(shown(imported.spec) == shown(test::model_config(imported.spec.id)));
  }
}

TEST_CASE("a model that is written and read again is the same") {
  for (const std::string& path : test::config_files("models")) {
    const ModelSpec model = test::model_config(std::filesystem::path(path).stem().string());
    ImportedModel written;
    written.spec = model;
    written.source = "test";
    const std::string text = write_model(written);
    hardware::Diagnostics diagnostics;
    const auto node = hardware::read_spec_text(text, "again.yaml", diagnostics);
    REQUIRE(node);
    const auto again = read_model(*node, diagnostics);
    INFO(path << "\n" << render(diagnostics));
    REQUIRE(again);
    CHECK(again->order == model.order);
    CHECK(shown(*again) == shown(model));
    written.spec = *again;
    CHECK(write_model(written) == text);
  }
}

TEST_CASE("a folder with a config.json and a path of one are a model") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "fathom-config-folder";
  fs::create_directories(folder);
  fs::copy_file("tests/data/hf/stepfun-ai--step3.json", folder / "config.json",
                fs::copy_options::overwrite_existing);
  cli::SpecLibrary library({}, {});
  hardware::Diagnostics diagnostics;
  const ModelSpec* by_folder = library.model(folder.string(), diagnostics);
  const ModelSpec* by_path = library.model((folder / "config.json").string(), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(by_folder != nullptr);
  REQUIRE(by_path != nullptr);
  CHECK(by_folder->id == "step3");
  CHECK(by_path->hidden == 7168);
  fs::remove_all(folder);
}

/// The messages on a config of tests/data/hf in which one text stands in place of another.
std::string refusal_of(const std::string& file, const std::string& from, const std::string& to) {
  std::string text = text_of("tests/data/hf/" + file);
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  hardware::Diagnostics diagnostics;
  const auto root = hardware::read_json_text(text, "config.json", diagnostics);
  REQUIRE(root);
  CHECK_FALSE(import_hf_config(*root, {}, diagnostics));
  return render(diagnostics);
}

TEST_CASE("a word that an architecture does not know is refused, not read as full attention") {
  CHECK_THAT(refusal_of("openai--gpt-oss-120b.json", "\"sliding_attention\"", "\"sliding\""),
             ContainsSubstring("'sliding' in 'layer_types' is not known here"));
}

TEST_CASE("a quantisation that names no weights is refused, not read as 16-bit") {
  CHECK_THAT(refusal_of("meta-llama--Meta-Llama-3.1-8B.json", "\"vocab_size\"",
                        "\"quantization_config\": {\"quant_method\": \"compressed-tensors\", "
                        "\"config_groups\": [1]}, \"vocab_size\""),
             ContainsSubstring("the quantisation ('compressed-tensors') names no weights"));
}

TEST_CASE("a list that is not as long as the layers are many is refused") {
  CHECK_THAT(refusal_of("openai--gpt-oss-120b.json", "\"layer_types\": [",
                        "\"layer_types\": [\"full_attention\", "),
             ContainsSubstring("'layer_types' has 37 entries for 36 layers"));
}

TEST_CASE("files of another model do not overrule a config") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "fathom-other-files";
  fs::create_directories(folder);
  fs::copy_file("tests/data/hf/meta-llama--Meta-Llama-3.1-8B.json", folder / "config.json",
                fs::copy_options::overwrite_existing);
  std::ofstream(folder / "model.safetensors.index.json")
      << R"({"metadata": {"total_size": 12345}, "weight_map": {"model.layers.0.mlp.up_proj.weight": "a.safetensors"}})";
  const ImportedModel imported = import_file((folder / "config.json").string());
  CHECK_FALSE(imported.spec.tied_embeddings);
  CHECK(imported.spec.checkpoint_bytes == Bytes());
  CHECK_THAT(imported.notes.back(), ContainsSubstring("left out of account"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace fathom::model
