#include "model/plan/plan.h"

#include "tests/support/scenario.h"

namespace fathom {
namespace {

model::Plan plan(const std::string& system, const std::string& concurrency,
                 model::PlanRequest request = {}) {
  const auto s = test::build({{"model", "glm-5-nvfp4"},
                              {"system", system},
                              {"isl", "128"},
                              {"osl", "64"},
                              {"concurrency", concurrency}});
  request.question = s.question;
  return model::make_plan(s.setup, request);
}

}  // namespace

TEST_CASE("a plan ranks what fits by the objective and puts what is refused last") {
  const model::Plan p = plan("8x-rtx-pro-6000-se-no-p2p", "512");
  REQUIRE(p.choice == 0);
  REQUIRE(p.runner_up == 1);
  bool refused = false;
  double last = p.rows.front().score;
  for (const auto& row : p.rows) {
    if (row.refusal) {
      refused = true;
      CHECK(row.refusal->missing.base() > 0);
      continue;
    }
    CHECK_FALSE(refused);
    CHECK(row.score <= last);
    last = row.score;
  }
  CHECK(refused);
}

TEST_CASE("TP8, EP8 and their hybrids with attention DP are all answered") {
  const model::Plan p = plan("8x-rtx-pro-6000-se-no-p2p", "512");
  for (const char* name : {"tp8", "ep8", "dp8ep8", "tp2ep4dp4", "tp4pp2", "ep4pp2"}) {
    const auto layout = model::parse_layout(name, true).layout.value();
    const auto found = std::find_if(p.rows.begin(), p.rows.end(), [&](const model::PlanRow& row) {
      return row.layout == layout && row.prediction;
    });
    INFO(name);
    CHECK(found != p.rows.end());
  }
}

TEST_CASE("an experts' copy on every card is refused with the missing amount") {
  const model::Plan p = plan("8x-rtx-pro-6000-se-no-p2p", "512");
  const auto layout =
      model::parse_layout("attention=tp1,experts=tp1,pp=1,replicas=8", true).layout.value();
  const auto found = std::find_if(p.rows.begin(), p.rows.end(),
                                  [&](const auto& row) { return row.layout == layout; });
  REQUIRE(found != p.rows.end());
  REQUIRE(found->refusal);
  CHECK(found->refusal->reason == model::RefusalReason::DoesNotFit);
  // 440.9 GB and the rest on a card of 102.6 GB.
  CHECK(found->refusal->missing.base() > 335e9);
  CHECK(found->refusal->missing.base() < 370e9);
}

TEST_CASE("EP is not ranked below TP on a convention: their messages are equal with TP attention") {
  const model::Plan p = plan("8x-rtx-pro-6000-se-no-p2p", "512");
  const auto bytes = [&](const char* name) {
    const auto layout = model::parse_layout(name, true).layout.value();
    for (const auto& row : p.rows) {
      if (row.layout == layout) {
        return row.prediction->step.link_bytes;
      }
    }
    return -1.0;
  };
  CHECK(bytes("ep8") == bytes("tp8"));
}

TEST_CASE("a target that nothing meets leaves a choice that misses it") {
  model::PlanRequest request;
  request.slo_tpot = 1e-6;
  const model::Plan p = plan("8x-rtx-pro-6000-se", "64", request);
  REQUIRE(p.choice);
  CHECK_FALSE(p.rows[*p.choice].meets_slo);
}

TEST_CASE("the objective of one user prefers a layout with a shorter time per token") {
  model::PlanRequest users;
  users.objective = model::Objective::UserRate;
  const model::Plan by_user = plan("8x-rtx-pro-6000-se", "64", users);
  const model::Plan by_rate = plan("8x-rtx-pro-6000-se", "64");
  CHECK(by_user.rows[0].prediction->tpot <= by_rate.rows[0].prediction->tpot);
}

}  // namespace fathom
