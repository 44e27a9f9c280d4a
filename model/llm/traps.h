#pragma once

#include "model/llm/model_spec.h"

#include <vector>

namespace fathom::model {

/// What a naive calculation of this model gets wrong. Text is made by the report.
enum class TrapKind : std::uint8_t {
  HeadSize,          ///< heads are of `a`; hidden / heads would be `b`
  ValueHead,         ///< values are of `b`, keys of `a`
  LatentReplicated,  ///< every TP rank holds the whole cache
  SparseRow,         ///< an FP8 row is `a` bytes with its index key, not `b`
  KvReplicated,      ///< `a` KV heads: beyond TP `a` each is held more than once
  HeadsLimitTp,      ///< `a` heads: TP goes no further than `b` in powers of two
  Windows,           ///< beyond the windows a token adds `a` bytes, not `b`
  FewCaches,         ///< `a` of `b` layers keep a cache that grows
  SharedCaches,      ///< `a` of `b` layers read the cache of an earlier layer
  ExpertsTouched,    ///< `a` experts, top `b`: bytes read grow with the batch
  ActiveCounts,      ///< active parameters are `a` or `b` by convention
  ZeroExperts,       ///< `a` of `b` router choices cost nothing
  LatentExperts,     ///< experts work in a width of `a`, not `b`
  PerLayerTable,     ///< `a` parameters are a look-up table
  Tied,              ///< the head is the embedding: it is stored once and read each step
  MtpApart,          ///< `a` parameters of MTP layers, loaded only to speculate
  MtpNotStored,      ///< the MTP layers are not in the checkpoint
  OddVocabulary,     ///< a vocabulary of `a` is padded under TP
};

struct Trap {
  TrapKind kind = TrapKind::HeadSize;
  Count a = 0;
  Count b = 0;
  friend bool operator==(const Trap&, const Trap&) = default;
};

/// The traps that apply, in the order above. Amounts come from the shapes.
std::vector<Trap> find_traps(const ModelSpec& model);

}  // namespace fathom::model
