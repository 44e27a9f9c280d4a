#include "model/llm/parameter_count.h"
#include "model/llm/tensor_list.h"
#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

std::vector<Tensor> tensors(const Mlp& mlp) {
  const Formats formats = test::all_formats(Format::Bf16);
  TensorList list(formats, 8);
  std::visit([&list](const auto& f) { add_tensors(f, list); }, mlp);
  return list.take();
}

/// Parameters of a block at hidden 8.
Count parameters(const Mlp& mlp) {
  Count sum = 0;
  for (const Tensor& tensor : tensors(mlp)) {
    sum += tensor.parameters();
  }
  return sum;
}

constexpr MoeMlp kMoe{.experts = 4, .top_k = 2, .width = 6};
constexpr Count kPlain = 4 * 8 + 4 * 3 * 8 * 6;  // router, experts

TEST_CASE("a dense FFN: two or three matrices, and their biases") {
  CHECK(parameters(DenseMlp{.width = 16}) == 3L * 8 * 16);
  CHECK(parameters(DenseMlp{.width = 16, .gated = false}) == 2L * 8 * 16);
  CHECK(parameters(DenseMlp{.width = 16, .bias = true}) == 3 * 8 * 16 + 2 * 16 + 8);
  CHECK(parameters(NoMlp{}) == 0);
}

TEST_CASE("what a router has beside its matrix") {
  MoeMlp f = kMoe;
  CHECK(parameters(f) == kPlain);
  f.router_bias = f.router_linear_bias = true;
  CHECK(parameters(f) == kPlain + 4 + 4);
  f.scales = true;
  CHECK(parameters(f) == kPlain + 8 + 8 + 4);
  f = kMoe;
  f.zero_experts = 2;
  CHECK(parameters(f) == kPlain + 2L * 8);  // choices, no weights
}

TEST_CASE("biases of experts, shared experts and their gate") {
  MoeMlp f = kMoe;
  f.bias = true;
  CHECK(parameters(f) == kPlain + 4L * (2 * 6 + 8));
  f.bias = false;
  f.shared_width = 5;
  f.shared_gate = true;
  CHECK(parameters(f) == kPlain + 3L * 8 * 5 + 8);
}

TEST_CASE("experts in a latent are smaller, behind two projections") {
  MoeMlp f = kMoe;
  f.latent = 4;
  f.latent_norm = true;
  CHECK(parameters(f) == 4 * 8 + 4 * 3 * 4 * 6 + 2 * 8 * 4 + 4);
  f.gated = false;
  CHECK(parameters(f) == 4 * 8 + 4 * 2 * 4 * 6 + 2 * 8 * 4 + 4);
}

TEST_CASE("a table from token to experts has bytes and no parameters") {
  MoeMlp f = kMoe;
  f.hash_tokens = 32;
  CHECK(parameters(f) == kPlain);
  Formats formats = test::all_formats(Format::Bf16);
  set_small_formats(formats, Format::Bf16);
  TensorList list(formats, 8);
  add_tensors(f, list);
  CHECK(list.take().back().bytes() == Bytes(32 * 2 * 8));
}

TEST_CASE("choices that cost nothing take their share of the picks, active counts all picks") {
  ModelSpec model = test::small_moe_model();  // 3 layers, 4 experts of 144, 2 drawn
  const Count whole = take_census(model).active_all;
  auto& f = std::get<MoeMlp>(model.layers.front().mlp);
  f.zero_experts = 4;  // half of the picks: one expert is drawn on average
  CHECK(f.mean_picks() == 1);
  CHECK(take_census(model).active_all == whole + 3L * 4 * 8);  // 4 rows of the router more
}

}  // namespace
}  // namespace fathom::model
