#include "hardware/cost/price.h"

#include "tests/support/catch.h"

#include <algorithm>
#include <cmath>

namespace fathom::hardware {
namespace {

constexpr double kExact = 1e-12;

std::size_t at(Arithmetic a) { return static_cast<std::size_t>(a); }
std::size_t at(Format f) { return static_cast<std::size_t>(f); }
std::size_t at(KernelClass k) { return static_cast<std::size_t>(k); }

/// 100 B/s, 1000 BF16 and 4000 FP8 FLOP/s, no L2.
SystemSpec machine() {
  SystemSpec system;
  system.accelerator.bandwidth = BytesPerSecond(100);
  system.accelerator.dense_peak[at(Arithmetic::Bf16)] = FlopPerSecond(1000);
  system.accelerator.dense_peak[at(Arithmetic::Fp8)] = FlopPerSecond(4000);
  return system;
}

/// Smooth maximum of exponent 2, no fixed time, efficiencies 1.
Coefficients smooth() {
  Coefficients c = Coefficients::bound();
  c.smooth_exponent = 2;
  return c;
}

Work gemm(double flop, double bytes) {
  Work work;
  work.kernel_class = KernelClass::Gemm;
  work.flop = Flop(flop);
  work.weight_bytes = Bytes(bytes);
  return work;
}

Cost price(const Work& work, const Coefficients& coefficients = smooth(),
           const SystemSpec& system = machine(), const Goodness& goodness = {}) {
  return make_pricer(system, coefficients, {}, goodness).price(work);
}

TEST_CASE("bytes alone take bytes over bandwidth, FLOP alone FLOP over peak") {
  CHECK_THAT(price(gemm(0, 200)).total(), WithinRel(2.0, kExact));
  CHECK_THAT(price(gemm(5000, 0)).total(), WithinRel(5.0, kExact));
}

TEST_CASE("compute and memory join in a smooth maximum, split by their shares") {
  const Cost cost = price(gemm(3000, 400));  // 3 s and 4 s
  CHECK_THAT(cost.total(), WithinRel(5.0, kExact));
  CHECK_THAT(cost.compute, WithinRel(5.0 * 9 / 25, kExact));
  CHECK_THAT(cost.memory, WithinRel(5.0 * 16 / 25, kExact));
  CHECK_THAT(cost.memory_bytes, WithinRel(400.0, kExact));
}

TEST_CASE("the bound takes the plain maximum and gives it to the longer side") {
  const Cost cost = price(gemm(3000, 400), Coefficients::bound());
  CHECK_THAT(cost.total(), WithinRel(4.0, kExact));
  CHECK(cost.compute == 0);
}

TEST_CASE("each kernel costs its fixed time, which goodness of launch divides") {
  Coefficients c = smooth();
  c.family[at(KernelClass::Gemm)].fixed = Seconds(0.5);
  Work work = gemm(3000, 400);
  work.kernels = 3;
  CHECK_THAT(price(work, c).launch, WithinRel(1.5, kExact));
  CHECK_THAT(price(work, c).total(), WithinRel(6.5, kExact));
  CHECK_THAT(price(work, c, machine(), {.launch = 3}).launch, WithinRel(0.5, kExact));
}

TEST_CASE("zero work is zero seconds, of every family and among any ranks") {
  Coefficients c = smooth();
  for (auto& family : c.family) {
    family.fixed = Seconds(1);
    family.tile_rows = 16;
  }
  for (const KernelClass kind : {KernelClass::Gemm, KernelClass::GroupedGemm,
                                 KernelClass::Attention, KernelClass::Elementwise}) {
    Work work;
    work.kernel_class = kind;
    work.imbalance = 2;
    work.imbalance_bytes = 2;
    CHECK(price(work, c).total() == 0);
    CHECK(price(work, Coefficients::bound()).total() == 0);
  }
  Work message;
  message.collective = Collective::AllReduce;
  message.ranks = 8;
  CHECK(price(message, c).total() == 0);
}

TEST_CASE("kernels with next to nothing to do still cost their launch, and nothing under a bound") {
  Coefficients c = smooth();
  c.family[at(KernelClass::Elementwise)].fixed = Seconds(1);
  Work work;
  work.kernels = 3;
  CHECK(price(work, c).launch == 3);
  CHECK(price(work, c).total() == 3);
  CHECK(price(work, Coefficients::bound()).total() == 0);
}

TEST_CASE("efficiencies belong to a kernel family and a format") {
  Coefficients c = smooth();
  c.family[at(KernelClass::Gemm)].memory_efficiency[at(Format::Nvfp4)] = 0.5;
  c.family[at(KernelClass::Gemm)].compute_efficiency[at(Format::Nvfp4)] = 0.25;
  Work bytes = gemm(0, 200);
  Work flop = gemm(5000, 0);
  bytes.format = flop.format = Format::Nvfp4;
  CHECK_THAT(price(bytes, c).total(), WithinRel(4.0, kExact));
  CHECK_THAT(price(flop, c).total(), WithinRel(20.0, kExact));
  bytes.kernel_class = flop.kernel_class = KernelClass::GroupedGemm;
  CHECK_THAT(price(bytes, c).total(), WithinRel(2.0, kExact));
  CHECK_THAT(price(flop, c).total(), WithinRel(5.0, kExact));
}

TEST_CASE("FLOP run at the peak of the arithmetic in use") {
  Work work = gemm(4000, 0);
  work.arithmetic = Arithmetic::Fp8;
  CHECK_THAT(price(work).compute, WithinRel(1.0, kExact));
}

TEST_CASE("few rows are padded to the tile") {
  Coefficients c = smooth();
  c.family[at(KernelClass::Gemm)].tile_rows = 16;
  Work work = gemm(1000, 0);
  const auto seconds = [&](double rows) {
    work.rows = rows;
    return price(work, c).compute;
  };
  CHECK_THAT(seconds(1), WithinRel(16.0, kExact));
  CHECK_THAT(seconds(8), WithinRel(2.0, kExact));
  CHECK_THAT(seconds(16), WithinRel(1.0, kExact));
  CHECK_THAT(seconds(17), WithinRel(32.0 / 17, kExact));
  CHECK_THAT(seconds(0), WithinRel(1.0, kExact));  // not a GEMM
}

TEST_CASE("causal attention has its own efficiency") {
  Coefficients c = smooth();
  c.causal_efficiency = 0.5;
  Work work = gemm(1000, 0);
  work.causal = true;
  CHECK_THAT(price(work, c).compute, WithinRel(2.0, kExact));
  work.causal = false;
  CHECK_THAT(price(work, c).compute, WithinRel(1.0, kExact));
}

TEST_CASE("activations that fit the L2 never reach memory; weights and cache always do") {
  SystemSpec system = machine();
  system.accelerator.l2 = Bytes(1000);
  Coefficients c = smooth();
  c.l2_share = 0.5;
  c.l2_speedup = 4;
  Work work;
  work.activation_bytes = Bytes(400);
  CHECK(price(work, c, system).memory_bytes == 0);
  CHECK_THAT(price(work, c, system).total(), WithinRel(1.0, kExact));  // 400 B at 4 x 100 B/s
  work.activation_bytes = Bytes(2000);                                 // 500 stay
  CHECK_THAT(price(work, c, system).memory_bytes, WithinRel(1500.0, kExact));
  CHECK_THAT(price(work, c, system).total(), WithinRel(15 + 1.25, kExact));
  work.kernels = 4;  // 500 B each, all stay
  CHECK(price(work, c, system).memory_bytes == 0);
  work.cache_bytes = Bytes(30);
  work.weight_bytes = Bytes(20);
  CHECK_THAT(price(work, c, system).memory_bytes, WithinRel(50.0, kExact));
}

TEST_CASE("imbalance is the excess of the fullest rank, times the skew") {
  Work work = gemm(5000, 0);
  work.imbalance = 1.2;
  const Cost cost = price(work);
  CHECK_THAT(cost.compute, WithinRel(5.0, kExact));
  CHECK_THAT(cost.imbalance, WithinRel(1.0, kExact));
  Coefficients skewed = smooth();
  skewed.expert_skew = 3;
  CHECK_THAT(price(work, skewed).imbalance, WithinRel(3.0, kExact));
  Work bytes = gemm(0, 500);
  bytes.imbalance_bytes = 1.2;
  bytes.activation_bytes = Bytes(100);  // not weights: the same on every rank
  CHECK_THAT(price(bytes).memory, WithinRel(6.0, kExact));
  CHECK_THAT(price(bytes).imbalance, WithinRel(1.0, kExact));
}

TEST_CASE("the smooth maximum lies between the maximum and 2^(1/p) of it") {
  for (const int p : {0, 2, 4}) {
    for (const double a : {0.0, 1e-9, 0.3, 1.0, 7.0}) {
      for (const double b : {0.0, 1e-9, 0.3, 1.0, 7.0}) {
        const double most = p == 0 ? std::max(a, b) : std::max(a, b) * std::pow(2.0, 1.0 / p);
        CHECK(smooth_max(a, b, p) >= std::max(a, b) * (1 - kExact));
        CHECK(smooth_max(a, b, p) <= most * (1 + kExact));
        CHECK(smooth_max(a, b, p) == smooth_max(b, a, p));
      }
    }
  }
  CHECK_THAT(smooth_max(1, 1, 4), WithinRel(std::pow(2.0, 0.25), kExact));
}

TEST_CASE("shares of the smooth maximum are its logarithmic derivatives and sum to one") {
  constexpr double kStep = 1e-5;
  for (const int p : {2, 4}) {
    for (const double a : {0.5, 1.0, 3.0}) {
      const double b = 1.3;
      const double slope = (std::log(smooth_max(a * (1 + kStep), b, p)) -
                            std::log(smooth_max(a * (1 - kStep), b, p))) /
                           (std::log1p(kStep) - std::log1p(-kStep));
      CHECK_THAT(smooth_share(a, b, p), WithinAbs(slope, 1e-8));
      CHECK_THAT(smooth_share(a, b, p) + smooth_share(b, a, p), WithinRel(1.0, kExact));
    }
  }
  CHECK(smooth_share(2, 1, 0) == 1);
  CHECK(smooth_share(1, 2, 0) == 0);
  CHECK(smooth_share(0, 0, 2) == 0);
  CHECK(smooth_share(0, 0, 4) == 0);
}

TEST_CASE("a collective is no kernel: only link time") {
  SystemSpec system = machine();
  system.link.bandwidth = BytesPerSecond(10);
  system.link.ring = {.offered = true, .latency = Seconds(1), .efficiency = 1};
  Work work;
  work.collective = Collective::AllReduce;
  work.ranks = 2;
  work.message = Bytes(100);
  const Cost cost = price(work, smooth(), system);
  CHECK_THAT(cost.link_latency, WithinRel(2.0, kExact));
  CHECK_THAT(cost.link_bandwidth, WithinRel(10.0, kExact));
  CHECK_THAT(cost.wire_bytes, WithinRel(100.0, kExact));
  CHECK_THAT(cost.total(), WithinRel(12.0, kExact));
}

}  // namespace
}  // namespace fathom::hardware
