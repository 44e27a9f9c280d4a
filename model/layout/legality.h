#pragma once

#include "hardware/base/numeric_format.h"
#include "model/layout/layout.h"
#include "model/llm/model_spec.h"

#include <optional>

namespace fathom::model {

/// Why a layout is refused; the amounts are in Illegal. Text is made by the report.
enum class IllegalReason : std::uint8_t {
  GpuCount,           ///< needs `a` GPUs, the system has `b`
  QueryHeads,         ///< `a` heads do not divide by TP `b`
  KvHeads,            ///< `a` KV heads neither divide by TP `b` nor divide it
  StateHeads,         ///< `a` heads or channels of a recurrent state do not divide by TP `b`
  KeyHeads,           ///< `a` key heads of a delta net do not divide by TP `b`
  StateGroups,        ///< `a` groups of B and C neither divide by TP `b` nor divide it
  OutputGroups,       ///< `a` output groups do not divide by TP `b`
  Experts,            ///< `a` experts do not divide by EP `b`
  QuantBlock,         ///< width `a` over `b` ranks cuts a block of `c`
  Width,              ///< width `a` does not divide by `b`
  Stages,             ///< `a` layers cannot fill `b` stages
  ContextParallel,    ///< dcp `a` does not divide attention TP `b`
  ContextParallelKv,  ///< dcp `a` x `c` KV heads exceed attention TP `b`
};

struct Illegal {
  IllegalReason reason = IllegalReason::GpuCount;
  Count a = 0;
  Count b = 0;
  Count c = 0;
  Group group = Group::Attention;
  friend bool operator==(const Illegal&, const Illegal&) = default;
};

/// The first rule that the layout breaks, or nothing. `gpus` = those of the system; 0 = any.
/// FP8 blocks that a shard cuts are refused; NVFP4 and MXFP4 shards are padded instead.
std::optional<Illegal> check_legal(const ModelSpec& model, const Layout& layout, Count gpus);

}  // namespace fathom::model
