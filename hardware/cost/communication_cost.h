#pragma once

#include "hardware/cost/price.h"

namespace fathom::hardware {

/// Seconds of one collective, split in latency and bandwidth, and the bytes sent per rank. The
/// fastest of the routes that the machine and the engine offer.
/// Equations: docs/physics.md section 5.
struct Transfer {
  double latency = 0;
  double bandwidth = 0;
  double wire_bytes = 0;
  [[nodiscard]] double total() const { return latency + bandwidth; }
};

Transfer price_collective(const Pricer& pricer, const Work& work) noexcept;

/// Fills the routes of a pricer from the link, its topology, and what the engine uses.
void set_routes(const SystemSpec& system, RoutePolicy policy, bool ideal, const Goodness& goodness,
                Pricer& pricer);

}  // namespace fathom::hardware
