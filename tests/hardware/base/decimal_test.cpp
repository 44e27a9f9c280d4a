#include "hardware/base/decimal.h"

#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

std::string printed(double value) { return decimal_text(shortest_decimal(value)); }

TEST_CASE("a decimal prefix ends where the number ends") {
  CHECK(decimal_prefix("96 GiB").length == 2);
  CHECK(decimal_prefix("5EFLOP").length == 1);
  CHECK(decimal_prefix("5e3FLOP").length == 3);
  CHECK(decimal_prefix("-0.50x").length == 5);
}

TEST_CASE("a decimal keeps the digits as written") {
  const auto number = decimal_prefix("1.250e3").number;
  REQUIRE(number);
  CHECK(number->digits == "1250");
  CHECK(number->exponent == 0);
}

TEST_CASE("odd spellings are no decimal") {
  for (const char* text :
       {"", "+5", ".5", "5.", "010", "inf", "nan", "e5", "-", "0x10", "1e99999"}) {
    CAPTURE(text);
    const DecimalPrefix prefix = decimal_prefix(text);
    CHECK((!prefix.number || prefix.length != std::string_view(text).size()));
  }
}

TEST_CASE("overflow and underflow give no double") {
  CHECK_FALSE(to_double({false, "1", 400}));
  CHECK_FALSE(to_double({false, "1", -400}));
  CHECK(to_double({false, "0", 400}) == 0);
}

TEST_CASE("readable numbers are printed without an exponent") {
  CHECK(printed(0) == "0");
  CHECK(printed(-1.5) == "-1.5");
  CHECK(printed(744e9) == "744000000000");
  CHECK(printed(5e-5) == "0.00005");
  CHECK(printed(0.1) == "0.1");
  CHECK(printed(1e100) == "1e100");
  CHECK(printed(1.5e-30) == "15e-31");
}

}  // namespace
}  // namespace fathom::hardware
