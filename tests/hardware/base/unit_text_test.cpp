#include "hardware/base/unit_text.h"

#include "tests/support/catch.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace fathom::hardware {
namespace {

constexpr Dim kBytes{.byte = 1};
constexpr Dim kBytesPerSecond{.byte = 1, .second = -1};
constexpr Dim kFlop{.flop = 1};
constexpr Dim kFlopPerSecond{.flop = 1, .second = -1};
constexpr Dim kSeconds{.second = 1};
constexpr Dim kHertz{.second = -1};
constexpr Dim kWatts{.second = -1, .joule = 1};
constexpr Dim kJoulesPerFlop{.flop = -1, .joule = 1};

double value(std::string_view text, Dim dim) {
  const ParsedNumber parsed = parse_quantity(text, dim);
  INFO(text << ": " << parsed.error.message);
  REQUIRE(parsed.base);
  return *parsed.base;
}

/// "message | help" of a text that is refused.
std::string refusal(std::string_view text, Dim dim) {
  const ParsedNumber parsed = parse_quantity(text, dim);
  return parsed.base
             ? "accepted"
             : parsed.error.message + (parsed.error.help.empty() ? "" : " | " + parsed.error.help);
}

TEST_CASE("GB is 1e9 bytes and GiB is 2^30 bytes") {
  CHECK(value("1 GB", kBytes) == 1e9);
  CHECK(value("1 GiB", kBytes) == 1073741824);
  CHECK(value("1 PB", kBytes) == 1e15);
  CHECK(value("1 PiB", kBytes) == 1125899906842624);
  CHECK(value("3 kB", kBytes) == 3000);
  CHECK(value("3 KiB", kBytes) == 3072);
  CHECK(value("3 B", kBytes) == 3);
}

TEST_CASE("each dimension has its units") {
  CHECK(value("1792 GB/s", kBytesPerSecond) == 1792e9);
  CHECK(value("2 GiB/s", kBytesPerSecond) == 2147483648);
  CHECK(value("1 EFLOP/s", kFlopPerSecond) == 1e18);
  CHECK(value("500 TFLOP/s", kFlopPerSecond) == 5e14);
  CHECK(value("7 GFLOP", kFlop) == 7e9);
  CHECK(value("3.4 us", kSeconds) == 3.4e-6);
  CHECK(value("3.4 \xC2\xB5s", kSeconds) == 3.4e-6);
  CHECK(value("20 ns", kSeconds) == 20e-9);
  CHECK(value("1.5 ms", kSeconds) == 1.5e-3);
  CHECK(value("2 s", kSeconds) == 2);
  CHECK(value("2.4 GHz", kHertz) == 2.4e9);
  CHECK(value("600 W", kWatts) == 600);
  CHECK(value("12 kW", kWatts) == 12e3);
  CHECK(value("1.14 pJ/FLOP", kJoulesPerFlop) == 1.14e-12);
  CHECK(value("60 pJ/B", {.byte = -1, .joule = 1}) == 60e-12);
  CHECK(value("3 nJ", {.joule = 1}) == 3e-9);
  CHECK(value("35 tok/s", {.second = -1, .token = 1}) == 35);
  CHECK(value("8192 tok", {.token = 1}) == 8192);
  CHECK(value("280 FLOP/B", {.byte = -1, .flop = 1}) == 280);
}

TEST_CASE("the blank before the unit is optional and blanks around are ignored") {
  CHECK(value("96GiB", kBytes) == value("  96   GiB ", kBytes));
  CHECK(value("1e3GB", kBytes) == 1e12);
}

TEST_CASE("a bare zero needs no unit") {
  CHECK(value("0", kSeconds) == 0);
  CHECK(value("0.0", kBytes) == 0);
}

TEST_CASE("a bare number is refused with the fix") {
  CHECK(refusal("96", kBytes) == "'96' has no unit; bytes are wanted | write '96 GiB' or '96 GB'");
  CHECK(refusal("1792", kBytesPerSecond) ==
        "'1792' has no unit; bytes per second are wanted | write '1792 GB/s'");
  CHECK(refusal("5", kSeconds) == "'5' has no unit; seconds are wanted | write '5 us' or '5 ms'");
}

TEST_CASE("a wrong dimension says which it is") {
  CHECK(refusal("1792 GB", kBytesPerSecond) ==
        "'1792 GB' is bytes; bytes per second are wanted | write '1792 GB/s'");
  CHECK(refusal("96 GiB/s", kBytes) ==
        "'96 GiB/s' is bytes per second; bytes are wanted | write '96 GiB'");
  CHECK(refusal("600 W", kSeconds) == "'600 W' is watts; seconds are wanted | for example '5 us'");
}

TEST_CASE("bits are refused with the bytes that they are") {
  CHECK(refusal("400 Gbps", kBytesPerSecond) ==
        "'400 Gbps' is bits per second; bytes per second are wanted | write '50 GB/s'");
  CHECK(refusal("400 Gb/s", kBytesPerSecond) ==
        "'400 Gb/s' is bits per second; bytes per second are wanted | write '50 GB/s'");
  CHECK(refusal("100 Gbit/s", kBytesPerSecond) ==
        "'100 Gbit/s' is bits per second; bytes per second are wanted | write '12.5 GB/s'");
  CHECK(refusal("96 Gb", kBytes) ==
        "'96 Gb' is bits; bytes are wanted | write '96 GB', or '12 GB' if bits are meant");
}

TEST_CASE("other spellings of a unit are refused with ours") {
  CHECK(refusal("96 gb", kBytes) ==
        "unknown unit 'gb' in '96 gb'; bytes are wanted | write '96 GB'");
  CHECK(refusal("1792 GBps", kBytesPerSecond) ==
        "unknown unit 'GBps' in '1792 GBps'; bytes per second are wanted | write '1792 GB/s'");
  CHECK(refusal("125 TFLOPS", kFlopPerSecond) ==
        "unknown unit 'TFLOPS' in '125 TFLOPS'; FLOP per second are wanted | "
        "write '125 TFLOP/s'");
  CHECK(refusal("125 TFLOPS", kFlop) ==
        "unknown unit 'TFLOPS' in '125 TFLOPS'; FLOP are wanted | write '125 TFLOP'");
  CHECK(refusal("1000 TOPS", kFlopPerSecond) ==
        "unknown unit 'TOPS' in '1000 TOPS'; FLOP per second are wanted | write '1000 TFLOP/s'");
  CHECK(refusal("2.4 Ghz", kHertz) ==
        "unknown unit 'Ghz' in '2.4 Ghz'; hertz are wanted | write '2.4 GHz'");
  CHECK(refusal("3 usec", kSeconds) ==
        "unknown unit 'usec' in '3 usec'; seconds are wanted | write '3 us'");
  CHECK(refusal("64 KB", kBytes) ==
        "unknown unit 'KB' in '64 KB'; bytes are wanted | write '64 kB'");
  CHECK(refusal("3 parsec", kBytes) ==
        "unknown unit 'parsec' in '3 parsec'; bytes are wanted | for example '96 GiB'");
}

TEST_CASE("what is no number is refused") {
  CHECK(refusal("fast", kBytes) ==
        "'fast' is not a number with a unit; bytes are wanted | for example '96 GiB'");
  CHECK(refusal("", kBytes) ==
        "'' is not a number with a unit; bytes are wanted | for example '96 GiB'");
  CHECK(refusal("1,792 GB/s", kBytesPerSecond) ==
        "'1,792 GB/s' is not a number with a unit; bytes per second are wanted | "
        "write the number without separators, with a decimal point");
  for (const char* text : {"inf GB", "nan GB", "0x10 GB", "010 GB", ".5 GB", "1.2.3 GB", "GB",
                           "+5 GB", "1e99999 GB", "1e400 GB", "9e307 PiB", "-3 GB", "-0 GB"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_quantity(text, kBytes).base);
  }
  CHECK(refusal("-3 GB", kBytes) == "'-3 GB' is negative");
  CHECK(refusal("1e400 GB", kBytes) == "'1e400 GB' is out of range");
}

TEST_CASE("without a dimension a plain number is read") {
  CHECK(value("0.79", {}) == 0.79);
  CHECK(value("-2", {}) == -2);
  CHECK(refusal("79 %", {}) == "'79 %' is not a plain number | write 0.79");
  CHECK(refusal("80 GB", {}) == "'80 GB' has a unit; a plain number is wanted | write 80");
  CHECK(refusal("many", {}) == "'many' is not a number");
}

TEST_CASE("parse gives the typed quantity") {
  CHECK(parse<kBytes>("2 kB") == Bytes(2000));
  CHECK_FALSE(parse<kBytes>("2 s"));
}

TEST_CASE("each dimension's example is read back") {
  for (const Dim dim :
       {kBytes, kBytesPerSecond, kFlop, kFlopPerSecond, kSeconds, kHertz, kWatts, kJoulesPerFlop,
        Dim{}, Dim{.joule = 1}, Dim{.token = 1}, Dim{.second = -1, .token = 1},
        Dim{.byte = -1, .flop = 1}, Dim{.byte = -1, .joule = 1}, Dim{.byte = 1, .token = -1},
        Dim{.flop = 1, .token = -1}, Dim{.joule = 1, .token = -1}}) {
    CAPTURE(dimension_name(dim));
    CHECK(parse_quantity(dimension_example(dim), dim).base);
  }
}

TEST_CASE("a printed quantity has the prefix that leaves few digits") {
  CHECK(print_quantity(1.597e12, kBytesPerSecond) == "1.597 TB/s");
  CHECK(print_quantity(3.4e-6, kSeconds) == "3.4 us");
  CHECK(print_quantity(600, kWatts) == "600 W");
  CHECK(print_quantity(2.4e9, kHertz) == "2.4 GHz");
  CHECK(print_quantity(1.14e-12, kJoulesPerFlop) == "1.14 pJ/FLOP");
  CHECK(print_quantity(0, kBytes) == "0 B");
  CHECK(print_quantity(103079215104, kBytes) == "103.079215104 GB");
  CHECK(print_quantity(5e-11, kSeconds) == "0.05 ns");
  CHECK(print_quantity(0.79, {}) == "0.79");
}

TEST_CASE("print then parse gives the same double") {
  const std::vector<Dim> dims{kBytes, kBytesPerSecond, kFlopPerSecond, kSeconds,
                              kHertz, kWatts,          kJoulesPerFlop};
  std::uint64_t state = 88172645463325252ULL;
  for (int i = 0; i < 2000; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    const double fraction = static_cast<double>(state >> 11U) * 0x1p-53;
    const double base = std::ldexp(0.5 + fraction, static_cast<int>(state % 121U) - 60);
    const Dim dim = dims[static_cast<std::size_t>(i) % dims.size()];
    const std::string text = print_quantity(base, dim);
    CAPTURE(text);
    REQUIRE(parse_quantity(text, dim).base == base);
  }
}

TEST_CASE("a scaled number keeps its unit") {
  CHECK(scale_number_text("80 GB/s", 2) == "160 GB/s");
  CHECK(scale_number_text("80GB/s", 0.5) == "40 GB/s");
  CHECK(scale_number_text("8", 3) == "24");
  CHECK_FALSE(scale_number_text("8 apples", 3));
  CHECK_FALSE(scale_number_text("fast", 3));
  CHECK_FALSE(scale_number_text("2024-01-01", 3));
}

TEST_CASE("a plain number has no sign but minus, no octal, no infinity") {
  CHECK(parse_number("744e9") == 744e9);
  CHECK(parse_number("-0.5") == -0.5);
  for (const char* text :
       {"", " 1", "1 ", "+1", "010", "0x1", "inf", "nan", "1.", ".1", "1e", "1_0"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_number(text));
  }
}

TEST_CASE("a count is exact over the whole of 64 bits") {
  CHECK(parse_count("256") == 256);
  CHECK(parse_count("744e9") == 744000000000);
  CHECK(parse_count("1.5e3") == 1500);
  CHECK(parse_count("100e-2") == 1);
  CHECK(parse_count("0e5") == 0);
  CHECK(parse_count("9007199254740993") == 9007199254740993);
  CHECK(parse_count("9.007199254740993e15") == 9007199254740993);
  CHECK(parse_count("9223372036854775807") == std::numeric_limits<Count>::max());
  for (const char* text : {"9223372036854775808", "1.5", "1e-1", "1e19", "1e9999", "", "12 "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_count(text));
  }
}

}  // namespace
}  // namespace fathom::hardware
