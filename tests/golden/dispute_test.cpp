// GLM-5-NVFP4, attention TP8, on eight RTX PRO 6000 Server Edition: what limits a step. The
// reference figures are those of docs/physics.md section 11.
#include "tests/support/scenario.h"

namespace fathom {
namespace {

using model::Resource;

cli::Inputs tp8(const std::string& system, const std::string& batch) {
  return {{"model", "glm-5-nvfp4"}, {"system", system}, {"layout", "tp8"},
          {"phase", "decode"},      {"batch", batch},   {"context", "160"}};
}

cli::Inputs with(cli::Inputs inputs, const std::string& column, const std::string& text) {
  inputs[column] = text;
  return inputs;
}

}  // namespace

TEST_CASE("one request without peer-to-peer is limited by link latency, memory bandwidth next") {
  for (const char* engine : {"generic", "vllm", "sglang"}) {
    const auto p = test::predict(with(tp8("8x-rtx-pro-6000-se-no-p2p", "1"), "engine", engine));
    INFO(engine);
    CHECK(p.limiter.resource == Resource::LinkLatency);
    CHECK(p.limiter.next == Resource::Memory);
    CHECK(p.limiter.margin() <= 1.6);
    CHECK(p.limiter.both);
    // 157 all-reduces of 14 hops at 3 to 4 us.
    CHECK(p.step.link_latency > 6.6e-3);
    CHECK(p.step.link_latency < 8.9e-3);
    CHECK(p.step.memory > 5.8e-3);
    CHECK(p.step.memory < 6.6e-3);
  }
}

TEST_CASE("512 requests without peer-to-peer are limited by link bandwidth") {
  const auto p = test::predict(tp8("8x-rtx-pro-6000-se-no-p2p", "512"));
  CHECK(p.limiter.resource == Resource::LinkBandwidth);
  CHECK(p.step.link_bandwidth > 48e-3);
  CHECK(p.step.link_bandwidth < 72e-3);
  // Tensor compute is there and small.
  CHECK(model::share_of(p.step, Resource::Compute) > 0);
  CHECK(model::share_of(p.step, Resource::Compute) < 0.15);
}

TEST_CASE("with peer-to-peer one request is limited by memory bandwidth") {
  const auto p = test::predict(tp8("8x-rtx-pro-6000-se", "1"));
  CHECK(p.limiter.resource == Resource::Memory);
}

TEST_CASE("without CUDA graphs one request is limited by the host") {
  const auto p = test::predict(with(tp8("8x-rtx-pro-6000-se-no-p2p", "1"), "cuda_graphs", "off"));
  CHECK(p.limiter.resource == Resource::Host);
}

TEST_CASE("the published run without graphs took about 180 ms a step at batch 256") {
  for (const char* engine : {"generic", "sglang"}) {
    auto inputs = with(tp8("8x-rtx-pro-6000-se-no-p2p", "256"), "cuda_graphs", "off");
    const auto p = test::predict(with(inputs, "engine", engine));
    INFO(engine);
    CHECK_THAT(p.step.total, WithinRel(0.180, 0.30));
  }
}

TEST_CASE("twice the link bandwidth takes the lead from link bandwidth to memory bandwidth") {
  const auto p = test::predict(tp8("8x-rtx-pro-6000-se-no-p2p", "512"), cli::Evidence::Default,
                               {{"system", {"link.bandwidth", "x2", "system.link.bandwidth=x2"}}});
  const auto before = test::predict(tp8("8x-rtx-pro-6000-se-no-p2p", "512"));
  CHECK(p.limiter.resource == Resource::Memory);
  CHECK_THAT(p.step.link_bandwidth, WithinRel(before.step.link_bandwidth / 2, 1e-4));
  CHECK(p.step.total < before.step.total);
}

TEST_CASE("Kimi-K2.6 with EAGLE-3 loses 2 to 15 % without peer-to-peer, not a multiple") {
  // Measured (local-inference-lab/rtx6kpro, 2026-04-25, vLLM, TP8, k = 3, context 16,384): 104.5
  // against 109.5 tok/s at one request, equal at 16; prefill of 8,192 tokens 7,277 against 7,633.
  for (const char* engine : {"generic", "vllm"}) {
    for (const char* batch : {"1", "16"}) {
      const auto rate = [&](const char* system) {
        return test::predict({{"model", "kimi-k2.5"},
                              {"system", system},
                              {"layout", "tp8"},
                              {"engine", engine},
                              {"phase", "decode"},
                              {"batch", batch},
                              {"context", "16384"},
                              {"spec_tokens", "3"}})
            .output_tok_s;
      };
      const double loss = 1 - rate("8x-rtx-pro-6000-se-no-p2p") / rate("8x-rtx-pro-6000-se");
      INFO(engine << " batch " << batch);
      CHECK(loss > 0.02);
      CHECK(loss < 0.15);
    }
  }
}

}  // namespace fathom
