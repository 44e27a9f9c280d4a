#include "hardware/base/json_reader.h"

#include "tests/support/catch.h"

#include <clocale>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace fathom::hardware {
namespace {

SpecNode tree_of(std::string_view text) {
  Diagnostics diagnostics;
  auto root = read_json_text(text, "a.json", diagnostics);
  INFO(render(diagnostics));
  REQUIRE(root);
  return *root;
}

std::string faults_of(std::string_view text) {
  Diagnostics diagnostics;
  INFO(text.substr(0, 200));
  CHECK_FALSE(read_json_text(text, "a.json", diagnostics));
  CHECK(diagnostics.has_errors());
  return render(diagnostics);
}

std::string place_of(const Mark& mark) {
  return std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

/// A file that is gone when the test ends.
class File {
 public:
  explicit File(std::string_view text)
      : path_(std::filesystem::temp_directory_path() / "fathom_json_reader_test.json") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File(File&&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST_CASE("JSON keys and values know their places") {
  const SpecNode root = tree_of("{\n  \"a\": {\"b\" :\t4096},\n  \"c\": [1,\n \"x\", {}]\n}\n");
  REQUIRE(root.kind == SpecNode::Kind::Map);
  CHECK(place_of(root.mark) == "1:1");
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[0].key == "a");
  CHECK(place_of(root.entries[0].key_mark) == "2:3");
  const SpecNode* a = root.find("a");
  CHECK(place_of(a->mark) == "2:8");
  CHECK(a->mark.file->name == "a.json");
  CHECK(place_of(a->entries[0].key_mark) == "2:9");
  CHECK(place_of(a->find("b")->mark) == "2:15");
  const SpecNode* c = root.find("c");
  REQUIRE(c->items.size() == 3);
  CHECK(place_of(c->mark) == "3:8");
  CHECK(place_of(c->items[0].mark) == "3:9");
  CHECK(place_of(c->items[1].mark) == "4:2");
  CHECK(c->items[2].kind == SpecNode::Kind::Map);
  CHECK(place_of(c->items[2].mark) == "4:7");
}

TEST_CASE("numbers, truth values and null of JSON keep their source text") {
  const std::vector<std::string> texts{"1e-05",  "4096", "-0.0", "1E+2", "18446744073709551616",
                                       "0.1000", "true", "false"};
  for (const std::string& text : texts) {
    for (const std::string& document : {text, "[" + text + "]", "[ " + text + " ,0]"}) {
      const SpecNode root = tree_of(document);
      const SpecNode& value = root.kind == SpecNode::Kind::List ? root.items.at(0) : root;
      CHECK(value.kind == SpecNode::Kind::Scalar);
      CHECK(value.text == text);
      CHECK_FALSE(value.quoted);
    }
  }
  CHECK(tree_of("null").kind == SpecNode::Kind::Null);
  CHECK(tree_of("null").text == "null");
}

TEST_CASE("texts of JSON are unescaped and quoted") {
  const SpecNode root =
      tree_of(R"({"k\u0065y": "a\"b\\\n\u00e9\ud83d\ude00", "plain": "12", "e": ""})");
  CHECK(root.entries[0].key == "key");
  CHECK(root.find("key")->text == "a\"b\\\n\xC3\xA9\xF0\x9F\x98\x80");
  CHECK(root.find("key")->quoted);
  CHECK(root.find("plain")->text == "12");
  CHECK(root.find("plain")->quoted);
  CHECK(root.find("e")->text.empty());
  CHECK(root.find("e")->quoted);
}

TEST_CASE("places behind escapes and wide characters count bytes") {
  const SpecNode root = tree_of("[\"\\u00e9\", \"\xC3\xA9\", 7]");
  CHECK(place_of(root.items[1].mark) == "1:12");
  CHECK(place_of(root.items[2].mark) == "1:18");
}

TEST_CASE("bare NaN and Infinity are numbers, and places behind them stay right") {
  const SpecNode root = tree_of("[NaN,Infinity, -Infinity ,\n 1, {\"a\":NaN}]");
  REQUIRE(root.items.size() == 5);
  CHECK(root.items[0].text == "NaN");
  CHECK(root.items[1].text == "Infinity");
  CHECK(place_of(root.items[1].mark) == "1:6");
  CHECK(root.items[2].text == "-Infinity");
  CHECK(place_of(root.items[2].mark) == "1:16");
  CHECK_FALSE(root.items[2].quoted);
  CHECK(place_of(root.items[3].mark) == "2:2");
  CHECK(root.items[4].find("a")->text == "NaN");
}

TEST_CASE("NaN and Infinity in texts and keys stay as they are") {
  const SpecNode root = tree_of(R"({"NaN": "a \" NaN, -Infinity \\", "Infinity\"": Infinity})");
  CHECK(root.find("NaN")->text == "a \" NaN, -Infinity \\");
  CHECK(root.find("Infinity\"")->text == "Infinity");
}

TEST_CASE("words that merely hold NaN or Infinity are errors") {
  for (const char* text : {"[-NaN]", "[xNaN]", "[NaN1]", "[+Infinity]", "[Infinity.0]"}) {
    CHECK_THAT(faults_of(text), ContainsSubstring("a.json:1:"));
  }
  CHECK_THAT(faults_of("{NaN: 1}"), ContainsSubstring("a.json:1:2: error: not JSON: unexpected"));
}

TEST_CASE("a byte-order mark and CRLF are accepted in JSON") {
  const SpecNode root = tree_of("\xEF\xBB\xBF{\"a\": 1,\r\n\"b\": 2}\r\n");
  CHECK(place_of(root.entries[0].key_mark) == "1:2");
  CHECK(place_of(root.find("b")->mark) == "2:6");
}

TEST_CASE("a JSON document may be a single value") {
  CHECK(tree_of(" 12").text == "12");
  CHECK(tree_of("\"x\"\n").text == "x");
  CHECK(tree_of("[]").kind == SpecNode::Kind::List);
}

TEST_CASE("a key given twice in JSON is an error that shows the first") {
  CHECK(faults_of("{\"a\": 1,\n \"b\": 2,\n \"\\u0061\": 3}") ==
        "a.json:3:2: error: the key 'a' is given twice\n"
        "    3 |  \"\\u0061\": 3}\n"
        "      |  ^\n"
        "a.json:1:2: note: first given here\n");
  CHECK(tree_of(R"([{"a": 1}, {"a": {"a": 2}}])").items.size() == 2);
}

TEST_CASE("very many repeated keys are not all reported") {
  Diagnostics diagnostics;
  CHECK_FALSE(read_json_text("{" + repeated("\"a\":1,", 1000) + "\"b\":1}", "a", diagnostics));
  CHECK(diagnostics.all().size() == 100);
}

TEST_CASE("a comma before a closing bracket is an error") {
  CHECK(faults_of("{\"a\": 1,\n}") ==
        "a.json:2:1: error: not JSON: unexpected '}'; expected text in quotes\n"
        "    2 | }\n"
        "      | ^\n"
        "       help: take out the comma before it\n");
  CHECK_THAT(faults_of("[1, ]"),
             ContainsSubstring("1:5: error: not JSON: unexpected ']'; expected a value"));
}

TEST_CASE("a missing comma or colon is an error at what comes next") {
  CHECK(faults_of("{\"a\": 1\n \"b\": 2}") ==
        "a.json:2:2: error: not JSON: unexpected text in quotes; expected '}'\n"
        "    2 |  \"b\": 2}\n"
        "      |  ^\n"
        "       help: is a ',' or ':' missing before it?\n");
  CHECK_THAT(faults_of("{\"a\" 1}"), ContainsSubstring("a.json:1:6: error:"));
}

TEST_CASE("what Python and YAML write but JSON does not gets the fix") {
  CHECK(faults_of("{\"a\": None}") ==
        "a.json:1:7: error: not JSON: unexpected 'None'\n"
        "    1 | {\"a\": None}\n"
        "      |       ^\n"
        "       help: write null\n");
  CHECK_THAT(faults_of("[True]"), ContainsSubstring("help: write true"));
  CHECK_THAT(faults_of("[False]"), ContainsSubstring("help: write false"));
  CHECK_THAT(faults_of("[nan]"), ContainsSubstring("help: write NaN"));
  CHECK_THAT(faults_of("['a']"), ContainsSubstring("1:2: error: not JSON: unexpected '''"));
  CHECK_THAT(faults_of("['a']"), ContainsSubstring("help: text is written in double quotes"));
  CHECK_THAT(faults_of("[1] // x"), ContainsSubstring("1:5: error: text after the end"));
  CHECK_THAT(faults_of("[1, # x\n2]"), ContainsSubstring("JSON has no comments"));
  CHECK_THAT(faults_of("{a: 1}"), ContainsSubstring("help: text is written in quotes"));
  CHECK_THAT(faults_of("[010]"), ContainsSubstring("a number does not start with 0"));
  CHECK_THAT(faults_of("[1.]"), ContainsSubstring("1:4: error: not JSON: invalid number"));
  CHECK_THAT(faults_of("[1e999]"), ContainsSubstring("the number '1e999' is too large"));
}

TEST_CASE("a JSON text that ends too early is an error behind its last character") {
  CHECK(faults_of("{\"a\": [1,\n 2\n\n") ==
        "a.json:2:3: error: not JSON: the text ends too early\n"
        "    2 |  2\n"
        "      |   ^\n"
        "       help: was the file copied whole?\n");
  CHECK_THAT(faults_of("[-"), ContainsSubstring("1:3: error: not JSON: the text ends too early"));
}

TEST_CASE("a quote that is never closed is an error at the quote") {
  CHECK_THAT(faults_of("{\"a\": \"xyz"),
             ContainsSubstring("1:7: error: not JSON: a quote is never closed"));
  CHECK_THAT(faults_of("{\"a\": \"xyz\n}"),
             ContainsSubstring("is the closing quote missing on this line?"));
}

TEST_CASE("text after a JSON document is an error") {
  CHECK(faults_of("{\"a\": 1}\n{\"a\": 2}\n") ==
        "a.json:2:1: error: text after the end of the document\n"
        "    2 | {\"a\": 2}\n"
        "      | ^\n"
        "       help: a file holds one document; is it one document a line (JSON Lines)?\n");
  CHECK_THAT(faults_of("[1] x"), ContainsSubstring("1:5: error: text after the end"));
  CHECK_THAT(faults_of("1 }"), ContainsSubstring("1:3: error: text after the end"));
}

TEST_CASE("a NUL byte does not end a JSON document") {
  using std::string_literals::operator""s;
  CHECK_THAT(faults_of("{}\0{}"s), ContainsSubstring("1:3: error: a control character"));
  CHECK_THAT(faults_of("[1,\0 2]"s), ContainsSubstring("1:4: error: a control character"));
}

TEST_CASE("JSON that is not UTF-8 is an error at the byte") {
  CHECK_THAT(faults_of("[\"ab\xC3(\"]"), ContainsSubstring("1:5: error: not UTF-8 text"));
  CHECK_THAT(faults_of("[1, \xFF]"), ContainsSubstring("1:5: error: not UTF-8 text"));
  CHECK_THAT(faults_of("\xFF\xFE{"), ContainsSubstring("1:1: error: not UTF-8 text"));
  CHECK_THAT(faults_of("[\"\xED\xA0\x80\"]"), ContainsSubstring("not UTF-8 text"));
}

TEST_CASE("an empty JSON file is an error") {
  CHECK(faults_of("") == "a.json: error: empty file\n");
  CHECK(faults_of("\xEF\xBB\xBF \n") == "a.json: error: empty file\n");
}

TEST_CASE("JSON is nested at most 64 deep") {
  CHECK(tree_of(repeated("[", 64) + repeated("]", 64)).kind == SpecNode::Kind::List);
  CHECK(tree_of(repeated("{\"a\":", 63) + "{}" + repeated("}", 63)).entries.size() == 1);
  const std::string deep = repeated("[", 10000) + repeated("]", 10000);
  CHECK_THAT(faults_of(deep), ContainsSubstring("a.json:1:65: error: nested deeper than 64\n"));
  CHECK_THAT(faults_of(repeated("{\"a\":", 10000)), ContainsSubstring("nested deeper than 64"));
}

TEST_CASE("a JSON file larger than 64 MiB is an error") {
  const std::string text((std::size_t{64} << 20U) + 1, ' ');
  CHECK(faults_of(text) == "a.json: error: larger than 64 MiB\n");
}

TEST_CASE("a JSON text of too many values is an error") {
  std::string text = "[0";
  for (int i = 0; i < 4'000'000; ++i) {
    text += ",0";
  }
  CHECK_THAT(faults_of(text + "]"), ContainsSubstring("more than 4000000 keys and values"));
}

TEST_CASE("a JSON text cut at any place is an error and never a crash") {
  const std::string text =
      "{\"a\\u00e9\": [1.5e-3, -2, true, null, NaN, \"x\xC3\xA9\"], \"b\": {\"c\": false}}";
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK_THAT(faults_of(text.substr(0, size)), ContainsSubstring("error: "));
  }
  CHECK(tree_of(text).entries.size() == 2);
}

TEST_CASE("any byte in the middle of a JSON text is read or is an error with a place") {
  const std::string text = R"({"a": [10, "x"], "b": null})";
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      Diagnostics diagnostics;
      const bool read = read_json_text(changed, "a.json", diagnostics).has_value();
      CHECK(read != diagnostics.has_errors());
      CHECK((read || diagnostics.all()[0].mark.column > 0));
    }
  }
}

TEST_CASE("JSON files are read, and a missing one or a folder is an error") {
  const File file("{\"a\": 1}");
  Diagnostics diagnostics;
  const auto root = read_json_file(file.path(), diagnostics);
  REQUIRE(root);
  CHECK(root->find("a")->mark.file->name == file.path());
  CHECK_FALSE(read_json_file("no/such.json", diagnostics));
  CHECK_FALSE(read_json_file("configs", diagnostics));
  CHECK(render(diagnostics) ==
        "no/such.json: error: no such file\n"
        "configs: error: a directory; a file is wanted\n"
        "2 errors\n");
}

TEST_CASE("the locale plays no part in JSON numbers") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  // Where no locale with a decimal comma is installed, this runs in the plain one.
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) {
      break;
    }
  }
  CHECK(tree_of("[0.5]").items[0].text == "0.5");
  CHECK_THAT(faults_of("[0,5e]"), ContainsSubstring("invalid number"));
  std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("a scan gives the tokens of a document with depth and place") {
  std::string seen;
  Diagnostics diagnostics;
  const auto visit = [&](const JsonEvent& event) {
    seen += std::to_string(event.depth) + "@" + std::to_string(event.line) + ":" +
            std::to_string(event.column) + " " + std::string(event.text) + "|";
    return true;
  };
  CHECK(scan_json("{\"a\": [1, \"x\"],\n\"b\": {}}", "a.json", visit, diagnostics));
  CHECK(seen ==
        "0@1:1 {|1@1:2 a|1@1:7 [|2@1:8 1|2@1:11 x|1@1:14 ]|1@2:1 b|1@2:6 {|1@2:7 }|0@2:8 }|");
  CHECK(diagnostics.all().empty());
}

TEST_CASE("a scan stops where the visitor asks for it, without an error") {
  int visits = 0;
  Diagnostics diagnostics;
  const auto visit = [&](const JsonEvent&) { return ++visits < 3; };
  CHECK_FALSE(scan_json("[1, 2, 3, 4]", "a.json", visit, diagnostics));
  CHECK(visits == 3);
  CHECK(diagnostics.all().empty());
}

TEST_CASE("a scan refuses duplicate keys and reports what a visitor throws") {
  Diagnostics diagnostics;
  CHECK_FALSE(scan_json(R"({"a": 1, "a": 2})", "a.json", [](const JsonEvent&) { return true; },
                        diagnostics));
  CHECK_THAT(render(diagnostics), ContainsSubstring("1:10: error: the key 'a' is given twice"));
  Diagnostics thrown;
  const JsonVisit visit = [](const JsonEvent&) -> bool { throw std::runtime_error("no room"); };
  CHECK_FALSE(scan_json("[1]", "a.json", visit, thrown));
  CHECK(render(thrown) == "a.json: error: cannot be parsed: no room\n");
}

}  // namespace
}  // namespace fathom::hardware
