#include "model/layout/enumerate.h"

#include "model/layout/legality.h"
#include "tests/support/catch.h"
#include "tests/support/small_models.h"

#include <set>

namespace fathom::model {
namespace {

std::set<std::string> texts(const ModelSpec& model, Count gpus) {
  std::set<std::string> out;
  for (const Layout& layout : enumerate_layouts(model, gpus)) {
    out.insert(print_layout(layout, model.is_moe()));
  }
  return out;
}

TEST_CASE("a dense model on two GPUs has three layouts") {
  CHECK(texts(test::small_dense_model(), 2) ==
        std::set<std::string>{"attention=tp2,pp=1", "attention=tp1,pp=2",
                              "attention=tp1,pp=1,replicas=2"});
}

TEST_CASE("a mixture of experts on two GPUs has six layouts") {
  CHECK(texts(test::small_moe_model(), 2) ==
        std::set<std::string>{"attention=tp2,experts=tp2,pp=1", "attention=tp2,experts=ep2,pp=1",
                              "attention=dp2,experts=tp2,pp=1", "attention=dp2,experts=ep2,pp=1",
                              "attention=tp1,experts=tp1,pp=2",
                              "attention=tp1,experts=tp1,pp=1,replicas=2"});
}

TEST_CASE("each layout uses all GPUs and comes once") {
  for (const ModelSpec& model : {test::small_dense_model(), test::small_moe_model()}) {
    for (Count gpus = 1; gpus <= 24; ++gpus) {
      const auto layouts = enumerate_layouts(model, gpus);
      CHECK(texts(model, gpus).size() == layouts.size());
      for (const Layout& layout : layouts) {
        CHECK(layout.gpus() == gpus);
        CHECK(layout.expert_tp * layout.expert_ep == layout.ranks_per_stage());
      }
    }
  }
}

TEST_CASE("no layout has more stages than layers") {
  for (const Layout& layout : enumerate_layouts(test::small_dense_model(), 8)) {
    CHECK(layout.pp <= 3);
    CHECK_FALSE(check_legal(test::small_dense_model(), layout, 8) ==
                Illegal{IllegalReason::Stages, 3, layout.pp, 0, Group::Attention});
  }
}

TEST_CASE("one GPU has one layout") {
  CHECK(texts(test::small_moe_model(), 1) ==
        std::set<std::string>{"attention=tp1,experts=tp1,pp=1"});
}

}  // namespace
}  // namespace fathom::model
