#include "hardware/base/foreign_words.h"

#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("words of other tools are known where ours is among the keys") {
  CHECK(our_word("hidden_size", Names{"hidden", "vocabulary"}) == "hidden");
  CHECK(our_word("hidden_size", Names{"vocabulary"}).empty());
  CHECK(our_word("hidden", Names{"hidden"}).empty());
  CHECK(did_you_mean_word("bfloat16", Names{"bf16", "fp16"}) == "did you mean 'bf16'?");
}

TEST_CASE("other words are matched by their letters") {
  CHECK(did_you_mean_word("bandwith", Names{"latency", "bandwidth"}) ==
        "did you mean 'bandwidth'?");
  CHECK(did_you_mean_word("flavour", Names{"latency", "bandwidth"}).empty());
}

TEST_CASE("k and M have two meanings, B and T one") {
  CHECK(plain_number_help("4k") == "write 4096 or 4000");
  CHECK(plain_number_help("32 K") == "write 32768 or 32000");
  CHECK(plain_number_help("1M") == "write 1048576 or 1000000");
  CHECK(plain_number_help("7.6B") == "write 7.6e9");
  CHECK(plain_number_help("1.04T") == "write 1.04e12");
}

TEST_CASE("a thousand that is no whole number of 1024 is written with its exponent") {
  CHECK(plain_number_help("7.61M") == "write 7.61e6");
}

TEST_CASE("separators are left out") {
  CHECK(plain_number_help("1,024") == "write 1024");
  CHECK(plain_number_help("1_000_000") == "write 1000000");
}

TEST_CASE("nothing is said of other texts") {
  for (const char* text : {"", "many", "8", "k", "4kB", "1,024 B", "80 %"}) {
    CHECK(plain_number_help(text).empty());
  }
}

}  // namespace
}  // namespace fathom::hardware
