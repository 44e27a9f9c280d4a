#include "model/predict/predictor.h"

#include "tests/support/scenario.h"

namespace fathom {
namespace {

struct Case {
  const char* model;
  const char* system;
  const char* layout;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"glm-5-nvfp4", "8x-rtx-pro-6000-se-no-p2p", "tp8"},
      {"glm-5-nvfp4", "8x-rtx-pro-6000-se", "dp8ep8"},
      {"glm-5-nvfp4", "8x-rtx-pro-6000-se", "tp2ep4dp4"},
      {"deepseek-r1", "8x-h200-sxm", "ep8"},
      {"deepseek-r1", "8x-h200-sxm", "tp4pp2"},
      {"qwen3-30b-a3b", "1x-h200-sxm", "tp1"},
      {"llama-3.1-70b", "8x-h100-sxm", "tp4replicas2"},
      {"llama-3.1-8b", "8x-h200-sxm", "attention=tp8,pp=1"},
  };
  return all;
}

model::Predictor predictor(const Case& c) {
  const auto s = test::build({{"model", c.model},
                              {"system", c.system},
                              {"layout", c.layout},
                              {"batch", "1"},
                              {"context", "1"}});
  return {s.setup.model, s.setup.system, s.setup.engine, s.setup.coefficients, *s.layout, {}};
}

double sum(const model::StepTime& s) {
  double out = 0;
  for (int i = 0; i < model::kTimeResourceCount; ++i) {
    out += model::seconds_of(s, static_cast<model::Resource>(i));
  }
  return out;
}

}  // namespace

TEST_CASE("shares sum to the step for every layout and phase") {
  for (const Case& c : cases()) {
    const auto p = predictor(c);
    for (const double batch : {1.0, 7.0, 64.0, 512.0}) {
      const auto decode = p.step({model::Phase::Decode, batch, 1, 1000, 1});
      const auto prefill = p.step({model::Phase::Prefill, batch, 100, 0, 1});
      CHECK_THAT(sum(decode), WithinRel(decode.total, 1e-9));
      CHECK_THAT(sum(prefill), WithinRel(prefill.total, 1e-9));
      CHECK(decode.total > 0);
    }
  }
}

TEST_CASE("a better resource never makes a step slower") {
  for (const Case& c : cases()) {
    const auto p = predictor(c);
    for (const double batch : {1.0, 64.0}) {
      const model::StepShape shape{model::Phase::Decode, batch, 1, 4000, 1};
      const double now = p.step(shape).total;
      for (const auto member :
           {&hardware::Goodness::compute, &hardware::Goodness::memory,
            &hardware::Goodness::link_bandwidth, &hardware::Goodness::link_latency,
            &hardware::Goodness::launch, &hardware::Goodness::host}) {
        hardware::Goodness better;
        better.*member = 2;
        CHECK(p.with(better).step(shape).total <= now * (1 + 1e-12));
      }
    }
  }
}

TEST_CASE("elasticities of the time resources sum to one where no minimum jumps") {
  // Homogeneity: everything twice as good halves the step.
  for (const Case& c : cases()) {
    const auto p = predictor(c);
    const model::StepShape shape{model::Phase::Decode, 16, 1, 2000, 1};
    const auto e = p.elasticities(shape);
    double total = 0;
    for (int i = 0; i < model::kTimeResourceCount; ++i) {
      if (static_cast<model::Resource>(i) != model::Resource::Imbalance &&
          static_cast<model::Resource>(i) != model::Resource::Bubble) {
        total += e.at(static_cast<std::size_t>(i));
      }
    }
    INFO(c.model << " " << c.layout);
    CHECK_THAT(total, WithinAbs(1.0, 0.03));
  }
}

TEST_CASE("a step grows with batch, context and new tokens") {
  for (const Case& c : cases()) {
    const auto p = predictor(c);
    double last = 0;
    for (const double batch : {1.0, 8.0, 64.0, 512.0}) {
      const double now = p.step({model::Phase::Decode, batch, 1, 1000, 1}).total;
      CHECK(now >= last);
      last = now;
    }
    CHECK(p.step({model::Phase::Decode, 8, 1, 20000, 1}).total >
          p.step({model::Phase::Decode, 8, 1, 1000, 1}).total);
    CHECK(p.step({model::Phase::Prefill, 1, 2000, 0, 1}).total >
          p.step({model::Phase::Prefill, 1, 1000, 0, 1}).total);
  }
}

TEST_CASE("one GPU sends no bytes and waits for no link") {
  const auto p = predictor({"qwen3-30b-a3b", "1x-h200-sxm", "tp1"});
  const auto s = p.step({model::Phase::Decode, 8, 1, 1000, 1});
  CHECK(s.link_bytes == 0);
  CHECK(s.link_bandwidth == 0);
  CHECK(s.link_latency == 0);
  CHECK(s.bubble == 0);
}

TEST_CASE("replicas do not change a step of the same batch per replica") {
  const auto one = predictor({"llama-3.1-70b", "8x-h100-sxm", "tp4"});
  const auto two = predictor({"llama-3.1-70b", "8x-h100-sxm", "tp4replicas2"});
  CHECK(one.step({model::Phase::Decode, 32, 1, 1000, 1}).total ==
        two.step({model::Phase::Decode, 64, 1, 1000, 1}).total);
}

TEST_CASE("the operators add up to the step where neither host nor power nor pipeline adds") {
  const auto p = predictor({"llama-3.1-70b", "8x-h100-sxm", "tp4"});
  const model::StepShape shape{model::Phase::Decode, 4, 1, 1000, 1};
  const auto s = p.step(shape);
  double device = 0;
  for (const auto& op : p.operators(shape)) {
    device += op.cost.total() * op.times;
  }
  CHECK_THAT(device, WithinRel(s.total - s.host, 1e-3));
}

TEST_CASE("two predictions of one scenario are equal to the last bit") {
  for (const Case& c : cases()) {
    const model::StepShape shape{model::Phase::Decode, 33, 1, 777, 1};
    CHECK(predictor(c).step(shape).total == predictor(c).step(shape).total);
  }
}

}  // namespace fathom

namespace fathom {
namespace {

model::Prediction served(const std::string& layout, const std::string& concurrency) {
  return test::predict({{"model", "llama-3.1-8b"},
                        {"system", "8x-h200-sxm"},
                        {"layout", layout},
                        {"isl", "2000"},
                        {"osl", "200"},
                        {"concurrency", concurrency}});
}

}  // namespace

TEST_CASE("a server never emits more than its requests in flight times the rate of one") {
  for (const char* layout : {"tp1replicas8", "tp2replicas4", "tp8", "tp2pp4"}) {
    for (const char* concurrency : {"1", "3", "8", "64"}) {
      const auto p = served(layout, concurrency);
      INFO(layout << " " << concurrency);
      CHECK(p.output_tok_s <= std::stod(concurrency) / p.tpot * (1 + 1e-9));
    }
  }
}

TEST_CASE("eight replicas with eight times the load serve eight times as much") {
  const auto one = test::predict({{"model", "llama-3.1-8b"},
                                  {"system", "1x-h200-sxm"},
                                  {"layout", "tp1"},
                                  {"isl", "2000"},
                                  {"osl", "200"},
                                  {"concurrency", "8"}});
  const auto eight = served("tp1replicas8", "64");
  CHECK_THAT(eight.output_tok_s, WithinRel(8 * one.output_tok_s, 1e-9));
  CHECK_THAT(eight.tpot, WithinRel(one.tpot, 1e-9));
}

TEST_CASE("a lone prompt under attention DP is not charged to every DP rank's experts") {
  const auto prefill = [](const char* batch) {
    return test::predict({{"model", "glm-5-nvfp4"},
                          {"system", "8x-rtx-pro-6000-se"},
                          {"layout", "dp8ep8"},
                          {"phase", "prefill"},
                          {"batch", batch},
                          {"new_tokens", "2048"}})
        .step.total;
  };
  CHECK(prefill("1") < 0.6 * prefill("8"));
}

TEST_CASE("a load of long prompts is limited by what prefill needs") {
  const auto p = test::predict({{"model", "llama-3.1-70b"},
                                {"system", "4x-h100-sxm"},
                                {"layout", "tp4"},
                                {"isl", "4096"},
                                {"osl", "100"},
                                {"concurrency", "64"}});
  CHECK((p.limiter.resource == model::Resource::Compute ||
         p.limiter.resource == model::Resource::Power));
  CHECK(p.serving->interference > p.serving->decode_step);
}

TEST_CASE("a hybrid model drafts with an attention that keeps keys") {
  const auto s = test::build({{"model", "llama-3.1-8b"},
                              {"system", "8x-h200-sxm"},
                              {"layout", "tp1"},
                              {"batch", "1"},
                              {"context", "1"}});
  model::ModelSpec hybrid = s.setup.model;
  hybrid.layers.push_back(hybrid.layers.front());
  hybrid.layers.front().attention = model::LightningAttention{.heads = 32, .head = 128};
  hybrid.layers.front().mlp = model::NoMlp{};
  model::RunOptions options;
  options.spec_tokens = 1;
  const model::Predictor p(hybrid, s.setup.system, s.setup.engine, s.setup.coefficients, *s.layout,
                           options);
  CHECK(p.draft_is_assumed());
  const model::LayerKind& draft = p.model().mtp.front();
  CHECK(std::holds_alternative<model::GroupedAttention>(draft.attention));
  CHECK(std::holds_alternative<model::DenseMlp>(draft.mlp));
}

}  // namespace fathom
