// Whatever stands in a file, a reader reads it or refuses it by name.

#include "tests/support/config_kinds.h"

#include <array>

namespace fathom {
namespace {

using hardware::SpecNode;

constexpr std::array<const char*, 5> kKinds{"models", "accelerators", "systems", "kernels",
                                            "engines"};

/// Adds a key to each map of the tree in turn and counts those where it went unnoticed.
void add_everywhere(const std::string& kind, SpecNode& root, SpecNode& node, int& noticed,
                    std::vector<std::string>& unnoticed, const std::string& path) {
  if (node.kind == SpecNode::Kind::Map) {
    node.entries.push_back({"zzz", {}, test::scalar("1")});
    if (test::read_as(kind, root).find("'zzz'") == std::string::npos) {
      unnoticed.push_back(path);
    } else {
      ++noticed;
    }
    node.entries.pop_back();
  }
  for (auto& entry : node.entries) {
    add_everywhere(kind, root, entry.value, noticed, unnoticed, path + "." + entry.key);
  }
  for (SpecNode& item : node.items) {
    add_everywhere(kind, root, item, noticed, unnoticed, path);
  }
}

TEST_CASE("a key that nobody reads is an error in every map of every file") {
  for (const char* kind : kKinds) {
    for (SpecNode& root : test::samples(kind)) {
      int noticed = 0;
      std::vector<std::string> unnoticed;
      const std::string name =
          root.entries.front().value.text;  // the entries move while keys are added
      add_everywhere(kind, root, root, noticed, unnoticed, name);
      CHECK(noticed > 0);
      CHECK_THAT(unnoticed, Catch::Matchers::Equals(std::vector<std::string>{}));
    }
  }
}

/// Replaces each value below a node by each of `values` in turn; every result is read or refused.
void replace_everywhere(const std::string& kind, SpecNode& root, SpecNode& node,
                        const std::vector<SpecNode>& values, int& refused) {
  const auto replace = [&](SpecNode& place) {
    const SpecNode kept = place;
    for (const SpecNode& value : values) {
      place = value;
      refused += test::read_as(kind, root).empty() ? 0 : 1;
    }
    place = kept;
    replace_everywhere(kind, root, place, values, refused);
  };
  for (auto& entry : node.entries) {
    replace(entry.value);
  }
  for (SpecNode& item : node.items) {
    replace(item);
  }
}

TEST_CASE("no value in any place brings a reader down") {
  std::vector<SpecNode> values;
  for (const char* text : {"", "x", "{}", "[]", "-1", "0", "1e19", "{low: 1, high: 2}",
                           "{value: {}}", "[{}]", "9223372036854775807"}) {
    values.push_back(*test::tree_of(std::string("a: ") + text + "\n").find("a"));
  }
  for (const char* kind : kKinds) {
    SpecNode root = test::samples(kind).front();
    int refused = 0;
    replace_everywhere(kind, root, root, values, refused);
    INFO(kind);
    CHECK(refused > 100);
  }
}

}  // namespace
}  // namespace fathom
