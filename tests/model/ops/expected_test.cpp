#include "model/ops/build_ops.h"
#include "tests/support/catch.h"

namespace fathom::model {
namespace {

constexpr double kExact = 1e-12;

TEST_CASE("no token touches no expert, one token its own, very many touch all") {
  CHECK(distinct_experts(256, 8, 0) == 0);
  CHECK_THAT(distinct_experts(256, 8, 1), WithinRel(8.0, kExact));
  CHECK_THAT(distinct_experts(256, 8, 1e6), WithinRel(256.0, kExact));
  CHECK(distinct_experts(1, 1, 5) == 1);
  CHECK(distinct_experts(4, 4, 0.5) == 4);
}

TEST_CASE("distinct experts follow E(1 - (1 - K/E)^T)") {
  CHECK_THAT(distinct_experts(4, 2, 3), WithinRel(3.5, kExact));
  CHECK_THAT(distinct_experts(256, 8, 32), WithinAbs(163, 0.5));  // DeepSeek-V3
  CHECK_THAT(distinct_experts(256, 8, 128), WithinAbs(252, 0.5));
}

TEST_CASE("more tokens never touch fewer experts, nor more than all or than they draw") {
  double last = 0;
  for (double tokens = 0.25; tokens < 1e5; tokens *= 1.7) {
    const double now = distinct_experts(128, 8, tokens);
    CHECK(now >= last);
    CHECK(now <= 128);
    if (tokens >= 1) {
      CHECK(now <= 8 * tokens * (1 + kExact));
    }
    last = now;
  }
}

TEST_CASE("the fullest of several ranks is the mean plus the normal score of the largest") {
  CHECK(fullest_over_mean(10, 3, 1) == 1);
  CHECK(fullest_over_mean(0, 3, 8) == 1);
  CHECK(fullest_over_mean(10, 0, 8) == 1);
  // Expected largest of 2, 4 and 8 standard normal draws: 0.564, 1.029, 1.424; Blom within 5 %.
  CHECK_THAT(fullest_over_mean(1, 0.1, 2), WithinAbs(1.0564, 0.003));
  CHECK_THAT(fullest_over_mean(1, 0.1, 4), WithinAbs(1.1029, 0.005));
  CHECK_THAT(fullest_over_mean(1, 0.1, 8), WithinAbs(1.1424, 0.007));
}

TEST_CASE("one rank cannot hold more than everything") { CHECK(fullest_over_mean(1, 100, 8) == 8); }

TEST_CASE("more ranks never have a less full fullest") {
  double last = 1;
  for (double ranks = 2; ranks <= 512; ranks *= 2) {
    const double now = fullest_over_mean(10, 2, ranks);
    CHECK(now >= last);
    last = now;
  }
}

double exchange(double experts, double top_k, double ranks, ExchangeConvention convention) {
  return exchange_bytes_per_token(100, experts, top_k, ranks, 2, 2, convention);
}

TEST_CASE("an exchange of 4 experts, 2 drawn, on 2 ranks can be counted by hand") {
  // Of the 6 pairs of experts one lies wholly on the own rank: 5/6 of the tokens leave.
  CHECK_THAT(exchange(4, 2, 2, ExchangeConvention::WithSelfSends), WithinRel(400.0, kExact));
  CHECK_THAT(exchange(4, 2, 2, ExchangeConvention::OffRank), WithinRel(200.0, kExact));
  CHECK_THAT(exchange(4, 2, 2, ExchangeConvention::Deduplicated), WithinRel(200.0 * 5 / 6, kExact));
}

TEST_CASE("self-sends count most, one copy for each remote rank least") {
  for (const double ranks : {2.0, 4.0, 8.0, 16.0, 64.0}) {
    for (const double top_k : {1.0, 2.0, 6.0, 8.0}) {
      const double self = exchange(256, top_k, ranks, ExchangeConvention::WithSelfSends);
      const double off = exchange(256, top_k, ranks, ExchangeConvention::OffRank);
      const double once = exchange(256, top_k, ranks, ExchangeConvention::Deduplicated);
      CHECK(self > off);
      CHECK(off >= once * (1 - kExact));
      CHECK(once > 0);
      if (top_k == 1) {
        CHECK_THAT(once, WithinRel(off, kExact));
      }
    }
  }
}

TEST_CASE("one rank exchanges nothing with others") {
  CHECK(exchange(256, 8, 1, ExchangeConvention::OffRank) == 0);
  CHECK(exchange(256, 8, 1, ExchangeConvention::Deduplicated) == 0);
  CHECK(all_reduce_bytes_per_token(100, 1, 2) == 0);
}

TEST_CASE("a ring all-reduce sends 2(n-1)/n of a token's row") {
  CHECK_THAT(all_reduce_bytes_per_token(100, 4, 2), WithinRel(300.0, kExact));
}

TEST_CASE("dispatch and combine have a width each") {
  CHECK_THAT(exchange_bytes_per_token(100, 4, 2, 2, 1, 2, ExchangeConvention::OffRank),
             WithinRel(150.0, kExact));
}

}  // namespace
}  // namespace fathom::model
