#include "cli/report/refusal_text.h"

#include "cli/report/format_quantity.h"

#include <fmt/format.h>

namespace fathom::cli {

using model::Illegal;
using model::IllegalReason;
using model::Refusal;
using model::RefusalReason;

std::string illegal_text(const Illegal& illegal) {
  const Illegal& x = illegal;
  const std::string group(model::group_name(x.group));
  switch (x.reason) {
    case IllegalReason::GpuCount:
      return fmt::format("needs {} GPUs, the system has {}", x.a, x.b);
    case IllegalReason::QueryHeads:
      return fmt::format("{} query heads do not divide by attention TP {}", x.a, x.b);
    case IllegalReason::KvHeads:
      return fmt::format("{} KV heads neither divide by attention TP {} nor divide it", x.a, x.b);
    case IllegalReason::StateHeads:
      return fmt::format("{} heads or channels of the state do not divide by attention TP {}", x.a,
                         x.b);
    case IllegalReason::KeyHeads:
      return fmt::format("{} key heads of the state do not divide by attention TP {}", x.a, x.b);
    case IllegalReason::StateGroups:
      return fmt::format("{} groups of B and C neither divide by attention TP {} nor divide it",
                         x.a, x.b);
    case IllegalReason::OutputGroups:
      return fmt::format("{} output groups do not divide by attention TP {}", x.a, x.b);
    case IllegalReason::Experts:
      return fmt::format("{} experts do not divide by EP {}", x.a, x.b);
    case IllegalReason::QuantBlock:
      return fmt::format("{} width {} over {} ranks is {} and cuts a quantisation block of {}",
                         group, x.a, x.b, static_cast<double>(x.a) / static_cast<double>(x.b), x.c);
    case IllegalReason::Width:
      return fmt::format("{} width {} does not divide by {}", group, x.a, x.b);
    case IllegalReason::Stages:
      return fmt::format("{} layers cannot fill {} pipeline stages", x.a, x.b);
    case IllegalReason::ContextParallel:
      return fmt::format("dcp {} does not divide attention TP {}", x.a, x.b);
    case IllegalReason::ContextParallelKv:
      return fmt::format("dcp {} times {} KV heads exceeds attention TP {}", x.a, x.c, x.b);
  }
  return {};
}

std::string refusal_text(const Refusal& refusal) {
  switch (refusal.reason) {
    case RefusalReason::IllegalLayout:
      return illegal_text(refusal.illegal);
    case RefusalReason::DoesNotFit:
      return fmt::format("does not fit: {} missing per GPU (weights {} of {} usable)",
                         show_gib(refusal.missing.base()), show_gib(refusal.ledger.weights.base()),
                         show_gib(refusal.ledger.usable.base()));
    case RefusalReason::MissingInput:
    case RefusalReason::BadInput:
    case RefusalReason::ContextTooLong:
    case RefusalReason::Unsupported:
      return refusal.what;
  }
  return {};
}

std::string refusal_kind(const Refusal& refusal) {
  if (refusal.reason == RefusalReason::DoesNotFit) {
    return fmt::format("does not fit: {} missing per GPU", show_gib(refusal.missing.base()));
  }
  return refusal_text(refusal);
}

}  // namespace fathom::cli
