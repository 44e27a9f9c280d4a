#include "model/predict/predict.h"

#include "model/predict/resolve.h"
#include "model/step/elasticity.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

using hardware::Bytes;

/// What utilization.gpu reads, at least, on most ranks that wait for others in a collective. The
/// low end of 97 to 100 as measured on host-bound steps of several ranks: docs/physics.md.
constexpr double kWaitingUtilisation = 97;

Refusal does_not_fit(const Ledger& ledger, Bytes missing) {
  Refusal refusal;
  refusal.reason = RefusalReason::DoesNotFit;
  refusal.ledger = ledger;
  refusal.missing = missing;
  return refusal;
}

Refusal refuse_layout(const Illegal& illegal) {
  Refusal refusal;
  refusal.reason = RefusalReason::IllegalLayout;
  refusal.illegal = illegal;
  return refusal;
}

LedgerRequest ledger_request(const Question& q, double length) {
  LedgerRequest request;
  request.memory_fraction = q.memory_fraction;
  request.max_batched_tokens = q.max_batched_tokens;
  if (q.max_num_seqs > 0) {
    request.max_sequences = q.max_num_seqs;
  }
  request.sequence_tokens = q.max_model_len > 0 ? static_cast<double>(q.max_model_len) : length;
  request.with_mtp = q.run.spec_tokens > 0;
  request.cuda_graphs = q.run.cuda_graphs;
  return request;
}

/// Bytes short on the fullest rank when `running` sequences of `length` tokens are held within
/// `budget` beside `resident`, which is there whatever runs.
Bytes shortfall(const Ledger& ledger, const Shard& shard, double running, double length,
                Bytes budget, Bytes resident, Count block, bool with_mtp) {
  const Layout& layout = shard.layout;
  const auto parts = static_cast<double>(layout.attention_dp * layout.replicas);
  const auto blocks = static_cast<double>(block);
  const Bytes one = shard.sequence_bytes(shard.stages.at(ledger.stage),
                                         std::ceil(length / blocks) * blocks, with_mtp);
  return resident + one * std::ceil(running / parts) - budget;
}

double acceptance_of(const Question& q) {
  return q.spec_acceptance >= 0 ? q.spec_acceptance : kAssumedAcceptance;
}

void fill_rates(const Setup& setup, Prediction& p) {
  const double step = p.step.total;
  const double batch = p.shape.sequences;
  if (p.phase == AskedPhase::Decode && step > 0) {
    p.tpot = step / p.tokens_per_step;
    p.output_tok_s = batch * p.tokens_per_step / step;
    p.total_tok_s = p.output_tok_s;
    p.tok_s_per_user = 1 / p.tpot;
  } else if (p.phase == AskedPhase::Prefill && step > 0) {
    p.ttft = step;
    p.total_tok_s = p.shape.tokens() / step;
  } else if (p.serving) {
    p.ttft = p.serving->ttft;
    p.tpot = p.serving->tpot;
    p.output_tok_s = p.serving->output_tok_s;
    p.total_tok_s = p.serving->total_tok_s;
    p.tok_s_per_user = p.tpot > 0 ? 1 / p.tpot : -1;
  }
  const auto gpus = static_cast<double>(p.layout.gpus());
  const double rate = p.output_tok_s > 0 ? p.output_tok_s : p.total_tok_s;
  if (rate > 0 && p.power > 0) {
    p.energy_per_token = p.power * gpus / rate;
  }
  const double price = setup.system.accelerator.price_per_hour;
  constexpr double kSecondsPerHour = 3600;
  if (price > 0 && p.output_tok_s > 0) {
    p.cost_per_mtok = price * gpus / kSecondsPerHour / p.output_tok_s * 1e6;
  }
  const auto& a = setup.system.accelerator;
  p.util_gpu = 100 * p.step.device_share;
  if (p.layout.ranks_per_stage() > 1) {
    // Ranks wait inside collectives, resident (docs/physics.md section 9).
    p.util_gpu = std::max(p.util_gpu, kWaitingUtilisation);
  }
  p.util_memory = step > 0 ? std::min(100.0, 100 * p.step.memory_bytes / step /
                                                 (a.memory_counter_full_scale * a.bandwidth.base()))
                           : 0;
}

/// What a served load meets.
struct Server {
  double held = 0;  ///< sequences that the cache of the deployment holds
  double tokens_per_step = 1;
  Count token_budget = 0;  ///< of one prefill step of an engine
};

/// Replicas share nothing: one is solved with its part of the load and the rates are multiplied.
/// Fewer requests than replicas leave some idle.
ServingMetrics serve(const Predictor& predictor, const Question& q, const Server& server) {
  const auto& layout = predictor.shard().layout;
  const auto replicas = static_cast<double>(layout.replicas);
  const auto dp = static_cast<double>(layout.attention_dp);
  const double asked = q.concurrency > 0 ? q.concurrency : std::max(q.batch, q.requests);
  const double busy = std::min(replicas, asked);
  ClosedLoop load;
  load.concurrency = asked / busy;
  load.isl = q.isl;
  load.osl = q.osl;
  load.tokens_per_step = server.tokens_per_step;
  load.max_concurrency = server.held / replicas;
  if (q.max_num_seqs > 0) {  // a limit of each engine
    load.max_concurrency = std::min(load.max_concurrency, static_cast<double>(q.max_num_seqs) * dp);
  }
  const Count batched = q.max_batched_tokens > 0 ? q.max_batched_tokens : server.token_budget;
  load.batched_prompts = dp * std::floor(static_cast<double>(batched) / q.isl);
  const double tokens = 1 + q.run.spec_tokens;
  const auto decode = [&](double batch, double context) {
    return predictor.step({Phase::Decode, batch * replicas, tokens, context, tokens}).total;
  };
  const auto prefill = [&](double sequences, double isl) {
    return predictor.step({Phase::Prefill, sequences * replicas, isl, 0, 1}).total;
  };
  ServingMetrics out = steady_state(load, decode, prefill);
  out.running *= busy;
  out.requests_per_s *= busy;
  out.output_tok_s *= busy;
  out.total_tok_s *= busy;
  return out;
}

/// In a served load prompts take their part: the limiter is that of the output rate, and the power
/// that of decode steps and prompts in their proportion.
void add_serving_limits(const Predictor& predictor, const Question& q, const Server& server,
                        Prediction& p) {
  const Elasticities rate = elasticities_of([&](const hardware::Goodness& g) {
    const double tok_s = serve(predictor.with(g), q, server).output_tok_s;
    return tok_s > 0 ? 1 / tok_s : 0;
  });
  for (int i = 0; i < kResourceCount; ++i) {
    const auto resource = static_cast<Resource>(i);
    if (resource != Resource::Imbalance && resource != Resource::Bubble) {
      p.elasticities.at(static_cast<std::size_t>(i)) = rate.at(static_cast<std::size_t>(i));
    }
  }
  const ServingMetrics& m = *p.serving;
  const auto replicas = static_cast<double>(p.layout.replicas);
  p.prompt_step = predictor.step({Phase::Prefill, m.together * replicas, q.isl, 0, 1});
  const double both = m.decode_step + m.interference;
  p.prefill_share = both > 0 ? m.interference / both : 1;
  p.power = p.step.power * (1 - p.prefill_share) + p.prompt_step.power * p.prefill_share;
}

void add_limits(const Predictor& predictor, const Setup& setup, Depth depth, Prediction& p) {
  if (depth == Depth::Times) {
    for (int i = 0; i < kTimeResourceCount; ++i) {
      p.elasticities.at(static_cast<std::size_t>(i)) = share_of(p.step, static_cast<Resource>(i));
    }
  } else if (!p.serving) {
    p.elasticities = predictor.elasticities(p.shape);
  }
  StepTime step = p.step;
  step.power_capped = step.power_capped || p.prompt_step.power_capped;
  p.limiter = find_limiter(step, p.elasticities, setup.coefficients.term_uncertainty);
  const Resource shown =
      p.limiter.resource == Resource::Power ? Resource::Compute : p.limiter.resource;
  p.limiting_share = share_of(p.step, shown) * (1 - p.prefill_share) +
                     share_of(p.prompt_step, shown) * p.prefill_share;
}

void add_interval(const Setup& setup, const Layout& layout, const Question& q, Prediction& p) {
  const double factor = setup.coefficients.term_uncertainty;
  p.step_low = p.step.total;
  p.step_high = p.step.total;
  if (setup.bound) {
    return;
  }
  if (setup.system.has_intervals) {
    const auto at = [&](const hardware::SystemSpec& system) {
      return Predictor(setup.model, system, setup.engine, setup.coefficients, layout, q.run)
          .step(p.shape)
          .total;
    };
    p.step_low = at(setup.fast_system);
    p.step_high = at(setup.slow_system);
  }
  p.step_low /= factor;
  p.step_high *= factor;
}

std::optional<Refusal> check_memory(const Setup& setup, const Layout& layout, const Resolved& r,
                                    const Shard& shard, Prediction& p, const Question& q) {
  const auto& a = setup.system.accelerator;
  const Count batched =
      q.max_batched_tokens > 0 ? q.max_batched_tokens : setup.engine.max_batched_tokens;
  const double on_rank =
      r.shape.tokens() / static_cast<double>(layout.attention_dp * layout.replicas);
  const Bytes activation =
      activation_peak(shard, std::min(on_rank, static_cast<double>(batched)), 1);
  const double running = p.phase == AskedPhase::Serve ? 1 : r.running;
  const Bytes usable = a.capacity - a.reserved;
  const Bytes by_law = p.ledger.weights + p.ledger.activation + p.ledger.other();
  const auto short_of = [&](Bytes budget, Bytes resident) {
    return shortfall(p.ledger, shard, running, r.length, budget, resident,
                     setup.engine.kv_block_tokens, q.run.spec_tokens > 0);
  };
  p.over_engine_budget = short_of(p.ledger.budget, by_law).base() > 0;
  // Without a stated fraction the device itself is the bound, else the engine's law with it.
  const Bytes missing = q.memory_fraction > 0
                            ? short_of(p.ledger.budget, by_law)
                            : short_of(usable, p.ledger.weights + activation + p.ledger.context);
  if (missing.base() <= 0) {
    return std::nullopt;
  }
  return does_not_fit(p.ledger, missing);
}

}  // namespace

std::variant<Ledger, Refusal> fit(const Setup& setup, const Layout& layout,
                                  const Question& question) {
  if (const auto illegal = check_legal(setup.model, layout, setup.system.gpus)) {
    return refuse_layout(*illegal);
  }
  const Predictor predictor(setup.model, setup.system, setup.engine, setup.coefficients, layout,
                            question.run);
  LedgerRequest request = ledger_request(question, fit_length(question));
  if (request.sequence_tokens <= 0 && setup.model.max_context == 0) {
    return refuse_input(
        RefusalReason::MissingInput,
        "the model states no longest context; give --isl and --osl, or --max-model-len");
  }
  const auto engines = static_cast<double>(layout.attention_dp * layout.replicas);
  request.sequences =
      std::max(1.0, std::ceil(std::max(question.concurrency, question.batch) / engines));
  return make_ledger(predictor.model(), predictor.shard(), setup.system.accelerator, setup.engine,
                     request);
}

std::variant<Prediction, Refusal> predict(const Setup& setup, const Layout& layout,
                                          const Question& question, Depth depth) {
  const auto resolved = resolve(question);
  if (const auto* refusal = std::get_if<Refusal>(&resolved)) {
    return *refusal;
  }
  const auto& r = std::get<Resolved>(resolved);
  if (const auto illegal = check_legal(setup.model, layout, setup.system.gpus)) {
    return refuse_layout(*illegal);
  }
  const Predictor predictor(setup.model, setup.system, setup.engine, setup.coefficients, layout,
                            question.run);
  Prediction p;
  p.layout = layout;
  p.phase = question.phase;
  p.shape = r.shape;
  p.draft_is_assumed = predictor.draft_is_assumed();
  p.acceptance_is_assumed = question.run.spec_tokens > 0 && question.spec_acceptance < 0;
  p.tokens_per_step = 1 + question.run.spec_tokens * acceptance_of(question);
  LedgerRequest request = ledger_request(question, r.length);
  request.sequence_tokens = r.length;  // what these sequences hold, not what the engine allows
  p.ledger = make_ledger(predictor.model(), predictor.shard(), setup.system.accelerator,
                         setup.engine, request);
  if (auto refusal = check_memory(setup, layout, r, predictor.shard(), p, question)) {
    return *refusal;
  }
  const Server server{p.ledger.max_concurrency, p.tokens_per_step, setup.engine.max_batched_tokens};
  if (p.phase == AskedPhase::Serve) {
    if (server.held < 1) {
      return does_not_fit(p.ledger, p.ledger.missing);
    }
    p.serving = serve(predictor, question, server);
    p.shape.sequences = p.serving->running;
  }
  p.step = predictor.step(p.shape);
  p.power = p.step.power;
  add_interval(setup, layout, question, p);
  if (p.serving && depth == Depth::Limits) {
    add_serving_limits(predictor, question, server, p);
  }
  add_limits(predictor, setup, depth, p);
  fill_rates(setup, p);
  if (!std::isfinite(p.step.total) || !std::isfinite(std::max(p.output_tok_s, p.total_tok_s))) {
    return refuse_input(RefusalReason::BadInput,
                        "the specs hold numbers so large or so small that no time can be computed");
  }
  return p;
}

}  // namespace fathom::model
