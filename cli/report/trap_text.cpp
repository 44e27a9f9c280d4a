#include "cli/report/trap_text.h"

#include "cli/report/format_quantity.h"

#include <fmt/format.h>

namespace fathom::cli {
namespace {

using model::TrapKind;

std::string whole(hardware::Count count) { return show_number(static_cast<double>(count)); }
std::string count(hardware::Count number) { return show_count(static_cast<double>(number)); }

std::string attention_trap(const model::Trap& t) {
  switch (t.kind) {
    case TrapKind::HeadSize:
      return fmt::format("heads are of {}, not hidden / heads = {}", t.a, t.b);
    case TrapKind::ValueHead:
      return fmt::format("keys are of {}, values of {}", t.a, t.b);
    case TrapKind::LatentReplicated:
      return "the cache is one row for all heads: every TP rank holds all of it";
    case TrapKind::SparseRow:
      return fmt::format("in FP8 a token takes {} B a layer with its index key, not {}", t.a, t.b);
    case TrapKind::KvReplicated:
      return fmt::format("{} KV heads: beyond TP{} each is held more than once", t.a, t.a);
    case TrapKind::HeadsLimitTp:
      return fmt::format("{} query heads: TP{} is the largest power of two that divides them", t.a,
                         t.b);
    case TrapKind::Windows:
      return fmt::format("beyond the windows a token adds {} B of cache, not {} B", whole(t.a),
                         whole(t.b));
    case TrapKind::FewCaches:
      return fmt::format("{} of {} layers keep a cache: all layers would be {:.1f} times too much",
                         t.a, t.b, static_cast<double>(t.b) / static_cast<double>(t.a));
    case TrapKind::SharedCaches:
      return fmt::format("{} of {} layers read the cache of an earlier layer", t.a, t.b);
    default:
      return {};
  }
}

std::string weight_trap(const model::Trap& t) {
  switch (t.kind) {
    case TrapKind::ExpertsTouched:
      return fmt::format("{} experts, top {}: a batch reads far more experts than one token", t.a,
                         t.b);
    case TrapKind::ActiveCounts:
      return fmt::format("active parameters are {} or {}, with or without embedding and head",
                         count(t.a), count(t.b));
    case TrapKind::ZeroExperts:
      return fmt::format("{} of {} router choices cost nothing: active is a distribution", t.a,
                         t.b);
    case TrapKind::LatentExperts:
      return fmt::format("experts work in a width of {}, not in the hidden {}", whole(t.a),
                         whole(t.b));
    case TrapKind::PerLayerTable:
      return fmt::format("{} parameters are a table of embeddings, read by rows only", count(t.a));
    case TrapKind::Tied:
      return "the head is the embedding: stored once, read in full at each step";
    case TrapKind::MtpApart:
      return fmt::format("{} parameters of MTP layers are apart: loaded only to speculate",
                         count(t.a));
    case TrapKind::MtpNotStored:
      return "the MTP layers are not in this checkpoint";
    case TrapKind::OddVocabulary:
      return fmt::format("a vocabulary of {} is padded when it is split", whole(t.a));
    default:
      return {};
  }
}

}  // namespace

std::string trap_text(const model::Trap& trap) {
  const std::string text = attention_trap(trap);
  return text.empty() ? weight_trap(trap) : text;
}

}  // namespace fathom::cli
