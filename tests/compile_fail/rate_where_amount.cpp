// must not compile: from '.*Quantity<.*1.*-1.*>' to '.*Quantity<.*1.*>'

#include "hardware/base/quantity.h"

namespace fathom::hardware {

Bytes store(Bytes amount);

const BytesPerSecond bandwidth = BytesPerSecond{2.0};
const Bytes stored = store(bandwidth);

}  // namespace fathom::hardware
