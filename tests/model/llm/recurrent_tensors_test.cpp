#include "model/llm/tensor_list.h"
#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

template <class Block>
std::vector<Tensor> tensors(const Block& block, Count hidden) {
  const Formats formats = test::all_formats(Format::Bf16);
  TensorList list(formats, hidden);
  add_tensors(block, list);
  return list.take();
}

/// Parameters of those roles, of all where none is named.
template <class Block>
Count parameters(const Block& block, Count hidden, const std::vector<Role>& roles = {}) {
  Count sum = 0;
  for (const Tensor& tensor : tensors(block, hidden)) {
    const bool counted =
        roles.empty() || std::find(roles.begin(), roles.end(), tensor.role) != roles.end();
    sum += counted ? tensor.parameters() : 0;
  }
  return sum;
}

TEST_CASE("Mamba-1: x and z, convolution, step, B and C, A and D, three norms, output") {
  CHECK(parameters(test::kSmallMamba1, 8) ==
        2 * 16 * 8 + 16 * 5 + 16 * (2 + 2 * 4) + 16 * 2 + 16 + 16 * 4 + 16 + (2 + 2 * 4) + 16 * 8);
}

TEST_CASE("Mamba-2: x, z, B, C and steps, convolution, three vectors of heads, norm, output") {
  const Count rest = 3 * 4 + 16 + 16 * 8;
  Mamba2 m = test::kSmallMamba2;
  CHECK(parameters(m, 8) == 8 * (2 * 16 + 2 * 2 * 4 + 4) + (16 + 2 * 2 * 4) * 5 + rest);
  m.conv_bias = false;
  CHECK(parameters(m, 8) == 8 * (2 * 16 + 2 * 2 * 4 + 4) + (16 + 2 * 2 * 4) * 4 + rest);
}

TEST_CASE("gated delta net: q, k, v, z, two numbers a head, convolution, vectors, output") {
  CHECK(parameters(test::kSmallDelta, 8) ==
        8 * (2 * 8 + 2 * 16) + 8 * 2 * 4 + (2 * 8 + 16) * 4 + 2 * 4 + 4 + 16 * 8);
}

TEST_CASE("keyed delta: q, k, v, decay and gate of low rank, or a whole gate") {
  KeyedDelta m = test::kSmallKeyed;
  const Count rest = 3 * 8 * 16 + 3 * 4 * 16 + 8 * 2 + 2 * 16 + 8 * 4 + 4 + 16 + 4 + 16 * 8;
  CHECK(parameters(m, 8) == rest + 8L * 16);
  m.gate_rank = 2;
  CHECK(parameters(m, 8) == rest + 8L * 2 + 2L * 16);
}

TEST_CASE("lightning attention: q, k, v, gate, norm, output") {
  CHECK(parameters(test::kSmallLightning, 8) == 3 * 8 * 16 + 8 * 16 + 16 + 16 * 8);
}

TEST_CASE("36 layers of Qwen3-Next have the published parameters of each part") {
  const DeltaNet m{
      .key_heads = 16, .value_heads = 32, .key_head = 128, .value_head = 128, .conv = 4};
  CHECK(36 * parameters(m, 2048, {Role::StateIn, Role::GateUp, Role::StateOut}) == 1'207'959'552);
  CHECK(36 * parameters(m, 2048, {Role::StateSmall}) == 4'718'592);
  CHECK(36 * parameters(m, 2048, {Role::Conv}) == 1'179'648);
  CHECK(36 * parameters(m, 2048, {Role::StateVectors}) == 2'304);
}

TEST_CASE("23 Mamba layers of Nemotron-3-Nano have the published parameters of each part") {
  const Mamba2 m{.heads = 64, .head = 64, .groups = 8, .state = 128, .conv = 4};
  CHECK(23 * parameters(m, 2688, {Role::StateIn, Role::StateGroups, Role::StateOut}) ==
        890'265'600);
  CHECK(23 * parameters(m, 2688, {Role::Conv, Role::ConvGroups}) == 706'560);
  CHECK(23 * parameters(m, 2688, {Role::StateVectors}) == 4'416);
}

TEST_CASE("a norm that all heads share is whole on each rank, one of all channels is not") {
  const auto split_of = [](const auto& block) {
    for (const Tensor& tensor : tensors(block, 8)) {
      if (tensor.role == Role::StateNorm) {
        return tensor.split;
      }
    }
    return Split::Experts;
  };
  CHECK(split_of(test::kSmallMamba1) == Split::Replicated);
  CHECK(split_of(test::kSmallDelta) == Split::Replicated);
  CHECK(split_of(test::kSmallKeyed) == Split::Replicated);
  CHECK(split_of(test::kSmallMamba2) == Split::Heads);
  CHECK(split_of(test::kSmallLightning) == Split::Heads);
}

}  // namespace
}  // namespace fathom::model
