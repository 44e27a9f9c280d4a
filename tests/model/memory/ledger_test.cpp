#include "model/memory/ledger.h"

#include "model/predict/predict.h"
#include "tests/support/scenario.h"

namespace fathom {
namespace {

model::Ledger fit(const cli::Inputs& inputs) {
  const cli::BuiltScenario s = test::build(inputs);
  const auto answer = model::fit(s.setup, *s.layout, s.question);
  REQUIRE(std::holds_alternative<model::Ledger>(answer));
  return std::get<model::Ledger>(answer);
}

cli::Inputs llama(const std::string& layout = "tp1") {
  return {{"model", "llama-3.1-8b"},
          {"system", "8x-h200-sxm"},
          {"layout", layout},
          {"isl", "1000"},
          {"osl", "24"}};
}

cli::Inputs with(cli::Inputs inputs, const std::string& column, const std::string& text) {
  inputs[column] = text;
  return inputs;
}

}  // namespace

TEST_CASE("the ledger adds up: budget = weights + activation + context + graphs + cache") {
  for (const char* layout : {"tp1", "tp8", "tp2pp4", "tp4replicas2"}) {
    const model::Ledger l = fit(llama(layout));
    const auto sum = l.weights + l.activation + l.context + l.graphs + l.kv;
    CHECK_THAT(sum.base(), WithinRel(l.budget.base(), 1e-12));
  }
}

TEST_CASE("Llama-3.1-8B in BF16 holds 16.06 GB of weights and 131,072 bytes of cache a token") {
  const model::Ledger l = fit(llama());
  CHECK_THAT(l.weights.base(), WithinRel(16.06e9, 1e-3));
  CHECK(l.kv_bytes_per_token.base() == 131072);
}

TEST_CASE("doubling the cache bytes halves the tokens") {
  const model::Ledger wide = fit(with(llama(), "kv_format", "bf16"));
  const model::Ledger narrow = fit(with(llama(), "kv_format", "fp8"));
  const auto block = 16.0;
  CHECK_THAT(static_cast<double>(narrow.kv_tokens),
             WithinAbs(2.0 * static_cast<double>(wide.kv_tokens), 2 * block));
}

TEST_CASE("replicas multiply the deployment's tokens and not those of one engine") {
  const model::Ledger one = fit(llama("tp4"));
  const model::Ledger two = fit(llama("tp4replicas2"));
  CHECK(two.kv_tokens_engine == one.kv_tokens_engine);
  CHECK(two.kv_tokens == 2 * one.kv_tokens);
}

TEST_CASE("the smallest fraction that is named fits, and a little less does not") {
  const model::Ledger l = fit(llama());
  const auto at = [&](double fraction) {
    return fit(with(llama(), "memory_fraction", std::to_string(fraction)));
  };
  CHECK(at(l.min_fraction + 1e-4).fits);
  CHECK_FALSE(at(l.min_fraction - 1e-4).fits);
}

TEST_CASE("a model larger than the device is short by a stated amount and never faster than no") {
  const model::Ledger l = fit({{"model", "glm-5-nvfp4"},
                               {"system", "8x-rtx-pro-6000-se"},
                               {"layout", "attention=tp1,experts=tp1,pp=1,replicas=8"},
                               {"isl", "1000"},
                               {"osl", "24"}});
  CHECK_FALSE(l.fits);
  CHECK(l.kv.base() < 0);
  CHECK(l.missing.base() > 300e9);
  CHECK(l.max_concurrency == 0);
  const auto s = test::build({{"model", "glm-5-nvfp4"},
                              {"system", "8x-rtx-pro-6000-se"},
                              {"layout", "attention=tp1,experts=tp1,pp=1,replicas=8"},
                              {"batch", "8"},
                              {"context", "10"}});
  const auto answer = model::predict(s.setup, *s.layout, s.question, model::Depth::Times);
  REQUIRE(std::holds_alternative<model::Refusal>(answer));
  const auto& refusal = std::get<model::Refusal>(answer);
  CHECK(refusal.reason == model::RefusalReason::DoesNotFit);
  CHECK(refusal.missing.base() > 300e9);
}

TEST_CASE("the last pipeline stage is the tightest where it holds the head") {
  const model::Ledger l = fit({{"model", "llama-3.1-70b"},
                               {"system", "8x-h200-sxm"},
                               {"layout", "tp2pp4"},
                               {"isl", "1000"},
                               {"osl", "24"}});
  // 80 layers divide evenly; the embedding is on the first, head and norm on the last.
  CHECK(l.stage == 3);
}

}  // namespace fathom
