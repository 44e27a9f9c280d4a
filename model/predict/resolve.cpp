#include "model/predict/resolve.h"

#include <algorithm>

namespace fathom::model {
namespace {

std::variant<Resolved, Refusal> resolve_decode(const Question& q) {
  const double batch = q.batch > 0 ? q.batch : q.concurrency;
  if (batch < 0) {
    return refuse_input(RefusalReason::MissingInput, "batch is missing; give --batch");
  }
  if (q.context < 0) {
    return refuse_input(RefusalReason::MissingInput,
                        "context is missing: the tokens each sequence already has; give --context");
  }
  Resolved r;
  const double tokens = 1 + q.run.spec_tokens;
  if (q.new_tokens > 0 && q.new_tokens != tokens) {
    return refuse_input(RefusalReason::BadInput,
                        "new_tokens is not 1 + spec_tokens, which is what a decode step has");
  }
  r.shape = {Phase::Decode, batch, tokens, q.context, tokens};
  r.length = q.context + tokens;
  r.running = batch;
  return r;
}

std::variant<Resolved, Refusal> resolve_prefill(const Question& q) {
  const double tokens = q.new_tokens > 0 ? q.new_tokens : q.isl;
  if (tokens <= 0) {
    return refuse_input(RefusalReason::MissingInput,
                        "the prompt length is missing; give --new-tokens or --isl");
  }
  Resolved r;
  const double context = std::max(0.0, q.context);
  r.shape = {Phase::Prefill, q.batch < 0 ? 1 : q.batch, tokens, context, 1};
  r.length = context + tokens;
  r.running = r.shape.sequences;
  return r;
}

std::variant<Resolved, Refusal> resolve_serve(const Question& q) {
  if (q.isl <= 0) {
    return refuse_input(RefusalReason::MissingInput, "the input length is missing; give --isl");
  }
  if (q.osl <= 0) {
    return refuse_input(RefusalReason::MissingInput, "the output length is missing; give --osl");
  }
  double concurrency = q.concurrency > 0 ? q.concurrency : q.batch;
  if (concurrency <= 0 && q.requests > 0 && q.rate <= 0) {
    concurrency = q.requests;
  }
  if (concurrency <= 0) {
    return refuse_input(
        q.rate > 0 ? RefusalReason::Unsupported : RefusalReason::MissingInput,
        q.rate > 0 ? "an arrival rate needs the open-loop model, which is not built yet; give "
                     "--concurrency"
                   : "the load is missing; give --concurrency");
  }
  Resolved r;
  const double tokens = 1 + q.run.spec_tokens;
  r.shape = {Phase::Decode, concurrency, tokens, q.isl + q.osl / 2, tokens};
  r.length = q.isl + q.osl;
  r.running = concurrency;
  return r;
}

}  // namespace

Refusal refuse_input(RefusalReason reason, std::string what) {
  Refusal refusal;
  refusal.reason = reason;
  refusal.what = std::move(what);
  return refusal;
}

double fit_length(const Question& question) {
  if (question.isl > 0 || question.osl > 0) {
    return std::max(0.0, question.isl) + std::max(0.0, question.osl);
  }
  return question.context >= 0 ? question.context + std::max(1.0, question.new_tokens) : 0;
}

std::variant<Resolved, Refusal> resolve(const Question& q) {
  switch (q.phase) {
    case AskedPhase::Decode:
      return resolve_decode(q);
    case AskedPhase::Prefill:
      return resolve_prefill(q);
    case AskedPhase::Serve:
      return resolve_serve(q);
  }
  return refuse_input(RefusalReason::BadInput, "unknown phase");
}

}  // namespace fathom::model
