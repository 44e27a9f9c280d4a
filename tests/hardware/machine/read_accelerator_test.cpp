#include "hardware/machine/read_system.h"
#include "tests/support/specs.h"

namespace fathom::hardware {
namespace {

constexpr const char* kCard =
    "accelerator: card\n"
    "architecture: hopper\n"
    "memory: {capacity: 100 GiB, reserved: 1 GiB, bandwidth: 2 TB/s}\n"
    "compute:\n"
    "  dense_peak: {bf16: 100 TFLOP/s}\n"
    "  tensor_clock: 1 GHz\n"
    "  max_clock: 2 GHz\n"
    "power: {tdp: 500 W}\n";

std::string errors_after(const std::string& from, const std::string& to) {
  std::string text = kCard;
  text.replace(text.find(from), from.size(), to);
  Diagnostics diagnostics;
  CHECK_FALSE(read_accelerator(test::tree_of(text), diagnostics));
  return render(diagnostics);
}

TEST_CASE("an accelerator of eight lines is whole") {
  Diagnostics diagnostics;
  const auto card = read_accelerator(test::tree_of(kCard), diagnostics);
  REQUIRE(card);
  CHECK(card->id == "card");
  CHECK(card->name == "card");
  CHECK(card->capacity == Bytes(100.0 * 1073741824));
  CHECK(card->bandwidth == BytesPerSecond(2e12));
  CHECK(card->dense_peak[static_cast<std::size_t>(Arithmetic::Bf16)] == FlopPerSecond(1e14));
  CHECK(card->dense_peak[static_cast<std::size_t>(Arithmetic::Fp8)] == FlopPerSecond(0));
  CHECK(card->power_limit_max == Watts(500));
  CHECK(card->memory_counter_full_scale == 1);
}

TEST_CASE("a bandwidth without a unit is refused") {
  CHECK_THAT(errors_after("2 TB/s", "2000"),
             ContainsSubstring("a.yaml:3:") && ContainsSubstring("bandwidth"));
}

TEST_CASE("an amount where a rate belongs is refused") {
  CHECK_THAT(errors_after("2 TB/s", "2 TB"), ContainsSubstring("a.yaml:3:"));
}

TEST_CASE("the 16-bit peak is needed, the others are not") {
  CHECK_THAT(errors_after("bf16: 100", "fp8: 100"),
             ContainsSubstring("missing key 'bf16' in 'dense_peak'"));
}

TEST_CASE("a peak of zero is no peak") {
  CHECK(errors_after("100 TFLOP/s", "0 FLOP/s") ==
        "a.yaml:5:22: error: a dense peak is above zero\n"
        "    5 |   dense_peak: {bf16: 0 FLOP/s}\n"
        "      |                      ^\n"
        "       help: leave the key out where the part lacks it\n");
}

TEST_CASE("a reserve as large as the memory is refused") {
  CHECK(errors_after("reserved: 1 GiB", "reserved: 100 GiB") ==
        "a.yaml:3:39: error: the reserve is as large as the capacity\n"
        "    3 | memory: {capacity: 100 GiB, reserved: 100 GiB, bandwidth: 2 TB/s}\n"
        "      |                                       ^\n");
}

TEST_CASE("no memory, bandwidth, clock or power is an error") {
  CHECK_THAT(errors_after("2 TB/s", "0 B/s"),
             ContainsSubstring("the memory bandwidth must be above zero"));
  CHECK_THAT(errors_after("tensor_clock: 1 GHz", "tensor_clock: 0 Hz"),
             ContainsSubstring("the tensor clock must be above zero"));
  CHECK_THAT(errors_after("max_clock: 2 GHz", "max_clock: 0 Hz"),
             ContainsSubstring("the maximum clock must be above zero"));
  CHECK_THAT(errors_after("500 W", "0 W"), ContainsSubstring("the TDP must be above zero"));
}

TEST_CASE("a misspelt section is named with its neighbour") {
  CHECK_THAT(errors_after("power:", "powr:"), ContainsSubstring("missing key 'power'") &&
                                                  ContainsSubstring("unknown key 'powr'") &&
                                                  ContainsSubstring("did you mean 'power'?"));
}

}  // namespace
}  // namespace fathom::hardware
