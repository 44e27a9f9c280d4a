#include "hardware/cost/coefficients.h"

#include "tests/support/specs.h"

namespace fathom::hardware {
namespace {

constexpr const char* kFamily =
    ": {fixed: 2 us, tile_rows: 16, memory_efficiency: {default: 0.8, nvfp4: 0.7}, "
    "compute_efficiency: {default: 0.6}}\n";

std::string whole() {
  std::string text =
      "kernels: test\nsmooth_exponent: 4\nclock_exponent: 0.5\nl2_speedup: 3\nl2_share: 0.5\n"
      "causal_efficiency: 0.9\nexpert_skew: 1.5\nterm_uncertainty: 1.2\n";
  for (const char* family : {"gemm", "grouped_gemm", "attention", "elementwise"}) {
    text += family + std::string(kFamily);
  }
  return text;
}

std::string errors_of(const std::string& text) {
  Diagnostics diagnostics;
  CHECK_FALSE(read_coefficients(test::tree_of(text), diagnostics));
  return render(diagnostics);
}

TEST_CASE("formats without an efficiency of their own take the default") {
  Diagnostics diagnostics;
  const auto c = read_coefficients(test::tree_of(whole()), diagnostics);
  REQUIRE(c);
  CHECK(c->name == "test");
  CHECK(c->smooth_exponent == 4);
  CHECK(c->l2_speedup == 3);
  CHECK(c->expert_skew == 1.5);
  for (const Coefficients::Family& family : c->family) {
    CHECK(family.fixed == Seconds(2e-6));
    CHECK(family.tile_rows == 16);
    CHECK(family.memory_efficiency[static_cast<std::size_t>(Format::Nvfp4)] == 0.7);
    CHECK(family.memory_efficiency[static_cast<std::size_t>(Format::Bf16)] == 0.8);
    CHECK(family.compute_efficiency[static_cast<std::size_t>(Format::Nvfp4)] == 0.6);
  }
}

TEST_CASE("a format that is not named takes the efficiency of the one that it is alike") {
  std::string text = whole();
  const std::string named = "{default: 0.8, nvfp4: 0.7}";
  for (auto at = text.find(named); at != std::string::npos; at = text.find(named)) {
    text.replace(at, named.size(),
                 "{default: 0.8, fp8-block: 0.5, int4-g128: 0.4, q8_0: 0.3, nvfp4: 0.7}");
  }
  Diagnostics diagnostics;
  const auto c = read_coefficients(test::tree_of(text), diagnostics);
  REQUIRE(c);
  const auto memory = [&](Format format) {
    return c->family[0].memory_efficiency[static_cast<std::size_t>(format)];
  };
  CHECK(memory(Format::Fp8BlockE8m0) == 0.5);
  CHECK(memory(Format::Nvfp4Weight) == 0.4);
  CHECK(memory(Format::Q4K) == 0.4);
  CHECK(memory(Format::Tq2_0) == 0.4);
  CHECK(memory(Format::Q8_0) == 0.3);  // named
  CHECK(memory(Format::Int4G32) == 0.8);
  CHECK(c->family[0].compute_efficiency[static_cast<std::size_t>(Format::Q4K)] == 0.6);
}

TEST_CASE("the bound has efficiencies of one, no fixed time and the plain maximum") {
  const Coefficients c = Coefficients::bound();
  CHECK(c.smooth_exponent == 0);
  CHECK(c.expert_skew == 1);
  for (const Coefficients::Family& family : c.family) {
    CHECK(family.fixed == Seconds(0));
    CHECK(family.tile_rows == 1);
    for (const double efficiency : family.memory_efficiency) {
      CHECK(efficiency == 1);
    }
    for (const double efficiency : family.compute_efficiency) {
      CHECK(efficiency == 1);
    }
  }
}

TEST_CASE("a kernel file without a family or with an exponent of 3 is refused") {
  const std::string text = whole();
  CHECK_THAT(errors_of(text.substr(0, text.find("elementwise"))),
             ContainsSubstring("missing key 'elementwise' in 'kernels'"));
  std::string three = text;
  three.replace(three.find("exponent: 4"), 11, "exponent: 3");
  CHECK_THAT(errors_of(three), ContainsSubstring("a.yaml:2:18: error:"));
  std::string wrong = text;
  wrong.replace(wrong.find("nvfp4"), 5, "nvfp5");
  CHECK_THAT(errors_of(wrong), ContainsSubstring("unknown key 'nvfp5' in 'memory_efficiency'") &&
                                   ContainsSubstring("did you mean 'nvfp4'?"));
}

}  // namespace
}  // namespace fathom::hardware
