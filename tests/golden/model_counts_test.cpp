// Exact counts of the models in configs/models, from model configs and indexes that others
// published. Equality, where nothing else is said.

#include "hardware/base/csv_reader.h"
#include "model/layout/shard.h"
#include "model/llm/parameter_count.h"
#include "tests/support/specs.h"

#include <algorithm>
#include <filesystem>

namespace fathom::model {
namespace {

Census census_of(const char* id) { return take_census(test::model_config(id)); }

Count parameters(const Census& census, Group group) {
  return census.groups.at(static_cast<std::size_t>(group)).parameters;
}

TEST_CASE("GLM-5: parameters by class") {
  for (const char* id : {"glm-5", "glm-5-fp8", "glm-5-nvfp4"}) {
    INFO(id);
    const Census c = census_of(id);
    CHECK(parameters(c, Group::RoutedExperts) == 724'775'731'200);
    CHECK(parameters(c, Group::Attention) == 12'871'532'544);
    CHECK(parameters(c, Group::SharedExperts) == 2'831'155'200);
    CHECK(parameters(c, Group::Embedding) == 951'582'720);
    CHECK(parameters(c, Group::LmHead) == 951'582'720);
    CHECK(parameters(c, Group::Indexer) == 730'988'544);
    CHECK(parameters(c, Group::DenseFfn) == 679'477'248);
    CHECK(parameters(c, Group::Router) == 117'964'800 + 19'200);  // and its correction biases
    CHECK(parameters(c, Group::Norm) == 1'184'256);
    CHECK(c.total == 743'911'218'432);
    CHECK(c.mtp == 9'952'920'576);
    CHECK(parameters(c, Group::Mtp) == c.mtp);
  }
}

TEST_CASE("DeepSeek-V3 and R1: parameters by class") {
  const Census c = census_of("deepseek-r1");
  CHECK(parameters(c, Group::RoutedExperts) == 653'908'770'816);
  CHECK(parameters(c, Group::Attention) == 11'413'422'080);
  CHECK(parameters(c, Group::SharedExperts) == 2'554'331'136);
  CHECK(parameters(c, Group::DenseFfn) == 1'189'085'184);
  CHECK(parameters(c, Group::Embedding) == 926'679'040);
  CHECK(parameters(c, Group::LmHead) == 926'679'040);
  CHECK(parameters(c, Group::Router) == 106'430'464 + 14'848);
  CHECK(parameters(c, Group::Norm) == 1'006'592);
  CHECK(parameters(c, Group::Indexer) == 0);
  CHECK(c.total == 671'026'419'200);
  CHECK(c.mtp == 13'463'426'304);
  CHECK(c.total + c.mtp == 684'489'845'504);  // the count that Hugging Face shows
}

/// Rows of model_counts.csv: counts that others derived tensor by tensor from the same configs and
/// checked against published parameter counts and index totals (none is from this program).
hardware::CsvTable counts() {
  hardware::Diagnostics diagnostics;
  auto table = hardware::read_csv_file("tests/golden/model_counts.csv", diagnostics);
  INFO(render(diagnostics));
  REQUIRE(table);
  return *std::move(table);
}

/// A cell, or nothing where the source has no figure.
std::optional<double> cell(const hardware::CsvTable& table, std::size_t row, const char* column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns.at(i) == column) {
      const std::string& text = table.rows.at(row).cells.at(i);
      return text.empty() ? std::nullopt : std::optional<double>(std::stod(text));
    }
  }
  FAIL(column);
  return std::nullopt;
}

void check_row(const hardware::CsvTable& table, std::size_t row) {
  const ModelSpec model = test::model_config(table.rows.at(row).cells.at(0));
  const Census c = take_census(model);
  const auto exact = [&](const char* column, double derived) {
    INFO(column);
    const auto wanted = cell(table, row, column);
    CHECK(derived == wanted.value_or(derived));
  };
  exact("total", static_cast<double>(c.total));
  exact("mtp", static_cast<double>(c.mtp));
  exact("active_all", static_cast<double>(c.active_all));
  exact("active_no_input_embedding", static_cast<double>(c.active_no_input_embedding));
  exact("active_no_embeddings", static_cast<double>(c.active_no_embeddings));
  const KvRow kv = kv_bytes_per_token(model, Format::Bf16);
  exact("kv_bf16_bytes", kv.cache.base());
  exact("index_bytes", kv.index.base());
  exact("state_bytes", state_bytes_per_sequence(model).base());
  const Bytes mtp = model.mtp_in_checkpoint ? c.mtp_bytes : Bytes();
  exact("checkpoint_bytes", (c.weight_bytes + mtp).base());
}

TEST_CASE("counts, caches, states and checkpoint bytes of each model are exact") {
  const hardware::CsvTable table = counts();
  CHECK(table.rows.size() >= 111);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    INFO(table.rows.at(row).cells.at(0));
    check_row(table, row);
  }
}

TEST_CASE("every model of the library has its exact counts in the table") {
  const hardware::CsvTable table = counts();
  for (const std::string& path : test::config_files("models")) {
    const std::string id = std::filesystem::path(path).stem().string();
    INFO(id);
    CHECK(std::any_of(table.rows.begin(), table.rows.end(),
                      [&id](const auto& row) { return row.cells.at(0) == id; }));
  }
}

TEST_CASE("16-bit checkpoints are two bytes a parameter, router biases four") {
  CHECK(census_of("qwen3-235b-a22b").weight_bytes == Bytes(470'187'269'120.0));  // its index
  CHECK(census_of("llama-3.1-8b").weight_bytes == Bytes(2.0 * 8'030'261'248.0));
  CHECK(census_of("glm-5").weight_bytes == Bytes(2.0 * 743'911'218'432.0 + 2.0 * 19'200));
}

TEST_CASE("GLM-5-FP8 with its MTP layer is the 756,162,687,872 bytes of its index") {
  const Census c = census_of("glm-5-fp8");
  CHECK(c.weight_bytes + c.mtp_bytes == Bytes(756'162'687'872.0));
}

TEST_CASE("DeepSeek-R1 with its MTP layer is 688,574,839,360 bytes of tensors") {
  const Census c = census_of("deepseek-r1");
  CHECK(c.weight_bytes + c.mtp_bytes == Bytes(688'574'839'360.0));
}

TEST_CASE("Kimi-K2.6 in INT4 is 594.2 GB, GLM-5-NVFP4 440.9 GB and 460.8 with BF16 MTP") {
  CHECK_THAT(census_of("kimi-k2.5").weight_bytes.base(), WithinAbs(594.206e9, 0.0005e9));
  const Census glm = census_of("glm-5-nvfp4");
  CHECK_THAT(glm.weight_bytes.base(), WithinAbs(440.9e9, 0.05e9));
  CHECK_THAT((glm.weight_bytes + glm.mtp_bytes).base(), WithinAbs(460.8e9, 0.05e9));
}

/// FP8 scales of a checkpoint from its bytes: one for each parameter stored in one byte, two for
/// the rest, four for each scale.
double scales(const Census& c, Count eight_bit) {
  const double payload = 2.0 * static_cast<double>(c.total) - static_cast<double>(eight_bit);
  return (c.weight_bytes.base() - payload) / 4;
}

TEST_CASE("FP8 checkpoints hold the scales that the counts of Hugging Face show") {
  const Census small = census_of("qwen3-30b-a3b-fp8");
  CHECK(scales(small, parameters(small, Group::Attention) +
                          parameters(small, Group::RoutedExperts)) == 1'824'768);
  const Census large = census_of("qwen3-235b-a22b-fp8");
  CHECK(scales(large, parameters(large, Group::Attention) +
                          parameters(large, Group::RoutedExperts)) == 14'269'952);
  CHECK_THAT(small.weight_bytes.base(), WithinAbs(31.17e9, 0.005e9));
  CHECK_THAT(large.weight_bytes.base(), WithinAbs(236.45e9, 0.005e9));
  CHECK_THAT(census_of("qwen3-32b-fp8").weight_bytes.base(), WithinAbs(34.33e9, 0.005e9));
}

TEST_CASE("cache of GLM-5 a token as engines print it") {
  const ModelSpec model = test::model_config("glm-5-nvfp4");
  Layout tp8;
  tp8.attention_tp = tp8.expert_tp = 8;
  // SGLang, BF16: 29.32 GiB for 314,304 tokens; vLLM, FP8 with MTP: 25.09 GiB for 432,832.
  const Shard bf16 = make_shard(model, tp8, Format::Bf16);
  CHECK_THAT(bf16.kv_bytes_per_token(bf16.stages.front(), false).base(),
             WithinRel(29.32 * 1073741824 / 314304, 2e-4));
  const Shard fp8 = make_shard(model, tp8, Format::Fp8);
  CHECK(fp8.kv_bytes_per_token(fp8.stages.front(), true) == Bytes(62'252));
  CHECK_THAT(62'252.0, WithinRel(25.09 * 1073741824 / 432832, 2e-4));
}

}  // namespace
}  // namespace fathom::model
