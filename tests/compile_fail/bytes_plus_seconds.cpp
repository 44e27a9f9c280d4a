// must not compile: Bytes.*Seconds

#include "hardware/base/quantity.h"

namespace fathom::hardware {

const Bytes weights = Bytes{3.0};
const Seconds step = Seconds{4.0};
const auto sum = weights + step;

}  // namespace fathom::hardware
