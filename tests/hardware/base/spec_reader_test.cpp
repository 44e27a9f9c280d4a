#include "hardware/base/spec_reader.h"

#include "tests/support/catch.h"

namespace fathom::hardware {
namespace {

SpecNode tree_of(std::string_view text) {
  Diagnostics diagnostics;
  auto root = read_spec_text(text, "a.yaml", diagnostics);
  INFO(render(diagnostics));
  REQUIRE(root);
  return *root;
}

std::string faults_of(std::string_view text) {
  Diagnostics diagnostics;
  CHECK_FALSE(read_spec_text(text, "a.yaml", diagnostics));
  return render(diagnostics);
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

TEST_CASE("keys and values know their places") {
  const SpecNode root = tree_of("# card\nmemory:\n  capacity: 96 GiB\n  banks: [1, x]\n");
  REQUIRE(root.kind == SpecNode::Kind::Map);
  CHECK(root.entries[0].key_mark.line == 2);
  const SpecNode* memory = root.find("memory");
  REQUIRE(memory != nullptr);
  const SpecNode* capacity = memory->find("capacity");
  REQUIRE(capacity != nullptr);
  CHECK(capacity->text == "96 GiB");
  CHECK(capacity->mark.file->name == "a.yaml");
  CHECK(capacity->mark.line == 3);
  CHECK(capacity->mark.column == 13);
  CHECK(memory->entries[0].key_mark.column == 3);
  const SpecNode* banks = memory->find("banks");
  REQUIRE(banks != nullptr);
  REQUIRE(banks->items.size() == 2);
  CHECK(banks->items[1].text == "x");
  CHECK(memory->find("nothing") == nullptr);
}

TEST_CASE("scalars keep their text and whether they were quoted") {
  const SpecNode root = tree_of("a: 010\nb: '12'\nc: \"x\"\nd: yes\ne: |\n  text\n");
  CHECK(root.find("a")->text == "010");
  CHECK_FALSE(root.find("a")->quoted);
  CHECK(root.find("b")->quoted);
  CHECK(root.find("c")->quoted);
  CHECK(root.find("d")->text == "yes");
  CHECK(root.find("e")->text == "text\n");
}

TEST_CASE("a null that is written out is told from a missing value") {
  const SpecNode root = tree_of("a:\nb: ~\nc: null\nd: {e, f: }\n");
  CHECK(root.find("a")->kind == SpecNode::Kind::Null);
  CHECK(root.find("a")->text.empty());
  CHECK(root.find("a")->mark.line == 1);
  CHECK(root.find("b")->text == "~");
  CHECK(root.find("c")->text == "null");
  CHECK(root.find("d")->find("f")->text.empty());
}

TEST_CASE("JSON is read as the YAML that it is") {
  const SpecNode root = tree_of("{\"a\": [1, 2.5, \"x\"], \"b\": {\"c\": true}}\n");
  CHECK(root.find("a")->items.size() == 3);
  CHECK(root.find("b")->find("c")->text == "true");
}

TEST_CASE("a byte-order mark, CRLF and the marks of one document are accepted") {
  const SpecNode root = tree_of("\xEF\xBB\xBF---\r\na: 1\r\nb:\r\n  - 2\r\n...\r\n");
  CHECK(root.find("a")->text == "1");
  CHECK(root.find("b")->items[0].text == "2");
}

TEST_CASE("a duplicate key is an error at the second") {
  CHECK(faults_of("a: 1\nb: 2\na: 3\n") ==
        "a.yaml:3:1: error: the key 'a' is given twice\n"
        "    3 | a: 3\n"
        "      | ^\n"
        "a.yaml:1:1: note: first given here\n");
}

TEST_CASE("what is not YAML is an error at its place") {
  CHECK(faults_of("a: b: c\n") ==
        "a.yaml:1:5: error: not YAML: illegal map value\n"
        "    1 | a: b: c\n"
        "      |     ^\n"
        "       help: check the indentation, or a ':' missing on the line above; text that holds "
        "': ' "
        "is\n"
        "             written in quotes\n");
  CHECK(faults_of("a: [1, 2\nb: 3\n") ==
        "a.yaml:2:2: error: not YAML: end of sequence flow not found\n"
        "    2 | b: 3\n"
        "      |  ^\n");
  CHECK(faults_of("a: \"x\n") ==
        "a.yaml:1:6: error: a quote is never closed\n"
        "    1 | a: \"x\n"
        "      |      ^\n");
}

TEST_CASE("a second document is refused") {
  CHECK(faults_of("a: 1\n---\nb: 2\n") ==
        "a.yaml:2:1: error: a second document; a spec file holds one\n"
        "    2 | ---\n"
        "      | ^\n");
  CHECK_THAT(faults_of("{\"a\": 1} more\n"), ContainsSubstring("a second document"));
}

TEST_CASE("anchors, aliases, tags and merge keys are refused") {
  CHECK_THAT(faults_of("a: &x 1\n"), ContainsSubstring("a.yaml:1:4: error: anchors are not read"));
  CHECK_THAT(faults_of("a: &x 1\nb: *x\n"),
             ContainsSubstring("a.yaml:2:4: error: aliases are not read"));
  CHECK_THAT(faults_of("a: *x\n"), ContainsSubstring("a.yaml:1:4: error: aliases are not read"));
  CHECK_THAT(faults_of("a: !!str 1\n"), ContainsSubstring("a.yaml:1:4: error: tags are not read"));
  CHECK_THAT(faults_of("<<: {b: 1}\n"),
             ContainsSubstring("a.yaml:1:1: error: merge keys are not read"));
}

TEST_CASE("a key is a word") {
  CHECK_THAT(faults_of("? [a, b]\n: 1\n"), ContainsSubstring("a key is a word"));
  CHECK_THAT(faults_of(": 1\n"), ContainsSubstring("a value without a key"));
}

TEST_CASE("an empty file is an error") {
  for (const char* text : {"", "\n\n", "# only this\n", "---\n", "...\n"}) {
    CHECK(faults_of(text) == "a.yaml: error: empty file\n");
  }
}

TEST_CASE("tabs in the indentation are refused, others are not") {
  CHECK(faults_of("a:\n\tb: 1\n") ==
        "a.yaml:2:1: error: a tab in the indentation\n"
        "    2 |  b: 1\n"
        "      | ^\n"
        "       help: indent with spaces\n");
  CHECK(tree_of("a:\t1\t# one\n \t\n").find("a")->text == "1");
}

TEST_CASE("what is not text is refused") {
  CHECK_THAT(faults_of("a: \xFF\n"), ContainsSubstring("a.yaml:1:4: error: not UTF-8 text"));
  CHECK_THAT(faults_of(std::string_view("a: \0", 4)), ContainsSubstring("a control character"));
  CHECK_THAT(faults_of("a: 1\rb: 2\n"), ContainsSubstring("a control character"));
  CHECK(tree_of("a: \xC2\xB5\n").find("a")->text == "\xC2\xB5");
}

TEST_CASE("nesting deeper than 64 is refused") {
  std::string blocks;
  for (int i = 0; i < 65; ++i) {
    blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  }
  const std::string deep = "nested deeper than 64";
  CHECK_THAT(faults_of(blocks + std::string(65, ' ') + "1\n"), ContainsSubstring(deep));
  CHECK_THAT(faults_of(repeated("[", 65) + repeated("]", 65)), ContainsSubstring(deep));
  CHECK_THAT(faults_of(repeated("- ", 100) + "1"), ContainsSubstring(deep));
  CHECK_THAT(faults_of(repeated("[ \"]\",\n", 100)), ContainsSubstring(deep));
  CHECK(tree_of(repeated("[", 64) + repeated("]", 64)).kind == SpecNode::Kind::List);
}

TEST_CASE("a bomb of brackets is refused before it costs time") {
  CHECK_THAT(faults_of(std::string(std::size_t{4} << 20, '[')), ContainsSubstring("nested"));
  CHECK_THAT(faults_of(std::string((std::size_t{8} << 20) + 1, ' ')),
             ContainsSubstring("larger than 8 MiB"));
}

TEST_CASE("reading stops after a hundred faults") {
  Diagnostics diagnostics;
  CHECK_FALSE(read_spec_text(repeated("a: &x 1\n", 1000), "a.yaml", diagnostics));
  CHECK(diagnostics.all().size() == 100);
}

TEST_CASE("files that cannot be read are errors") {
  Diagnostics diagnostics;
  CHECK_FALSE(read_spec_file("no/such.yaml", diagnostics));
  CHECK_FALSE(read_spec_file("/", diagnostics));
  CHECK(render(diagnostics) ==
        "no/such.yaml: error: no such file\n"
        "/: error: a directory; a file is wanted\n"
        "2 errors\n");
}

}  // namespace
}  // namespace fathom::hardware
