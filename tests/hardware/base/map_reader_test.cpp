#include "hardware/base/map_reader.h"

#include "hardware/base/spec_reader.h"
#include "tests/support/catch.h"

#include <functional>

namespace fathom::hardware {
namespace {

constexpr Dim kBytes{.byte = 1};
constexpr Dim kBytesPerSecond{.byte = 1, .second = -1};
constexpr Dim kSeconds{.second = 1};

/// Runs `body` over the map that `text` is and returns what was reported.
std::string reading(std::string_view text, const std::function<void(MapReader&)>& body,
                    IntervalEnd end = IntervalEnd::Point) {
  Diagnostics diagnostics;
  const auto root = read_spec_text(text, "a.yaml", diagnostics);
  REQUIRE(root);
  MapReader reader(*root, "memory", diagnostics, end);
  body(reader);
  return render(diagnostics);
}

TEST_CASE("a number with its unit is read") {
  CHECK(reading("capacity: 96 GiB\n", [](MapReader& reader) {
          CHECK(reader.required<kBytes>("capacity") == Bytes(96.0 * 1073741824));
          CHECK_FALSE(reader.optional<kBytes>("reserve"));
          CHECK_FALSE(reader.saw_interval());
        }).empty());
}

TEST_CASE("a number may stand as a value with its source") {
  CHECK(
      reading("capacity: {value: 2 kB, source: data sheet, note: nominal}\n",
              [](MapReader& reader) { CHECK(reader.required<kBytes>("capacity") == Bytes(2000)); })
          .empty());
}

TEST_CASE("the point of an interval is the geometric mean") {
  reading("b: {low: 4 GB/s, high: 9 GB/s}\n", [](MapReader& reader) {
    const auto rate = reader.required<kBytesPerSecond>("b");
    REQUIRE(rate);
    CHECK_THAT(rate->base(), WithinRel(6e9, 1e-12));
    CHECK(reader.saw_interval());
  });
}

TEST_CASE("the slow end is the low bandwidth and the high latency") {
  const char* text = "b: {low: 4 B/s, high: 9 B/s}\nl: {low: 1 s, high: 2 s}\n";
  reading(
      text,
      [](MapReader& reader) {
        CHECK(reader.required<kBytesPerSecond>("b") == BytesPerSecond(4));
        CHECK(reader.required<kSeconds>("l", Better::Lower) == Seconds(2));
      },
      IntervalEnd::Slow);
  reading(
      text,
      [](MapReader& reader) {
        CHECK(reader.optional<kBytesPerSecond>("b") == BytesPerSecond(9));
        CHECK(reader.optional<kSeconds>("l", Better::Lower) == Seconds(1));
      },
      IntervalEnd::Fast);
}

TEST_CASE("an interval needs both ends, in order, and no value") {
  const auto read = [](MapReader& reader) { CHECK_FALSE(reader.required<kSeconds>("l")); };
  CHECK(reading("l: {low: 2 s}\n", read) ==
        "a.yaml:1:4: error: missing key 'high' in 'l'\n"
        "    1 | l: {low: 2 s}\n"
        "      |    ^\n"
        "       help: for example 'high: 5 us'\n");
  CHECK_THAT(reading("l: {low: 2 s, high: 1 s}\n", read),
             ContainsSubstring("a.yaml:1:10: error: 'low' is above 'high'"));
  CHECK_THAT(reading("l: {low: 2 s, high: 3 s, value: 2 s}\n", read),
             ContainsSubstring("'l' has a value and an interval"));
  CHECK_THAT(reading("l: {source: x}\n", read), ContainsSubstring("missing key 'value' in 'l'"));
  CHECK_THAT(reading("l: {valu: 2 s}\n", read), ContainsSubstring("unknown key 'valu' in 'l'") &&
                                                    ContainsSubstring("did you mean 'value'?"));
}

TEST_CASE("a missing key is reported at the map with an example") {
  CHECK(reading("capacity: 96 GiB\n",
                [](MapReader& reader) {
                  CHECK_FALSE(reader.required<kBytesPerSecond>("bandwidth"));
                }) ==
        "a.yaml:1:1: error: missing key 'bandwidth' in 'memory'\n"
        "    1 | capacity: 96 GiB\n"
        "      | ^\n"
        "       help: for example 'bandwidth: 1792 GB/s'\n");
}

TEST_CASE("a wrong number is reported at its value") {
  const auto read = [](MapReader& reader) { CHECK_FALSE(reader.required<kBytes>("capacity")); };
  CHECK(reading("capacity: 96\n", read) ==
        "a.yaml:1:11: error: '96' has no unit; bytes are wanted\n"
        "    1 | capacity: 96\n"
        "      |           ^\n"
        "       help: write '96 GiB' or '96 GB'\n");
  CHECK(reading("capacity: '96 GiB'\n", read) ==
        "a.yaml:1:11: error: 'capacity' is in quotes, so it is text; bytes are wanted\n"
        "    1 | capacity: '96 GiB'\n"
        "      |           ^\n"
        "       help: write 96 GiB without quotes\n");
  CHECK(reading("capacity: [96 GiB]\n", read) ==
        "a.yaml:1:11: error: 'capacity' is a list; bytes are wanted\n"
        "    1 | capacity: [96 GiB]\n"
        "      |           ^\n"
        "       help: for example 'capacity: 96 GiB'\n");
  CHECK(reading("capacity:\n", read) ==
        "a.yaml:1:1: error: 'capacity' has no value\n"
        "    1 | capacity:\n"
        "      | ^\n"
        "       help: for example 'capacity: 96 GiB'\n");
  CHECK_THAT(reading("capacity: null\n", read), ContainsSubstring("'capacity' is null"));
}

TEST_CASE("a null that is written out is an absent optional value") {
  CHECK(reading("a: null\nb: ~\n", [](MapReader& reader) {
          CHECK_FALSE(reader.has("a"));
          CHECK_FALSE(reader.optional_count("b", 0, 9));
          CHECK(reader.optional_node("a") == nullptr);
        }).empty());
  CHECK_THAT(reading("a:\n", [](MapReader& reader) { reader.optional_text("a"); }),
             ContainsSubstring("'a' has no value"));
}

TEST_CASE("a count is a whole number within its range") {
  CHECK(reading("layers: 78\nwide: 744e9\n", [](MapReader& reader) {
          CHECK(reader.required_count("layers", 1, 100) == 78);
          CHECK(reader.optional_count("wide", 1, 1000000000000) == 744000000000);
        }).empty());
  const auto read = [](MapReader& reader) { CHECK_FALSE(reader.required_count("layers", 1, 100)); };
  CHECK_THAT(reading("layers: 0\n", read), ContainsSubstring("'layers' is 0, outside 1 to 100"));
  CHECK_THAT(reading("layers: 2.5\n", read), ContainsSubstring("'2.5' is not a whole number"));
  CHECK_THAT(reading("layers: '8'\n", read), ContainsSubstring("write 8 without quotes"));
  CHECK_THAT(reading("a: 1\n", read), ContainsSubstring("help: for example 'layers: 8'"));
}

TEST_CASE("a dimensionless number is within its range") {
  CHECK(reading("share: 0.25\n", [](MapReader& reader) {
          CHECK(reader.required_number("share", 0, 1) == 0.25);
          CHECK_FALSE(reader.optional_number("other", 0, 1));
        }).empty());
  const auto read = [](MapReader& reader) { CHECK_FALSE(reader.required_number("share", 0, 1)); };
  CHECK_THAT(reading("share: 1.5\n", read), ContainsSubstring("'share' is 1.5, outside 0 to 1"));
  CHECK_THAT(reading("share: 25 %\n", read), ContainsSubstring("help: write 0.25"));
  CHECK_THAT(reading("share: {low: 0.5, high: 2}\n", read),
             ContainsSubstring("'share' is 2, outside 0 to 1"));
}

TEST_CASE("true and false are the truth values") {
  CHECK(reading("a: true\nb: false\n", [](MapReader& reader) {
          CHECK(reader.required_bool("a") == true);
          CHECK(reader.optional_bool("b") == false);
          CHECK_FALSE(reader.optional_bool("c"));
        }).empty());
  const auto read = [](MapReader& reader) { CHECK_FALSE(reader.required_bool("a")); };
  CHECK(reading("a: yes\n", read) ==
        "a.yaml:1:4: error: 'a' is 'yes'; true or false is wanted\n"
        "    1 | a: yes\n"
        "      |    ^\n"
        "       help: write true\n");
  CHECK_THAT(reading("a: Off\n", read), ContainsSubstring("help: write false"));
  CHECK_THAT(reading("a: 'true'\n", read), ContainsSubstring("'a' is 'true' in quotes"));
}

TEST_CASE("words are texts, choices and formats") {
  CHECK(reading("name: 12\nkind: ring\nweights: nvfp4\n", [](MapReader& reader) {
          CHECK(reader.required_text("name") == "12");
          CHECK(reader.required_choice("kind", {"tree", "ring"}) == std::size_t{1});
          CHECK(reader.optional_format("weights") == Format::Nvfp4);
          CHECK_FALSE(reader.optional_choice("other", {"a"}));
        }).empty());
  CHECK_THAT(reading("kind: rings\n",
                     [](MapReader& reader) {
                       reader.required_choice("kind", {"tree", "ring"});
                     }),
             ContainsSubstring("error: 'rings' is no value of 'kind'") &&
                 ContainsSubstring("help: did you mean 'ring'?"));
  CHECK_THAT(reading("kind: star\n",
                     [](MapReader& reader) {
                       reader.required_choice("kind", {"tree", "ring"});
                     }),
             ContainsSubstring("help: one of tree, ring"));
  CHECK_THAT(reading("w: Q4_K_M\n", [](MapReader& reader) { reader.optional_format("w"); }),
             ContainsSubstring("'Q4_K_M' is a mixture of GGUF types, not a number format"));
  CHECK_THAT(reading("w: nvpf4\n", [](MapReader& reader) { reader.optional_format("w"); }),
             ContainsSubstring("unknown number format 'nvpf4'") &&
                 ContainsSubstring("did you mean 'nvfp4'?"));
  CHECK_THAT(reading("name: [a]\n", [](MapReader& reader) { reader.required_text("name"); }),
             ContainsSubstring("'name' is a list; text is wanted"));
}

TEST_CASE("keys that nobody asked for are errors, source and note are not") {
  CHECK(reading("bandwith: 1 GB/s\nsource: x\nnote: y\n",
                [](MapReader& reader) {
                  CHECK_FALSE(reader.optional<kBytesPerSecond>("bandwidth"));
                  reader.finish();
                }) ==
        "a.yaml:1:1: error: unknown key 'bandwith' in 'memory'\n"
        "    1 | bandwith: 1 GB/s\n"
        "      | ^\n"
        "       help: did you mean 'bandwidth'?\n");
}

TEST_CASE("what is no map is reported once") {
  Diagnostics diagnostics;
  const auto root = read_spec_text("[1, 2]\n", "a.yaml", diagnostics);
  REQUIRE(root);
  MapReader reader(*root, "memory", diagnostics);
  CHECK_FALSE(reader.valid());
  CHECK_FALSE(reader.has("a"));
  CHECK_FALSE(reader.required<kBytes>("a"));
  CHECK(reader.required_node("b") == nullptr);
  reader.finish();
  CHECK(render(diagnostics) ==
        "a.yaml:1:1: error: 'memory' is a list; a map is wanted\n"
        "    1 | [1, 2]\n"
        "      | ^\n");
}

TEST_CASE("asked keys are listed once, in order") {
  reading("a: 1\n", [](MapReader& reader) {
    CHECK(reader.has("a"));
    reader.optional_count("a", 0, 9);
    reader.optional_node("b");
    CHECK(reader.asked() == std::vector<std::string>{"a", "b"});
  });
}

TEST_CASE("an error may be put at a key's value") {
  CHECK(reading("a: 1\nb: 2\n", [](MapReader& reader) { reader.error("b", "no", "yes"); }) ==
        "a.yaml:2:4: error: no\n"
        "    2 | b: 2\n"
        "      |    ^\n"
        "       help: yes\n");
}

}  // namespace
}  // namespace fathom::hardware
