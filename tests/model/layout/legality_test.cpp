#include "model/layout/legality.h"

#include "tests/support/small_models.h"
#include "tests/support/specs.h"

#include <vector>

namespace fathom::model {
namespace {

std::optional<Illegal> legal(const ModelSpec& model, const char* text, Count gpus = 0) {
  const ParsedLayout parsed = parse_layout(text, model.is_moe());
  INFO(text << parsed.error);
  REQUIRE(parsed.layout);
  return check_legal(model, *parsed.layout, gpus);
}

/// The attention TP, of 1 to 64, that are legal with experts cut the same way.
std::vector<Count> legal_tp(const ModelSpec& model) {
  std::vector<Count> out;
  for (const Count tp : {1, 2, 3, 4, 6, 8, 12, 16, 32, 64}) {
    if (!check_legal(model, test::layout_of(tp, 1, 1), 0)) {
      out.push_back(tp);
    }
  }
  return out;
}

using Counts = std::vector<Count>;

TEST_CASE("TP divides the query heads") {
  CHECK(legal(test::small_dense_model(), "tp8") ==
        Illegal{IllegalReason::QueryHeads, 4, 8, 0, Group::Attention});
  CHECK_FALSE(legal(test::small_dense_model(), "tp4"));
}

TEST_CASE("KV heads divide by TP, or TP by them") {
  ModelSpec model = test::small_dense_model();
  model.layers.front().attention =
      GroupedAttention{.heads = 40, .kv_heads = 10, .head = 4, .value_head = 4};  // as phi-4
  CHECK_FALSE(legal(model, "tp2"));
  CHECK(legal(model, "tp4") == Illegal{IllegalReason::KvHeads, 10, 4, 0, Group::Attention});
  CHECK(legal(model, "tp8") == Illegal{IllegalReason::KvHeads, 10, 8, 0, Group::Attention});
}

TEST_CASE("EP divides the experts") {
  ModelSpec model = test::small_moe_model();
  std::get<MoeMlp>(model.layers.front().mlp).experts = 6;
  CHECK(legal(model, "ep4") == Illegal{IllegalReason::Experts, 6, 4, 0, Group::RoutedExperts});
  CHECK_FALSE(legal(model, "ep2"));
}

TEST_CASE("a width that the ranks do not divide is refused with its group") {
  ModelSpec model = test::small_dense_model();
  model.layers.front().mlp = DenseMlp{.width = 15};
  CHECK(legal(model, "tp2") == Illegal{IllegalReason::Width, 15, 2, 0, Group::DenseFfn});
}

TEST_CASE("a layout wants no more GPUs than there are, nor stages than layers") {
  CHECK(legal(test::small_dense_model(), "tp4pp2", 4) ==
        Illegal{IllegalReason::GpuCount, 8, 4, 0, Group::Attention});
  CHECK_FALSE(legal(test::small_dense_model(), "tp2", 4));
  CHECK(legal(test::small_dense_model(), "tp1pp4") ==
        Illegal{IllegalReason::Stages, 3, 4, 0, Group::Attention});
}

TEST_CASE("context parallelism divides TP and needs KV heads to spare") {
  const ModelSpec latent = test::small_latent_model();
  CHECK(legal(latent, "tp4dcp3") ==
        Illegal{IllegalReason::ContextParallel, 3, 4, 0, Group::Attention});
  CHECK_FALSE(legal(latent, "tp4dcp4"));
  const ModelSpec grouped = test::small_dense_model();  // 2 KV heads
  CHECK_FALSE(legal(grouped, "tp4dcp2"));
  CHECK(legal(grouped, "tp4dcp4") ==
        Illegal{IllegalReason::ContextParallelKv, 4, 4, 2, Group::Attention});
}

TEST_CASE("an FP8 block that the experts' TP cuts is refused with the numbers, EP is legal") {
  const ModelSpec model = test::model_config("qwen3-235b-a22b-fp8");
  CHECK(legal(model, "tp8") ==
        Illegal{IllegalReason::QuantBlock, 1536, 8, 128, Group::RoutedExperts});  // 192 a rank
  CHECK_FALSE(legal(model, "ep8"));
  CHECK_FALSE(legal(model, "tp4"));
  CHECK_FALSE(legal(model, "tp4pp2"));
  CHECK_FALSE(legal(model, "tp8ep2"));  // experts tp4: 384 a rank
}

TEST_CASE("the same model in 16 bits may be cut anywhere that divides") {
  CHECK_FALSE(legal(test::model_config("qwen3-235b-a22b"), "tp8"));
}

TEST_CASE("groups of INT4 are cut between, along the inputs") {
  ModelSpec model = with_weight_format(test::small_dense_model(), Format::Int4G32);
  model.layers.front().attention =
      GroupedAttention{.heads = 4, .kv_heads = 2, .head = 32, .value_head = 32};
  model.layers.front().mlp = DenseMlp{.width = 96};
  CHECK(legal(model, "tp2") == Illegal{IllegalReason::QuantBlock, 96, 2, 32, Group::DenseFfn});
  model.layers.front().mlp = DenseMlp{.width = 128};
  CHECK_FALSE(legal(model, "tp2"));
}

TEST_CASE("a cut through a GGUF block along the inputs is refused, along the outputs it is legal") {
  ModelSpec model = test::small_dense_model();
  model.hidden = 512;
  std::get<GroupedAttention>(model.layers.front().attention).head = 128;
  std::get<GroupedAttention>(model.layers.front().attention).value_head = 128;
  std::get<DenseMlp>(model.layers.front().mlp).width = 768;
  model = with_weight_format(model, Format::Q8_0);
  CHECK_FALSE(legal(model, "tp2"));  // 384 inputs a rank, 12 blocks of 32
  model = with_weight_format(model, Format::Q4K);
  CHECK(legal(model, "tp2") == Illegal{IllegalReason::QuantBlock, 768, 2, 256, Group::DenseFfn});
  std::get<DenseMlp>(model.layers.front().mlp).width = 1024;
  CHECK_FALSE(legal(model, "tp2"));
}

TEST_CASE("FP8 blocks are cut between whatever the form of their scale") {
  ModelSpec model = test::small_dense_model();
  std::get<DenseMlp>(model.layers.front().mlp).width = 192;
  for (const Format format : {Format::Fp8Block, Format::Fp8BlockE8m0}) {
    set_group_format(model.layers.front().formats, Group::DenseFfn, format);
    CHECK(legal(model, "tp2") == Illegal{IllegalReason::QuantBlock, 192, 2, 128, Group::DenseFfn});
  }
}

TEST_CASE("FP4 shards are padded, never refused") {
  ModelSpec model = with_weight_format(test::small_dense_model(), Format::Nvfp4);
  CHECK_FALSE(legal(model, "tp4"));
}

TEST_CASE("the legal TP of 16-bit checkpoints are those that divide the heads") {
  const Counts sixty_four{1, 2, 4, 8, 16, 32, 64};
  CHECK(legal_tp(test::model_config("glm-5")) == sixty_four);
  CHECK(legal_tp(with_weight_format(test::model_config("deepseek-r1"), Format::Bf16)) ==
        sixty_four);
  CHECK(legal_tp(with_weight_format(test::model_config("kimi-k2.5"), Format::Bf16)) == sixty_four);
  CHECK(legal_tp(test::model_config("qwen3-235b-a22b")) == sixty_four);
  CHECK(legal_tp(test::model_config("qwen3-30b-a3b")) == Counts{1, 2, 4, 8, 16, 32});
  CHECK(legal_tp(test::model_config("llama-3.1-70b")) == sixty_four);
}

TEST_CASE("the legal TP of FP8 checkpoints keep whole blocks of 128") {
  CHECK(legal_tp(test::model_config("glm-5-fp8")) == Counts{1, 2, 4, 8, 16});
  CHECK(legal_tp(test::model_config("deepseek-r1")) == Counts{1, 2, 4, 8, 16});
  CHECK(legal_tp(with_weight_format(test::model_config("kimi-k2.5"), Format::Fp8Block)) ==
        Counts{1, 2, 4, 8, 16});
  CHECK(legal_tp(test::model_config("qwen3-235b-a22b-fp8")) == Counts{1, 2, 4});
  CHECK(legal_tp(test::model_config("qwen3-30b-a3b-fp8")) == Counts{1, 2});
  CHECK(legal_tp(with_weight_format(test::model_config("llama-3.1-70b"), Format::Fp8Block)) ==
        Counts{1, 2, 4, 8, 16, 32});
}

TEST_CASE("the NVFP4 checkpoint of GLM-5 may be cut as far as its heads go") {
  CHECK(legal_tp(test::model_config("glm-5-nvfp4")) == Counts{1, 2, 4, 8, 16, 32, 64});
}

TEST_CASE("TP divides the heads of a recurrent state and its key heads") {
  CHECK(legal(test::small_model_of(test::kSmallMamba2), "tp8") ==
        Illegal{IllegalReason::StateHeads, 4, 8, 0, Group::Recurrent});
  CHECK(legal(test::small_model_of(test::kSmallMamba1), "tp32") ==
        Illegal{IllegalReason::StateHeads, 16, 32, 0, Group::Recurrent});
  CHECK(legal(test::small_model_of(test::kSmallDelta), "tp4") ==
        Illegal{IllegalReason::KeyHeads, 2, 4, 0, Group::Recurrent});
  CHECK_FALSE(legal(test::small_model_of(test::kSmallDelta), "tp2"));
  CHECK_FALSE(legal(test::small_model_of(test::kSmallKeyed), "tp4"));
  CHECK_FALSE(legal(test::small_model_of(test::kSmallLightning), "tp4"));
}

TEST_CASE("groups of B and C divide by TP, or TP by them") {
  CHECK_FALSE(legal(test::small_model_of(test::kSmallMamba2), "tp4"));  // 2 groups, replicated
  Mamba2 m = test::kSmallMamba2;
  m.heads = 12;
  m.groups = 3;
  CHECK(legal(test::small_model_of(m), "tp2") ==
        Illegal{IllegalReason::StateGroups, 3, 2, 0, Group::Recurrent});
}

TEST_CASE("TP divides the output groups of compressed attention") {
  const ModelSpec model = test::small_model_of(test::kSmallCompressed);
  CHECK(legal(model, "tp4") == Illegal{IllegalReason::OutputGroups, 2, 4, 0, Group::Attention});
  CHECK_FALSE(legal(model, "tp2"));
}

TEST_CASE("a layer without attention is cut wherever its FFN is") {
  CHECK_FALSE(legal(test::small_model_of(NoAttention{}), "tp16"));
}

TEST_CASE("the decay and step of each head are 16-bit: FP8 blocks do not forbid their cut") {
  ModelSpec model = test::small_model_of(
      DeltaNet{.key_heads = 16, .value_heads = 32, .key_head = 128, .value_head = 128, .conv = 4});
  model.layers.front().mlp = DenseMlp{.width = 1024};
  model.hidden = 2048;
  const ModelSpec blocks = with_weight_format(model, Format::Fp8Block);
  CHECK(format_of(blocks.layers.front().formats, Role::StateSmall) == Format::Bf16);
  CHECK_FALSE(legal(blocks, "tp8"));  // 64 small rows over 8 ranks
}

}  // namespace
}  // namespace fathom::model
