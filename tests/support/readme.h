#pragma once

// Reading configs/README.md in tests.

#include "model/llm/roles.h"
#include "tests/support/catch.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fathom::test {

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The section `## kind` of the README.
inline std::string section(const std::string& kind) {
  const std::string all = text_of("configs/README.md");
  const auto begin = all.find("\n## " + kind + "\n");
  REQUIRE(begin != std::string::npos);
  return all.substr(begin, all.find("\n## ", begin + 1) - begin);
}

/// The roles that `formats` may name; where a group is one role, the group's own key is listed.
inline std::vector<std::string> role_keys() {
  std::vector<std::string> keys;
  for (int i = 0; i < model::kRoleCount; ++i) {
    const model::RoleFacts& facts = model::role_facts(static_cast<model::Role>(i));
    if (facts.name != model::group_name(facts.group)) {
      keys.emplace_back(facts.name);
    }
  }
  return keys;
}

}  // namespace fathom::test
