#include "tests/fuzz/targets.h"
#include "tests/support/catch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fathom::test {
namespace {

std::vector<std::filesystem::path> inputs_of(const NamedFuzzTarget& target) {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path folder =
      std::filesystem::path("tests/data/fuzz") / std::string(target.name);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("every input that a fuzzer found, and every seed, is read without a fault") {
  for (const NamedFuzzTarget& target : kFuzzTargets) {
    const auto inputs = inputs_of(target);
    CHECK(!inputs.empty());
    for (const auto& path : inputs) {
      INFO(path.string());
      CHECK(target.run(bytes_of(path)).empty());
    }
  }
}

}  // namespace fathom::test
