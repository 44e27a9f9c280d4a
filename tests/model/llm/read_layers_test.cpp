// Kinds and order of layers, formats of roles, claims with MTP.

#include "model/llm/read_model.h"
#include "tests/support/small_spec.h"

namespace fathom::model {
namespace {

using test::changed;
using test::errors_of;
using test::kModel;
using test::read;

/// kModel with two kinds of layers, one of them with a window, and an order.
std::string interleaved(const std::string& order) {
  return changed("  - count: 3\n    ffn: {kind: dense, width: 16}\n",
                 "  - {name: full, count: 1, ffn: {kind: dense, width: 16}}\n"
                 "  - {name: near, count: 2, ffn: {kind: dense, width: 16}, attention: "
                 "{kind: grouped, heads: 4, kv_heads: 2, head: 4, qk_norm: none, window: 7}}\n"
                 "order: " +
                     order + "\n");
}

TEST_CASE("an order interleaves the kinds of layers, each as often as its count") {
  hardware::Diagnostics diagnostics;
  const auto model = read(interleaved("near full near"), diagnostics);
  INFO(render(diagnostics));
  REQUIRE(model);
  CHECK(model->layer_order() == std::vector<std::uint16_t>{1, 0, 1});
  CHECK_THAT(errors_of(interleaved("near full")),
             ContainsSubstring("'near' stands 1 times in 'order', its count is 2"));
  CHECK_THAT(errors_of(interleaved("2*(near full")), ContainsSubstring("a bracket is not closed"));
  CHECK_THAT(errors_of(interleaved("far full near")),
             ContainsSubstring("'far' names no layer kind"));
  std::string nameless = interleaved("near full near");
  nameless.replace(nameless.find("name: full, "), 12, "");
  CHECK_THAT(errors_of(nameless),
             ContainsSubstring("'order' needs a name of its own for each layer kind"));
}

TEST_CASE("without an order layers stand as they are listed") {
  hardware::Diagnostics diagnostics;
  std::string text = interleaved("near full near");
  text.replace(text.find("order:"), std::string("order: near full near\n").size(), "");
  const auto model = read(text, diagnostics);
  REQUIRE(model);
  CHECK(model->layer_order() == std::vector<std::uint16_t>{0, 1, 1});
}

TEST_CASE("a model may state no longest context") {
  hardware::Diagnostics diagnostics;
  const auto model = read(changed("max_context: 1000", "max_context: none"), diagnostics);
  REQUIRE(model);
  CHECK(model->max_context == 0);
}

TEST_CASE("a parallel layer has both attention and FFN") {
  CHECK_THAT(
      errors_of(changed("ffn: {kind: dense, width: 16}", "ffn: {kind: none}\n    parallel: true")),
      ContainsSubstring("a parallel layer has both attention and FFN"));
}

TEST_CASE("layers mix in an embedding of their own only where the model has its table") {
  const std::string with =
      changed("{kind: dense, width: 16}", "{kind: dense, width: 16}\n    per_layer_width: 4");
  CHECK_THAT(errors_of(with), ContainsSubstring("needs the model's 'per_layer_embedding'"));
  CHECK_THAT(errors_of("per_layer_embedding: {vocabulary: 32, width: 5}\n" + with),
             ContainsSubstring("per_layer_width 4 is not the 5 of 'per_layer_embedding'"));
}

TEST_CASE("a role wins over its group, wherever it stands in the map") {
  hardware::Diagnostics diagnostics;
  const auto model =
      read(changed("attention: bf16, dense_ffn", "output: fp8, attention: fp16, dense_ffn"),
           diagnostics);
  INFO(render(diagnostics));
  REQUIRE(model);
  const Formats& formats = model->layers.front().formats;
  CHECK(format_of(formats, Role::Output) == Format::Fp8);
  CHECK(format_of(formats, Role::Query) == Format::Fp16);
  CHECK(format_of(formats, Role::QkNorms) == Format::Bf16);
  CHECK(format_of(formats, Role::RouterBias) == Format::Fp32);
  CHECK(format_of(formats, Role::HashTable) == Format::Int64);
}

TEST_CASE("hyper-connections are FP32 unless their group says otherwise") {
  hardware::Diagnostics diagnostics;
  const auto plain = read(kModel, diagnostics);
  const auto said = read(changed("norm: bf16", "norm: bf16, hyper_connections: bf16"), diagnostics);
  REQUIRE(plain);
  REQUIRE(said);
  CHECK(format_of(plain->layers.front().formats, Role::HyperMix) == Format::Fp32);
  CHECK(format_of(said->layers.front().formats, Role::HyperMix) == Format::Bf16);
  CHECK(format_of(said->formats, Role::HyperHead) == Format::Bf16);
}

TEST_CASE("a recurrent mixer needs the format of its group; its small projections follow norms") {
  const std::string text = changed("{kind: grouped, heads: 4, kv_heads: 2, head: 4, qk_norm: none}",
                                   "{kind: delta-net, key_heads: 2, value_heads: 4, key_head: 4, "
                                   "value_head: 4, conv: 4}");
  CHECK_THAT(errors_of(text), ContainsSubstring("missing key 'recurrent' in 'formats'"));
  std::string whole = text;
  whole.replace(whole.find("attention: bf16"), 15, "recurrent: fp8");
  whole.replace(whole.find("published"), std::string::npos, "");
  hardware::Diagnostics diagnostics;
  const auto model = read(whole, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(model);
  const Formats& formats = model->layers.front().formats;
  CHECK(format_of(formats, Role::StateIn) == Format::Fp8);
  CHECK(format_of(formats, Role::StateSmall) == Format::Bf16);
  CHECK(model->state_format == Format::Fp32);
}

TEST_CASE("a published total may count the MTP layers") {
  hardware::Diagnostics diagnostics;
  const std::string mtp =
      "mtp: {count: 1, in_checkpoint: true, shared_embedding: true, ffn: {kind: dense, width: "
      "16}}\n";
  const auto with = [&mtp](const std::string& claim) {
    std::string text = mtp + changed("2872", claim);
    return text.replace(text.find("norm: bf16"), 10, "norm: bf16, mtp: bf16");
  };
  // A layer of 784, a projection of 2 x 8 x 8 and three norms of 8.
  CHECK(read(with("{value: 3808, counts: with-mtp}"), diagnostics));
  CHECK(read(with("{value: 2872, counts: main}"), diagnostics));
  CHECK(read(with("{value: 2872}"), diagnostics));
  CHECK_THAT(errors_of(with("{value: 2872, counts: with-mtp}")),
             ContainsSubstring("the shapes give 3808 with MTP"));
}

}  // namespace
}  // namespace fathom::model
