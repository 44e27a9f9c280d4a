#include "model/ops/ops_common.h"

#include "tests/support/catch.h"
#include "tests/support/small_models.h"

#include <algorithm>

namespace fathom::model {
namespace {

TEST_CASE("a GEMM is 2mnk FLOP, its weights once, its inputs and outputs once") {
  const Shard shard = make_shard(test::small_dense_model(), {}, Format::Bf16);
  LocalTensor weight{6, 8, 1, Bytes(96), Format::Bf16};
  const OpsContext context = test::plain_context(shard);
  hardware::Work work = gemm(context, weight, 3);
  CHECK(work.flop.base() == 2 * 3 * 6 * 8);
  CHECK(work.weight_bytes == Bytes(96));
  CHECK(work.activation_bytes == Bytes(3 * (8 + 6) * 2));
  CHECK(work.rows == 3);
  CHECK(work.kernels == 1);
  SECTION("a fused second tensor shares the input and the kernel") {
    fuse(work, weight, 3);
    CHECK(work.flop.base() == 2 * 2 * 3 * 6 * 8);
    CHECK(work.weight_bytes == Bytes(192));
    CHECK(work.activation_bytes == Bytes(3 * (8 + 12) * 2));
    CHECK(work.kernels == 1);
  }
  SECTION("two matrices of one tensor read one input") {
    weight.count = 2;
    weight.bytes = Bytes(192);
    CHECK(gemm(context, weight, 3).flop == work.flop * 2);
    CHECK(gemm(context, weight, 3).activation_bytes == Bytes(3 * (8 + 12) * 2));
  }
}

TEST_CASE("a weight format that computes in 16 bits wants no quantised input") {
  const Shard shard = make_shard(test::small_dense_model(), {}, Format::Bf16);
  OpsContext context = test::plain_context(shard);
  CHECK_FALSE(quantises(context, Format::Nvfp4));
  context.arithmetic.at(static_cast<std::size_t>(Format::Nvfp4)) = hardware::Arithmetic::Fp4;
  CHECK(quantises(context, Format::Nvfp4));
}

TEST_CASE("attended pairs are the sum over the new tokens of what each can see") {
  for (int q = 1; q <= 6; ++q) {
    for (int context = 0; context <= 8; ++context) {
      for (int limit = 0; limit <= 10; ++limit) {
        double sum = 0;
        for (int i = 1; i <= q; ++i) {
          sum += limit == 0 ? context + i : std::min(context + i, limit);
        }
        INFO(q << " new, " << context << " held, limit " << limit);
        CHECK_THAT(attended_pairs(q, context, limit), WithinAbs(sum, 1e-9));
      }
    }
  }
}

TEST_CASE("a prefill counts half of the square") {
  CHECK(attended_pairs(4, 0, 0) == 10);
  CHECK(attended_pairs(6, 0, 3) == 6 * 3 - 3);
}

TEST_CASE("no token sees more than the limit, at a fraction of a context neither") {
  CHECK(attended_pairs(1, 15.5, 16) == 16);
  CHECK(attended_pairs(3, 14.5, 16) == 15.5 + 16 + 16);
  for (double context = 0; context < 40; context += 0.25) {
    CHECK(attended_pairs(1, context, 16) == std::min(context + 1, 16.0));
  }
}

TEST_CASE("chunks add up from whole ones and a rest") {
  CHECK(chunked_pairs(4, 6, 8) == 7 + 8 + 1 + 2);
  CHECK(chunked_pairs(16, 0, 8) == 2 * 36);
  CHECK(chunked_pairs(10, 0, 100) == attended_pairs(10, 0, 0));
}

}  // namespace
}  // namespace fathom::model
