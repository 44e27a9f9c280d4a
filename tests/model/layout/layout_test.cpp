#include "model/layout/layout.h"

#include "model/layout/enumerate.h"
#include "tests/support/catch.h"
#include "tests/support/small_models.h"

namespace fathom::model {
namespace {

/// The canonical text of what was parsed, or the error.
std::string moe(std::string_view text) {
  const ParsedLayout parsed = parse_layout(text, true);
  return parsed.layout ? print_layout(*parsed.layout, true) : parsed.error;
}

std::string dense(std::string_view text) {
  const ParsedLayout parsed = parse_layout(text, false);
  return parsed.layout ? print_layout(*parsed.layout, false) : parsed.error;
}

TEST_CASE("short forms give tp and dp to attention and ep to experts") {
  CHECK(moe("tp8") == "attention=tp8,experts=tp8,pp=1");
  CHECK(moe("ep8") == "attention=tp8,experts=ep8,pp=1");
  CHECK(moe("dp8ep8") == "attention=dp8,experts=ep8,pp=1");
  CHECK(moe("tp4pp2") == "attention=tp4,experts=tp4,pp=2");
  CHECK(moe("tp2ep4dp4") == "attention=tp2dp4,experts=tp2ep4,pp=1");
  CHECK(moe("tp8ep8") == "attention=tp8,experts=ep8,pp=1");
  CHECK(moe("dp8") == "attention=dp8,experts=tp8,pp=1");
  CHECK(moe("tp1") == "attention=tp1,experts=tp1,pp=1");
  CHECK(moe("tp8dcp8") == "attention=tp8,experts=tp8,pp=1,dcp=8");
  CHECK(moe("tp2replicas4") == "attention=tp2,experts=tp2,pp=1,replicas=4");
  CHECK(dense("tp8") == "attention=tp8,pp=1");
  CHECK(dense("tp4pp2") == "attention=tp4,pp=2");
}

TEST_CASE("the long form takes its parts in any order and prints them in one") {
  const char* canonical = "attention=tp2dp4,experts=tp2ep4,pp=2,dcp=2,replicas=3";
  CHECK(moe(canonical) == canonical);
  CHECK(moe("replicas=3,dcp=2,pp=2,experts=ep4tp2,attention=dp4tp2") == canonical);
  CHECK(dense("pp=2,attention=tp4") == "attention=tp4,pp=2");
}

TEST_CASE("experts that are not given are cut over all ranks of the stage") {
  CHECK(moe("attention=tp2dp4") == "attention=tp2dp4,experts=tp8,pp=1");
}

TEST_CASE("the GPUs of a layout are attention tp x dp, stages and replicas; dcp adds none") {
  const auto parsed =
      parse_layout("attention=tp2dp4,experts=tp2ep4,pp=2,dcp=2,replicas=3", true).layout;
  REQUIRE(parsed);
  CHECK(parsed->ranks_per_stage() == 8);
  CHECK(parsed->gpus() == 48);
}

TEST_CASE("every enumerated layout is read back as itself") {
  for (Count gpus = 1; gpus <= 16; ++gpus) {
    for (const Layout& layout : enumerate_layouts(test::small_moe_model(), gpus)) {
      CHECK(parse_layout(print_layout(layout, true), true).layout == layout);
    }
    for (const Layout& layout : enumerate_layouts(test::small_dense_model(), gpus)) {
      CHECK(parse_layout(print_layout(layout, false), false).layout == layout);
    }
  }
}

TEST_CASE("attention and experts that disagree on the ranks are refused with the numbers") {
  CHECK(moe("attention=tp8,experts=ep4") ==
        "'attention=tp8,experts=ep4' is no layout: attention tp8 x dp1 = 8 ranks, but experts tp1 "
        "x ep4 = 4; they are the same ranks");
  CHECK(moe("tp2ep4") == "'tp2ep4' is no layout: tp2 x dp1 = 2 ranks do not divide by ep4");
}

TEST_CASE("a dense model has no experts") {
  CHECK(dense("attention=tp8,experts=tp8") ==
        "'attention=tp8,experts=tp8' is no layout: 'experts' on a dense model; leave that part "
        "out");
  CHECK(dense("ep8") == "'ep8' is no layout: ep8 needs experts and the model is dense; use tp8");
}

TEST_CASE("text that is no layout says what is wrong") {
  CHECK(moe("") == "'' is no layout: an empty factor list; write for instance 'tp8'");
  CHECK(moe("xp8") ==
        "'xp8' is no layout: 'xp8' does not start with tp, ep, dp, pp, dcp, replicas");
  CHECK(moe("tp") == "'tp' is no layout: 'tp' wants a whole number from 1 to 100000");
  CHECK(moe("tp0") == "'tp0' is no layout: 'tp' wants a whole number from 1 to 100000");
  CHECK(moe("tp-1") == "'tp-1' is no layout: 'tp' wants a whole number from 1 to 100000");
  CHECK(moe("tp100001") == "'tp100001' is no layout: 'tp' wants a whole number from 1 to 100000");
  CHECK(moe("tp2tp4") == "'tp2tp4' is no layout: 'tp' is given twice");
  CHECK(moe("experts=ep8") ==
        "'experts=ep8' is no layout: 'attention' is missing; write for instance "
        "'attention=tp8,experts=ep8,pp=1'");
  CHECK(moe("attention=tp8,attention=dp8") ==
        "'attention=tp8,attention=dp8' is no layout: 'attention' is given twice");
  CHECK(moe("attention=ep8") == "'attention=ep8' is no layout: 'ep8' does not start with tp, dp");
  CHECK(moe("attention=tp8,tp=2") ==
        "'attention=tp8,tp=2' is no layout: unknown part 'tp'; the parts are attention, experts, "
        "pp, dcp, replicas");
  CHECK(moe("attention=tp8,pp=1,pp=2") ==
        "'attention=tp8,pp=1,pp=2' is no layout: 'pp' is given twice");
}

TEST_CASE("a part holds its own factor only") {
  CHECK_FALSE(parse_layout("attention=tp8,pp=2dcp2", true).layout);
  CHECK_FALSE(parse_layout("attention=tp8,pp=2.5", true).layout);
  CHECK_FALSE(parse_layout("attention=tp8,", true).layout);
  CHECK_FALSE(parse_layout("attention=tp8 ,pp=2", true).layout);
}

TEST_CASE("a disaggregated layout is refused by name") {
  CHECK(moe("prefill=2*(tp4);decode=1*(tp8)") ==
        "disaggregated layouts are not predicted yet; give the layout of one side");
}

}  // namespace
}  // namespace fathom::model
