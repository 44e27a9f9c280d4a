#include "hardware/base/spec_node.h"

#include "hardware/base/spec_reader.h"
#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

constexpr const char* kSpec =
    "link:\n"
    "  bandwidth: 80 GB/s\n"
    "  latency: {low: 2 us, high: 5 us, source: 2024 guess}\n"
    "  kind: pcie\n"
    "  lanes: '16'\n"
    "layers:\n"
    "  - count: 3\n"
    "  - count: 75\n";

SpecNode spec() {
  Diagnostics diagnostics;
  auto root = read_spec_text(kSpec, "a.yaml", diagnostics);
  REQUIRE(root);
  return *root;
}

/// The spec with one change.
SpecNode changed(const std::string& path, const std::string& value) {
  SpecNode root = spec();
  Diagnostics diagnostics;
  const bool done = apply_override(root, {path, value, path + "=" + value}, diagnostics);
  INFO(render(diagnostics));
  REQUIRE(done);
  return root;
}

std::string refused(const std::string& path, const std::string& value) {
  SpecNode root = spec();
  Diagnostics diagnostics;
  CHECK_FALSE(apply_override(root, {path, value, path + "=" + value}, diagnostics));
  return render(diagnostics);
}

TEST_CASE("an override replaces the value at its path") {
  const SpecNode root = changed("link.bandwidth", "100 GB/s");
  const SpecNode* value = root.find("link")->find("bandwidth");
  CHECK(value->text == "100 GB/s");
  CHECK(value->mark.file->name == "--set");
  CHECK(value->mark.file->lines.at(0) == "link.bandwidth=100 GB/s");
  CHECK(value->mark.line == 1);
  CHECK(value->mark.column == 1);
}

TEST_CASE("list items are named by their number") {
  const SpecNode root = changed("layers.1.count", "60");
  CHECK(root.find("layers")->items[0].find("count")->text == "3");
  CHECK(root.find("layers")->items[1].find("count")->text == "60");
}

TEST_CASE("missing keys are created on the way") {
  const SpecNode root = changed("a.b.c", "1");
  CHECK(root.find("a")->find("b")->find("c")->text == "1");
  CHECK(root.entries.back().key_mark.file->name == "--set");
}

TEST_CASE("a value may be a list, a map, quoted text or null") {
  CHECK(changed("link.levels", "[1, 2]").find("link")->find("levels")->items.size() == 2);
  const SpecNode root = changed("link.bandwidth", "{low: 1 GB/s, high: 2 GB/s}");
  CHECK(root.find("link")->find("bandwidth")->find("high")->text == "2 GB/s");
  CHECK(root.find("link")->find("bandwidth")->find("high")->mark.column == 1);
  CHECK(changed("link.kind", "'x2'").find("link")->find("kind")->quoted);
  CHECK(changed("link.kind", "null").find("link")->find("kind")->kind == SpecNode::Kind::Null);
}

TEST_CASE("a factor multiplies the number and keeps its unit") {
  CHECK(changed("link.bandwidth", "x2").find("link")->find("bandwidth")->text == "160 GB/s");
  CHECK(changed("layers.0.count", "x2").find("layers")->items[0].find("count")->text == "6");
}

TEST_CASE("a factor multiplies both ends of an interval, not its source") {
  const SpecNode root = changed("link.latency", "x0.5");
  const SpecNode* latency = root.find("link")->find("latency");
  CHECK(latency->find("low")->text == "1 us");
  CHECK(latency->find("high")->text == "2.5 us");
  CHECK(latency->find("source")->text == "2024 guess");
}

TEST_CASE("a factor multiplies all numbers below its path") {
  const SpecNode root = changed("layers", "x2");
  CHECK(root.find("layers")->items[0].find("count")->text == "6");
  CHECK(root.find("layers")->items[1].find("count")->text == "150");
}

TEST_CASE("a factor without a number is an error") {
  CHECK(refused("link.kind", "x2") ==
        "--set:1:1: error: there is no number at 'link.kind' to multiply\n"
        "    1 | link.kind=x2\n"
        "      | ^\n");
  CHECK(refused("link.lanes", "x2") ==
        "--set:1:1: error: there is no number at 'link.lanes' to multiply\n"
        "    1 | link.lanes=x2\n"
        "      | ^\n");
  CHECK(refused("link.bandwith", "x2") ==
        "--set:1:1: error: there is no 'link.bandwith' to multiply\n"
        "    1 | link.bandwith=x2\n"
        "      | ^\n"
        "       help: did you mean 'bandwidth'?\n");
}

TEST_CASE("a path that leads nowhere is an error") {
  CHECK(refused("layers.2.count", "1") ==
        "--set:1:1: error: no item '2' in the list 'layers'\n"
        "    1 | layers.2.count=1\n"
        "      | ^\n"
        "       help: items are numbered from 0 to 1\n");
  CHECK_THAT(refused("layers.x", "1"), ContainsSubstring("no item 'x' in the list 'layers'"));
  CHECK_THAT(refused("link.kind.x", "1"),
             ContainsSubstring("'link.kind' is a single value; there is no 'x' in it"));
}

TEST_CASE("a malformed override is an error") {
  for (const char* path : {"", ".", "a.", ".a", "a..b"}) {
    CHECK_THAT(refused(path, "1"), ContainsSubstring("is not a path of keys"));
  }
  CHECK_THAT(refused("link.bandwidth", ""), ContainsSubstring("no value for 'link.bandwidth'"));
  CHECK_THAT(refused("link.bandwidth", "[1"), ContainsSubstring("'[1' is not a value: not YAML"));
}

}  // namespace
TEST_CASE("one factor on numbers of several kinds is refused") {
  Diagnostics diagnostics;
  auto node = read_spec_text("host: {per_kernel: 5 us, overlap: 0.9}\n", "e.yaml", diagnostics);
  REQUIRE(node);
  CHECK_FALSE(apply_override(*node, {"host", "x0.5", "engine.host=x0.5"}, diagnostics));
  CHECK_THAT(render(diagnostics), ContainsSubstring("numbers of several kinds"));
  Diagnostics none;
  CHECK(apply_override(*node, {"host.per_kernel", "x0.5", "engine.host.per_kernel=x0.5"}, none));
  CHECK(node->find("host")->find("per_kernel")->text == "2.5 us");
}

}  // namespace fathom::hardware
