#pragma once

#include "model/layout/layout.h"
#include "model/llm/model_spec.h"

#include <vector>

namespace fathom::model {

/// Every way to use all of `gpus`: divisors for pp, replicas, attention TP x DP and, for a
/// mixture of experts, experts TP x EP on the same ranks. Legal or not; replicas first to last.
/// dcp is not searched.
std::vector<Layout> enumerate_layouts(const ModelSpec& model, Count gpus);

}  // namespace fathom::model
