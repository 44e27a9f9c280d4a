#include "hardware/base/quantity.h"

#include "tests/support/catch.h"

#include <type_traits>

namespace fathom::hardware {
namespace {

TEST_CASE("a ratio of quantities has the dimension of the ratio") {
  const auto time = Bytes(3000) / BytesPerSecond(1000);
  static_assert(std::is_same_v<decltype(time), const Seconds>);
  CHECK(time.base() == 3);
}

TEST_CASE("a product of quantities has the dimension of the product") {
  const auto energy = Watts(600) * Seconds(2);
  static_assert(std::is_same_v<decltype(energy), const Joules>);
  CHECK(energy.base() == 1200);
}

TEST_CASE("where dimensions cancel a plain number is left") {
  static_assert(std::is_same_v<decltype(Bytes(1) / Bytes(1)), double>);
  static_assert(std::is_same_v<decltype(Hertz(1) * Seconds(1)), double>);
  CHECK(Bytes(6) / Bytes(4) == 1.5);
}

TEST_CASE("quantities of one dimension add, scale and compare") {
  Bytes sum = Bytes(1) + Bytes(2);
  sum += Bytes(3);
  sum -= Bytes(1);
  sum *= 2;
  CHECK(sum == Bytes(10));
  CHECK(-sum < Bytes(0));
  CHECK(2 * sum / 4 == Bytes(5));
}

TEST_CASE("a quantity is as large as a double") {
  static_assert(sizeof(Bytes) == sizeof(double));
  static_assert(std::is_trivially_copyable_v<Bytes>);
  static_assert(!std::is_convertible_v<double, Bytes>);
}

}  // namespace
}  // namespace fathom::hardware
