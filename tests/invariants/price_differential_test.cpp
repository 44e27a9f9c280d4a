// price against a naive second version, written from docs/physics.md sections 4 and 5 with pow
// and without anything worked out beforehand.

#include "hardware/cost/price.h"
#include "tests/support/specs.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom::hardware {
namespace {

struct Naive {
  const SystemSpec& system;
  const Coefficients& c;
  bool own_kernels = false;

  [[nodiscard]] double join(double a, double b) const {
    const double p = c.smooth_exponent;
    return p == 0 ? std::max(a, b) : std::pow(std::pow(a, p) + std::pow(b, p), 1 / p);
  }

  [[nodiscard]] double kernel(const Work& w) const {
    const auto& family = c.family.at(static_cast<std::size_t>(w.kernel_class));
    const auto format = static_cast<std::size_t>(w.format);
    const double peak =
        system.accelerator.dense_peak.at(static_cast<std::size_t>(w.arithmetic)).base();
    const auto tile = static_cast<double>(family.tile_rows);
    const double padding = w.rows > 0 ? tile * std::ceil(w.rows / tile) / w.rows : 1;
    double compute = w.flop.base() * padding / (peak * family.compute_efficiency.at(format));
    compute /= w.causal ? c.causal_efficiency : 1;
    const double bandwidth =
        system.accelerator.bandwidth.base() * family.memory_efficiency.at(format);
    const double all = w.activation_bytes.base();
    const double kept = std::min(all, c.l2_share * system.accelerator.l2.base() * w.kernels);
    const double l2 = c.l2_speedup > 0 ? kept / (bandwidth * c.l2_speedup) : 0;
    const double weights = w.weight_bytes.base() / bandwidth;
    const double rest = (w.cache_bytes.base() + all - kept) / bandwidth + l2;
    const double full = join(compute * (1 + c.expert_skew * (w.imbalance - 1)),
                             weights * (1 + c.expert_skew * (w.imbalance_bytes - 1)) + rest);
    return full + w.kernels * family.fixed.base();
  }

  [[nodiscard]] double rate(const Transport& t) const {
    return system.link.bandwidth.base() * t.efficiency;
  }

  [[nodiscard]] double collective(const Work& w) const {
    const double n = w.ranks;
    const double s = w.message.base();
    if (n == 1 || s == 0) {
      return 0;
    }
    const LinkSpec& link = system.link;
    std::vector<double> ways;
    const auto way = [&](const Transport& t, double hops, double bytes, bool allowed) {
      if (t.offered && allowed && w.ranks >= t.min_ranks) {
        ways.push_back(hops * t.latency.base() + bytes / rate(t));
      }
    };
    if (w.collective == Collective::AllReduce) {
      way(link.ring, 2 * (n - 1), 2 * s * (n - 1) / n, true);
      way(link.one_shot, 1, (n - 1) * s, own_kernels);
      way(link.two_shot, 2, 2 * s * (n - 1) / n, own_kernels);
      way(link.in_switch, 1, s + s / n, own_kernels);
    } else if (w.collective == Collective::AllGather) {
      way(link.ring, n - 1, s * (n - 1) / n, true);
      way(link.two_shot, 1, s * (n - 1) / n, own_kernels);
    } else if (w.collective == Collective::Exchange) {
      way(link.ring, 2 * (n - 1), 2 * s * (n - 1) / n, true);
      way(link.two_shot, 2, 2 * s * (n - 1) / n, own_kernels);
      way(link.all_to_all, 2 * (n - 1), w.message_direct.base(), true);
    }
    return *std::min_element(ways.begin(), ways.end());
  }
};

/// The same work as one of a few rows, of none and of many.
void add_rows(Work w, std::vector<Work>& out) {
  for (const double rows : {0.0, 1.0, 17.0, 4096.0}) {
    w.rows = rows;
    w.kernels = rows > 1 ? 3 : 1;
    w.causal = rows > 100;
    w.imbalance = rows == 17 ? 1.3 : 1;
    w.imbalance_bytes = rows == 17 ? 1.1 : 1;
    out.push_back(w);
  }
}

std::vector<Work> kernels(KernelClass kind, Format format) {
  std::vector<Work> out;
  Work w;
  w.kernel_class = kind;
  w.format = format;
  w.arithmetic = format == Format::Fp8Block ? Arithmetic::Fp8 : Arithmetic::Bf16;
  for (const double flop : {0.0, 1e6, 1e12}) {
    for (const double bytes : {0.0, 1e4, 1e9}) {
      for (const double activation : {0.0, 1e5, 3e8}) {
        w.flop = Flop(flop);
        w.weight_bytes = Bytes(bytes);
        w.cache_bytes = Bytes(bytes / 3);
        w.activation_bytes = Bytes(activation);
        add_rows(w, out);
      }
    }
  }
  return out;
}

void compare(const SystemSpec& system, const Coefficients& c) {
  const Pricer pricer = make_pricer(system, c, {});
  for (const KernelClass kind : {KernelClass::Gemm, KernelClass::GroupedGemm,
                                 KernelClass::Attention, KernelClass::Elementwise}) {
    for (const Format format : {Format::Bf16, Format::Fp8Block, Format::Int4G32}) {
      for (const Work& work : kernels(kind, format)) {
        CHECK_THAT(pricer.price(work).total(), WithinRel(Naive{system, c}.kernel(work), 1e-9));
      }
    }
  }
}

TEST_CASE("the price of a kernel is that of the naive version") {
  for (const char* id : {"h200-sxm", "h100-sxm"}) {
    Coefficients skewed = test::coefficients_config("hopper");
    skewed.expert_skew = 1.7;
    skewed.smooth_exponent = 2;
    for (const Coefficients& c :
         {test::coefficients_config("hopper"), skewed, Coefficients::bound()}) {
      compare(test::system_config(id, 8), c);
    }
  }
}

TEST_CASE("the price of a collective is that of the naive version") {
  for (const char* id : {"h200-sxm", "rtx-pro-6000-se", "rtx-pro-6000-se-no-p2p"}) {
    const SystemSpec system = test::system_config(id, 8);
    const Coefficients c = test::coefficients_config("hopper");
    for (const bool own : {false, true}) {
      const RoutePolicy policy{.nvlink = own, .peer_to_peer = own};
      const Pricer pricer = make_pricer(system, c, policy);
      const Naive naive{system, c, own && system.link.peer_to_peer};
      for (const Collective kind :
           {Collective::AllReduce, Collective::AllGather, Collective::Exchange}) {
        for (const int ranks : {1, 2, 3, 4, 5, 8}) {
          for (double bytes = 1; bytes < 1e10; bytes *= 7) {
            Work work;
            work.collective = kind;
            work.ranks = ranks;
            work.message = Bytes(bytes);
            work.message_direct = Bytes(bytes * 0.6);
            CHECK_THAT(pricer.price(work).total(), WithinRel(naive.collective(work), 1e-12));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace fathom::hardware
