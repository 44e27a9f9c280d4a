#include "model/llm/read_model.h"

#include "model/llm/parameter_count.h"
#include "tests/support/small_spec.h"

namespace fathom::model {
namespace {

using test::changed;
using test::errors_of;
using test::kModel;
using test::read;

TEST_CASE("a model of eleven lines is whole") {
  hardware::Diagnostics diagnostics;
  const auto model = read(kModel, diagnostics);
  REQUIRE(model);
  CHECK(model->id == "small");
  CHECK(model->layer_count() == 3);
  CHECK_FALSE(model->is_moe());
  CHECK(model->kv_format == Format::Fp8);
  const auto& a = std::get<GroupedAttention>(model->layers.front().attention);
  CHECK(a.value_head == 4);
  CHECK(a.window == 0);
  CHECK(take_census(*model).total == 2872);
}

TEST_CASE("a published total that the shapes do not give is an error with both figures") {
  CHECK(errors_of(changed("2872", "2873")) ==
        "a.yaml:11:31: error: published total_parameters is 2873, the shapes give 2872 without "
        "MTP\n"
        "   11 | published: {total_parameters: 2873}\n"
        "      |                               ^\n"
        "       help: correct the shapes, or remove the claim and say why in a note\n");
}

TEST_CASE("a rounded claim holds within half a unit of its last digit") {
  hardware::Diagnostics diagnostics;
  CHECK(read(changed("2872", "2.87e3"), diagnostics));
  CHECK(read(changed("2872", "3e3"), diagnostics));
  CHECK_THAT(errors_of(changed("2872", "2.88e3")), ContainsSubstring("the shapes give 2872"));
  CHECK(half_last_digit("744e9") == 0.5e9);
  CHECK_THAT(half_last_digit("30.5e9"), WithinRel(0.05e9, 1e-12));
  CHECK(half_last_digit("1200") == 0.5);
  CHECK_THAT(half_last_digit("12.9"), WithinRel(0.05, 1e-12));
}

TEST_CASE("an active count is checked in the convention that it names") {
  hardware::Diagnostics diagnostics;
  const auto with = [](const std::string& claim) {
    return changed("total_parameters: 2872", "active_parameters: " + claim);
  };
  CHECK(read(with("{value: 2872, counts: all}"), diagnostics));
  CHECK(read(with("2616"), diagnostics));  // bare: without the input embedding of 256
  CHECK(read(with("{value: 2360, counts: no-embeddings}"), diagnostics));
  CHECK_THAT(errors_of(with("{value: 2872, counts: no-embeddings}")),
             ContainsSubstring("the shapes give 2360 (without embeddings)"));
}

TEST_CASE("published bytes are those of the stored weights") {
  hardware::Diagnostics diagnostics;
  CHECK(read(changed("total_parameters: 2872", "weight_bytes: 5744"), diagnostics));
  CHECK_THAT(errors_of(changed("total_parameters: 2872", "weight_bytes: 5743")),
             ContainsSubstring("the shapes give 5744 as stored"));
}

TEST_CASE("a claim is one number, not an interval") {
  CHECK_FALSE(errors_of(changed("2872", "{low: 2000, high: 3000}")).empty());
}

TEST_CASE("an architectural field has no default") {
  for (const char* line : {"hidden: 8\n", "vocabulary: 32\n", "max_context: 1000\n",
                           "tied_embeddings: false\n", "model: small\n"}) {
    const std::string key = std::string(line).substr(0, std::string(line).find(':'));
    CHECK_THAT(errors_of(changed(line, "")),
               ContainsSubstring("missing key '" + key + "' in 'model'"));
  }
  for (const char* key : {"heads: 4, ", "kv_heads: 2, ", "head: 4, "}) {
    CHECK_THAT(errors_of(changed(std::string(" ") + key, " ")), ContainsSubstring("missing key"));
  }
  CHECK_THAT(errors_of(changed(", qk_norm: none", "")),
             ContainsSubstring("missing key 'qk_norm' in 'attention'"));
}

TEST_CASE("a group of weights that the model has needs its format") {
  CHECK_THAT(errors_of(changed("dense_ffn: bf16, ", "")),
             ContainsSubstring("missing key 'dense_ffn' in 'formats'") &&
                 ContainsSubstring("add 'dense_ffn: bf16' or the format that the checkpoint "
                                   "stores"));
  CHECK_THAT(errors_of(changed(", kv_cache: fp8", "")),
             ContainsSubstring("missing key 'kv_cache' in 'formats'"));
}

TEST_CASE("neither layer nor model with an attention is an error at the layer") {
  CHECK_THAT(errors_of(changed("attention: {kind: grouped, heads: 4, kv_heads: 2, head: 4, "
                               "qk_norm: none}\n",
                               "")),
             ContainsSubstring("missing key 'attention': neither the layer nor the model has it"));
}

TEST_CASE("a layer's own attention and formats stand in place of the model's") {
  hardware::Diagnostics diagnostics;
  std::string text =
      changed("    ffn: {kind: dense, width: 16}\n",
              "    ffn: {kind: dense, width: 16}\n"
              "    formats: {dense_ffn: fp8}\n"
              "    attention: {kind: grouped, heads: 4, kv_heads: 2, head: 4, qk_norm: none, "
              "window: 7}\n"
              "  - count: 1\n"
              "    ffn: {kind: dense, width: 16}\n");
  text.replace(text.find("2872"), 4, "3656");  // one layer of 784 more
  const auto model = read(text, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(model);
  const LayerKind& layer = model->layers.front();
  CHECK(std::get<GroupedAttention>(layer.attention).window == 7);
  CHECK(format_of(layer.formats, Role::DenseUp) == Format::Fp8);
  CHECK(format_of(layer.formats, Role::DenseDown) == Format::Fp8);
  CHECK(format_of(layer.formats, Role::Query) == Format::Bf16);
}

TEST_CASE("an attention of the model that no layer uses is an error") {
  CHECK_THAT(errors_of(changed("    ffn: {kind: dense, width: 16}\n",
                               "    ffn: {kind: dense, width: 16}\n"
                               "    attention: {kind: none}\n")),
             ContainsSubstring("no layer uses the model's 'attention': each has its own"));
}

TEST_CASE("query heads come in whole groups") {
  CHECK_THAT(errors_of(changed("kv_heads: 2", "kv_heads: 3")),
             ContainsSubstring("4 query heads do not divide into 3 KV heads"));
}

TEST_CASE("a token cannot draw more experts than there are") {
  CHECK_THAT(errors_of(changed("{kind: dense, width: 16}",
                               "{kind: moe, experts: 4, top_k: 5, width: 6, shared_width: 0, "
                               "router_bias: false}")),
             ContainsSubstring("top_k 5 exceeds the 4 experts"));
}

TEST_CASE("a model has at least one layer") {
  CHECK_THAT(errors_of(changed("  - count: 3\n    ffn: {kind: dense, width: 16}\n", "  []\n")),
             ContainsSubstring("'layers' is empty"));
}

TEST_CASE("all that is wrong is reported at once, misspelt keys with their neighbour") {
  const std::string text = errors_of(changed("hidden: 8\nvocabulary: 32\n", "hiden: 8\n"));
  CHECK_THAT(text, ContainsSubstring("missing key 'hidden'"));
  CHECK_THAT(text, ContainsSubstring("missing key 'vocabulary'"));
  CHECK_THAT(text, ContainsSubstring("did you mean 'hidden'?"));
}

TEST_CASE("another weight format leaves embedding, head, router and norms in 16 bits") {
  const ModelSpec model = with_weight_format(test::model_config("qwen3-30b-a3b"), Format::Fp8);
  const Census census = take_census(model);
  const auto bytes_per = [&](Group group) {
    const GroupCensus& g = census.groups.at(static_cast<std::size_t>(group));
    return g.bytes.base() / static_cast<double>(g.parameters);
  };
  CHECK_THAT(bytes_per(Group::RoutedExperts), WithinRel(1.0, 1e-5));
  CHECK_THAT(bytes_per(Group::Attention), WithinRel(1.0, 1e-5));
  for (const Group group : {Group::Embedding, Group::LmHead, Group::Router, Group::Norm}) {
    CHECK(bytes_per(group) == 2);
  }
}

}  // namespace
}  // namespace fathom::model
