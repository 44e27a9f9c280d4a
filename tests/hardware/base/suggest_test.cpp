#include "hardware/base/suggest.h"

#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("an edit is a letter more, less, other, or two swapped") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("band", "bands") == 1);
  CHECK(edit_distance("band", "bend") == 1);
  CHECK(edit_distance("band", "bnad") == 1);
  CHECK(edit_distance("Band", "bAND") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("edit distance is the same both ways") {
  CHECK(edit_distance("latency", "latnecies") == edit_distance("latnecies", "latency"));
}

TEST_CASE("the nearest candidate is suggested") {
  CHECK(nearest("memory_chanels", Names{"memory", "memory_channels"}) == "memory_channels");
  CHECK(did_you_mean("bandwith", Names{"latency", "bandwidth"}) == "did you mean 'bandwidth'?");
}

TEST_CASE("of two equally near candidates the first is suggested") {
  CHECK(nearest("abcdeX", Names{"abcdeY", "abcdeZ"}) == "abcdeY");
}

TEST_CASE("nothing is suggested for a word that is nothing like the candidates") {
  CHECK(did_you_mean("flavour", Names{"latency", "bandwidth"}).empty());
  CHECK(nearest("xyz", Names{"abc"}).empty());
  CHECK(nearest("tp", Names{"pp", "ep"}).empty());
  CHECK(nearest("", Names{"a"}).empty());
  CHECK(nearest("word", Names{}).empty());
}

TEST_CASE("a name that contains the word comes before a similar one") {
  CHECK(nearest_names("v3", Names{"v4", "deepseek-v3", "v2"}, 2) == Names{"deepseek-v3", "v4"});
  CHECK(nearest_names("x", Names{"a"}, 5) == Names{"a"});
}

}  // namespace
}  // namespace fathom::hardware
