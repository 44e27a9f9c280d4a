// must compile
// The same lines as in the other files of this folder, without their mistakes.

#include "hardware/base/quantity.h"

namespace fathom::hardware {

constexpr Bytes store(Bytes amount) { return amount; }

constexpr Bytes kWeights = Bytes{3.0};
constexpr Bytes kSum = kWeights + Bytes{4.0};
constexpr Bytes kStored = store(BytesPerSecond{2.0} * Seconds{1.0});
static_assert(kSum > kStored);

}  // namespace fathom::hardware
