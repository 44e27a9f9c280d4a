#include "model/llm/layer_order.h"

#include "tests/support/catch.h"

namespace fathom::model {
namespace {

using Order = std::vector<std::uint16_t>;

const std::vector<std::string>& names() {
  static const std::vector<std::string> all{"dense", "window", "full"};
  return all;
}

std::string error_of(const std::string& text) {
  std::string error;
  CHECK_FALSE(parse_order(text, names(), error));
  return error;
}

Order parsed(const std::string& text) {
  std::string error;
  const auto order = parse_order(text, names(), error);
  INFO(error);
  REQUIRE(order);
  return *order;
}

TEST_CASE("an order repeats names and bracketed patterns") {
  CHECK(parsed("dense full window") == Order{0, 2, 1});
  CHECK(parsed("2*dense  2*(window window full)") == Order{0, 0, 1, 1, 2, 1, 1, 2});
  CHECK(parsed("").empty());
}

TEST_CASE("an order is printed with its repeats, a bracket where a pattern has several names") {
  CHECK(print_order({0, 0, 0, 1, 2, 1, 2}, names()) == "3*dense 2*(window full)");
  CHECK(print_order({0, 2, 1}, names()) == "dense full window");
  CHECK(print_order({}, names()).empty());
}

TEST_CASE("what is printed reads back as it was") {
  // All orders of three kinds and up to six layers.
  for (std::size_t length = 0; length <= 6; ++length) {
    Order order(length, 0);
    for (bool more = true; more;) {
      CHECK(parsed(print_order(order, names())) == order);
      more = false;
      for (std::uint16_t& kind : order) {
        kind = static_cast<std::uint16_t>((kind + 1) % 3);
        if (kind != 0) {
          more = true;
          break;
        }
      }
    }
  }
}

TEST_CASE("an order that makes no sense says where") {
  CHECK(error_of("dense fool") == "'fool' names no layer kind");
  CHECK(error_of("0*dense") == "'0' is no count of layers");
  CHECK(error_of("99999999999999999999*dense") == "'99999999999999999999' is no count of layers");
  CHECK(error_of("2*(dense full") == "a bracket is not closed");
  CHECK(error_of("dense)") == "a layer kind's name is expected before ')'");
  CHECK(error_of("2*") == "a layer kind's name is expected at the end");
  CHECK(error_of("6000*(dense full)") == "more than 10000 layers");
}

}  // namespace
}  // namespace fathom::model
