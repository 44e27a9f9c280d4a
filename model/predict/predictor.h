#pragma once

#include "hardware/cost/price.h"
#include "hardware/machine/system.h"
#include "model/engine/engine.h"
#include "model/layout/shard.h"
#include "model/llm/model_spec.h"
#include "model/ops/build_ops.h"
#include "model/step/limiter.h"
#include "model/step/step_time.h"

#include <memory>
#include <optional>
#include <vector>

namespace fathom::model {

/// How the same layout may be run.
struct RunOptions {
  bool cuda_graphs = true;
  int spec_tokens = 0;              ///< drafted per step
  std::optional<Format> kv_format;  ///< empty: the engine's, else the checkpoint's
  hardware::Watts power_limit;      ///< 0 = the accelerator's highest
};

/// One operator of a step with its cost, for the report.
struct PricedOperator {
  OperatorKind kind = OperatorKind::AttentionCore;
  double times = 1;  ///< layers that run it, or drafts
  std::size_t stage = 0;
  bool draft = false;
  hardware::Work work;  ///< of one
  hardware::Cost cost;  ///< of one
};

/// Built once per layout; `step` is the hot path: no strings, no allocation, no exceptions.
/// The layout must be legal.
class Predictor {
 public:
  Predictor(const ModelSpec& model, const hardware::SystemSpec& system, const EngineSpec& engine,
            const hardware::Coefficients& coefficients, const Layout& layout,
            const RunOptions& options = {});

  /// One step of the whole deployment: `shape.sequences` is its batch. A DP rank takes
  /// ceil(batch / (dp * replicas)), a micro-batch ceil(that / pp).
  [[nodiscard]] StepTime step(const StepShape& shape) const noexcept;

  /// The same layout on a machine whose resources are better by `goodness`.
  [[nodiscard]] Predictor with(const hardware::Goodness& goodness) const;

  /// Elasticities by +-10 % log differences (docs/physics.md section 7).
  [[nodiscard]] Elasticities elasticities(const StepShape& shape) const;

  /// The operators of the step, longest stage and all others.
  [[nodiscard]] std::vector<PricedOperator> operators(const StepShape& shape) const;

  [[nodiscard]] const Shard& shard() const { return *shard_; }
  [[nodiscard]] const ModelSpec& model() const { return model_; }
  [[nodiscard]] bool draft_is_assumed() const { return draft_is_assumed_; }

 private:
  struct Rank {
    StepShape shape;  ///< of one micro-batch
    double micro_batches = 1;
  };
  [[nodiscard]] Rank rank_shape(const StepShape& shape) const noexcept;
  void fill_stages(const StepShape& shape, DeviceTime* stages, std::size_t count) const noexcept;
  [[nodiscard]] HostTime host_time(const Rank& rank, Phase phase, double kernels) const noexcept;
  [[nodiscard]] hardware::RoutePolicy policy() const;

  ModelSpec model_;
  hardware::SystemSpec system_;
  EngineSpec engine_;
  hardware::Coefficients coefficients_;
  RunOptions options_;
  std::shared_ptr<const Shard> shard_;  ///< shared by copies; the context points at it
  OpsContext context_;
  hardware::Goodness goodness_;
  hardware::Pricer pricer_;
  PowerEnvelope power_;
  bool ideal_ = false;
  bool draft_is_assumed_ = false;
};

}  // namespace fathom::model
