#pragma once

#include "hardware/cost/work.h"

#include <array>
#include <cassert>

namespace fathom::model {

/// What an operator is, for the report.
enum class OperatorKind : std::uint8_t {
  QkvProjection,
  LatentDown,
  QueryUp,
  Absorb,
  LatentExpand,
  IndexProjection,
  IndexScan,
  TopK,
  AttentionSmall,
  AttentionCore,
  OutputProjection,
  AttentionReduce,
  ContextGather,
  ContextReduce,
  DenseUp,
  DenseSmall,
  DenseDown,
  FfnReduce,
  Router,
  MoeSmall,
  ExpertUp,
  ExpertDown,
  SharedUp,
  SharedDown,
  MoeReduce,
  ExpertExchange,
  Embedding,
  EmbeddingReduce,
  StepSmall,
  LmHead,
  LogitsGather,
  StageSend,
  DraftProjection,
  Compress,
  StateIn,
  StateProjection,
  StateUpdate,
  ExpertsIn,
  ExpertsOut,
  PerLayerInput,
  HyperConnection,
};
inline constexpr int kOperatorKindCount = 41;

const char* operator_name(OperatorKind kind);

/// One kernel (or a run of small ones) of one layer on one rank. Trivially copyable.
struct Operator {
  OperatorKind kind = OperatorKind::AttentionSmall;
  hardware::Work work;
};

/// Operators of one layer kind; fixed capacity, no allocation.
class OperatorList {
 public:
  static constexpr std::size_t kCapacity = 32;

  void add(OperatorKind kind, const hardware::Work& work) {
    assert(size_ < kCapacity);
    items_[size_] = {kind, work};
    ++size_;
  }
  [[nodiscard]] const Operator* begin() const { return items_.data(); }
  [[nodiscard]] const Operator* end() const { return items_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::array<Operator, kCapacity> items_{};
  std::size_t size_ = 0;
};

}  // namespace fathom::model
