#pragma once

#include "hardware/cost/coefficients.h"
#include "hardware/machine/system.h"
#include "model/engine/engine.h"
#include "model/layout/layout.h"
#include "model/layout/legality.h"
#include "model/llm/model_spec.h"
#include "model/memory/ledger.h"
#include "model/predict/predictor.h"
#include "model/serving/steady_state.h"

#include <optional>
#include <string>
#include <vector>

namespace fathom::model {

/// Everything a prediction is made from: specs already read, nothing to look up.
struct Setup {
  ModelSpec model;
  hardware::SystemSpec system;       ///< intervals at their points
  hardware::SystemSpec slow_system;  ///< at their slow ends
  hardware::SystemSpec fast_system;
  EngineSpec engine;
  hardware::Coefficients coefficients;
  bool bound = false;
  bool calibrated = false;
};

/// What is asked. Negative or empty = not given.
enum class AskedPhase : std::uint8_t { Decode, Prefill, Serve };

struct Question {
  AskedPhase phase = AskedPhase::Decode;
  double batch = -1;
  double context = -1;
  double new_tokens = -1;
  double isl = -1;
  double osl = -1;
  double concurrency = -1;
  double requests = -1;
  double rate = -1;
  double spec_acceptance = -1;
  double memory_fraction = 0;
  Count max_model_len = 0;
  Count max_num_seqs = 0;
  Count max_batched_tokens = 0;
  RunOptions run;
};

/// Why there is no number.
enum class RefusalReason : std::uint8_t {
  IllegalLayout,
  DoesNotFit,
  MissingInput,
  BadInput,
  ContextTooLong,
  Unsupported,
};

struct Refusal {
  RefusalReason reason = RefusalReason::MissingInput;
  Illegal illegal;
  Ledger ledger;
  hardware::Bytes missing;  ///< of memory
  std::string what;         ///< the input that is missing or wrong, with the fix
};

/// One layout's answer.
struct Prediction {
  Layout layout;
  AskedPhase phase = AskedPhase::Decode;
  StepTime step;  ///< serve: the mean decode step
  double step_low = 0;
  double step_high = 0;
  double output_tok_s = -1;
  double total_tok_s = -1;
  double ttft = -1;
  double tpot = -1;
  double tok_s_per_user = -1;
  double energy_per_token = -1;  ///< joules, all GPUs
  double cost_per_mtok = -1;     ///< USD per million output tokens
  double util_gpu = 0;
  double util_memory = 0;
  double power = 0;          ///< watts of one GPU, mean over decode steps and prompts; 0 = unknown
  double prefill_share = 0;  ///< of the time of a running sequence that prompts of others take
  StepTime prompt_step;      ///< serve: one prefill step of the load
  double tokens_per_step = 1;
  /// The limiter's part of the time: of the step, or of decode steps and prompts of a served load.
  double limiting_share = 0;
  std::optional<ServingMetrics> serving;
  Limiter limiter;
  Elasticities elasticities{};
  StepShape shape;  ///< whole deployment
  Ledger ledger;
  bool over_engine_budget = false;  ///< fits the device, not the engine's default fraction
  bool draft_is_assumed = false;
  bool acceptance_is_assumed = false;
};

}  // namespace fathom::model
