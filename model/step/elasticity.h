#pragma once

#include "model/step/limiter.h"

#include <functional>

namespace fathom::model {

/// Seconds (of a step, or per token served) on a machine better by a goodness.
using SecondsOn = std::function<double(const hardware::Goodness&)>;

/// -d ln seconds / d ln goodness of each resource that has a goodness, by +-10 % log differences:
/// minima over routes jump, so a derivative at a point says less (docs/physics.md section 7).
/// Imbalance and bubble stay 0: they have no goodness.
Elasticities elasticities_of(const SecondsOn& seconds);

}  // namespace fathom::model
