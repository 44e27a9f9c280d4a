#include "model/engine/read_engine.h"

#include "tests/support/specs.h"

namespace fathom::model {
namespace {

constexpr const char* kEngine =
    "engine: test\n"
    "custom_collectives: nvlink\n"
    "split_kv_kernels: 1.5\n"
    "all_gather_logits: false\n"
    "prefill_graphs: true\n"
    "kernels: {attention: 1, latent: 2, indexer: 3, dense_ffn: 4, moe: 5, quantise: 6, step: 7}\n"
    "passes: {attention: 1.5, dense_ffn: 2.5, ffn_width: 3.5, moe: 4.5, moe_width: 5.5}\n"
    "host: {per_kernel: 5 us, per_step: 1 ms, per_sequence: 2 us, overlap: 0.5}\n"
    "memory: {fraction: 0.8, context: 1 GiB, graphs: 2 GiB, max_batched_tokens: 2048, "
    "kv_block_tokens: 16, kv_format: model}\n";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kEngine;
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string errors_of(const std::string& text) {
  hardware::Diagnostics diagnostics;
  CHECK_FALSE(read_engine(test::tree_of(text), diagnostics));
  return render(diagnostics);
}

TEST_CASE("each figure of an engine lands in its field") {
  hardware::Diagnostics diagnostics;
  const auto e = read_engine(test::tree_of(kEngine), diagnostics);
  REQUIRE(e);
  CHECK(e->id == "test");
  CHECK(e->custom_collectives == CustomCollectives::Nvlink);
  CHECK(e->split_kv_kernels == 1.5);
  CHECK_FALSE(e->all_gather_logits);
  CHECK(e->prefill_graphs);
  CHECK(e->kernels.attention == 1);
  CHECK(e->kernels.latent == 2);
  CHECK(e->kernels.indexer == 3);
  CHECK(e->kernels.dense_ffn == 4);
  CHECK(e->kernels.moe == 5);
  CHECK(e->kernels.quantise == 6);
  CHECK(e->kernels.step == 7);
  CHECK(e->passes.attention == 1.5);
  CHECK(e->passes.dense_ffn == 2.5);
  CHECK(e->passes.ffn_width == 3.5);
  CHECK(e->passes.moe == 4.5);
  CHECK(e->passes.moe_width == 5.5);
  CHECK(e->host_per_kernel == hardware::Seconds(5e-6));
  CHECK(e->host_per_step == hardware::Seconds(1e-3));
  CHECK(e->host_per_sequence == hardware::Seconds(2e-6));
  CHECK(e->host_overlap == 0.5);
  CHECK(e->memory_fraction == 0.8);
  CHECK(e->context_bytes == hardware::Bytes(1073741824.0));
  CHECK(e->graphs_bytes == hardware::Bytes(2147483648.0));
  CHECK(e->max_batched_tokens == 2048);
  CHECK(e->kv_block_tokens == 16);
  CHECK_FALSE(e->kv_format);
}

TEST_CASE("an engine's own cache format is a format name; 'model' leaves it to the checkpoint") {
  hardware::Diagnostics diagnostics;
  const auto e = read_engine(test::tree_of(changed("format: model", "format: fp8")), diagnostics);
  REQUIRE(e);
  CHECK(e->kv_format == hardware::Format::Fp8);
  CHECK_THAT(errors_of(changed("format: model", "format: fp9")), ContainsSubstring("'fp9'"));
}

TEST_CASE("an engine defaults nothing") {
  CHECK_THAT(errors_of(changed("all_gather_logits: false\n", "")),
             ContainsSubstring("missing key 'all_gather_logits' in 'engine'"));
  CHECK_THAT(errors_of(changed("moe: 5, ", "")), ContainsSubstring("missing key 'moe'"));
  CHECK_THAT(errors_of(changed(", overlap: 0.5", "")),
             ContainsSubstring("missing key 'overlap' in 'host'"));
}

TEST_CASE("a memory fraction above one is refused") {
  CHECK_THAT(errors_of(changed("fraction: 0.8", "fraction: 1.8")),
             ContainsSubstring("a.yaml:9:20: error:"));
}

}  // namespace
}  // namespace fathom::model
