#include "hardware/base/utf8.h"

#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

TEST_CASE("a character has one to four bytes") {
  CHECK(utf8_length("a", 0) == 1);
  CHECK(utf8_length("\xC2\xB5", 0) == 2);
  CHECK(utf8_length("\xE2\x82\xAC", 0) == 3);
  CHECK(utf8_length("\xF0\x9F\x98\x80", 0) == 4);
}

TEST_CASE("bytes that are no character have no length") {
  for (const char* text : {"\x80", "\xC0\x80", "\xC2", "\xC2x", "\xE0\x80\x80", "\xED\xA0\x80",
                           "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "\xFF"}) {
    CHECK(utf8_length(text, 0) == 0);
  }
}

}  // namespace
}  // namespace fathom::hardware
