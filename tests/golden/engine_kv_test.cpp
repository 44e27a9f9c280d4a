// Cache bytes of a token on one rank against lines that engines printed: GiB of cache and tokens in
// it. Rows of public logs, none used for fitting; hybrid models are left out, whose printed tokens
// are no per-token cost (docs/limits.md).

#include "hardware/base/csv_reader.h"
#include "model/layout/shard.h"
#include "model/llm/parameter_count.h"
#include "tests/support/specs.h"

namespace fathom::model {
namespace {

constexpr double kGib = 1073741824.0;

TEST_CASE("cache bytes a token are those that engines printed, within 0.1 %") {
  hardware::Diagnostics diagnostics;
  const auto table = hardware::read_csv_file("tests/golden/engine_kv.csv", diagnostics);
  REQUIRE(table);
  CHECK(table->rows.size() >= 24);
  for (const auto& row : table->rows) {
    const auto& c = row.cells;
    INFO(c.at(0) << " " << c.at(1));
    const ModelSpec model = test::model_config(c.at(1));
    Layout layout;
    layout.attention_tp = layout.expert_tp = std::stoll(c.at(2));
    layout.dcp = std::stoll(c.at(3));
    const Format format = hardware::format_from_name(c.at(4)).value();
    const Shard shard = make_shard(model, layout, format);
    const double derived = shard.kv_bytes_per_token(shard.stages.front(), c.at(5) == "yes").base() /
                           static_cast<double>(layout.dcp);
    const double printed = std::stod(c.at(6)) * kGib / std::stod(c.at(7));
    CHECK_THAT(derived, WithinRel(printed, 1e-3));
  }
}

TEST_CASE("gpt-oss: two sequences of 131,072 cells in 18 full layers are 9,216 MiB") {
  // llama.cpp's line; its window layers keep 1,280 cells apart.
  const ModelSpec model = test::model_config("gpt-oss-120b");
  const double full = kv_bytes_beyond_windows(model, Format::Fp16).base();
  CHECK(full * 2 * 131072 == 9216.0 * 1024 * 1024);
}

}  // namespace
}  // namespace fathom::model
