// configs/README.md has a row for each key of each kind of block, and for each role.

#include "model/llm/block_keys.h"
#include "model/llm/roles.h"
#include "tests/support/catch.h"
#include "tests/support/readme.h"

#include <map>
#include <optional>

namespace fathom {
namespace {

using test::role_keys;
using test::section;
using test::split;

/// Visits the keys of a block and keeps their names.
struct KeyNames {
  std::vector<std::string> names;

  template <class Value>
  void need(std::string_view key, Value& /*value*/) {
    names.emplace_back(key);
  }
  void may(std::string_view key, model::Count& /*value*/, model::Count /*absent*/) {
    names.emplace_back(key);
  }
  void may(std::string_view key, bool& /*value*/) { names.emplace_back(key); }
  void may_true(std::string_view key, bool& /*value*/) { names.emplace_back(key); }
  void none(std::string_view key, model::Count& /*value*/) { names.emplace_back(key); }
  template <class E, class Words>
  void choice(std::string_view key, E& /*value*/, const Words& /*words*/) {
    names.emplace_back(key);
  }
  template <class E, class Words>
  void may_choice(std::string_view key, E& /*value*/, const Words& /*words*/) {
    names.emplace_back(key);
  }
  template <class Block>
  void child(std::string_view key, std::optional<Block>& /*value*/) {
    names.emplace_back(key);
  }
};

/// The row of a key, empty where there is none.
std::string row_of(const std::string& key) {
  for (const std::string& line : split(section("models"), '\n')) {
    if (line.rfind("| `" + key + "` |", 0) == 0) {
      return line;
    }
  }
  return {};
}

/// Each key of each alternative has a row that names the kind.
template <class Variant, std::size_t I = 0, std::size_t N>
void check_rows(const std::string& prefix, const std::array<std::string_view, N>& kinds) {
  if constexpr (I < N) {
    std::variant_alternative_t<I, Variant> block;
    KeyNames keys;
    model::visit_keys(block, keys);
    for (const std::string& key : keys.names) {
      INFO(prefix << key << " of " << kinds.at(I));
      CHECK_THAT(row_of(prefix + key), ContainsSubstring(std::string(kinds.at(I))));
    }
    check_rows<Variant, I + 1>(prefix, kinds);
  }
}

TEST_CASE("every key of every kind of block has a row that names the kind") {
  check_rows<model::Attention>("attention.", model::kAttentionKinds);
  check_rows<model::Mlp>("layers.ffn.", model::kMlpKinds);
}

TEST_CASE("the table of roles has each role once, in its group") {
  std::map<std::string, std::string> groups;
  bool inside = false;
  for (const std::string& line : split(section("models"), '\n')) {
    inside = line.rfind("| role |", 0) == 0 || (inside && line.rfind('|', 0) == 0);
    const auto cells = split(line, '|');
    if (!inside || cells.size() < 3) {
      continue;
    }
    const auto words = split(cells.at(1), '`');
    for (std::size_t i = 1; i < words.size(); i += 2) {
      CHECK(!groups.contains(words.at(i)));
      groups[words.at(i)] = cells.at(2).substr(1, cells.at(2).size() - 2);
    }
  }
  for (const std::string& key : role_keys()) {
    const auto role = model::role_from_name(key);
    REQUIRE(role);
    INFO(key);
    CHECK(groups[key] == model::group_name(model::role_facts(*role).group));
  }
  CHECK(groups.size() == role_keys().size());
}

}  // namespace
}  // namespace fathom
