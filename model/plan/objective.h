#pragma once

#include <cstdint>

namespace fathom::model {

/// What a plan maximises.
enum class Objective : std::uint8_t {
  OutputRate,  ///< output tokens per second of the deployment
  UserRate,    ///< tokens per second of one user
  FirstToken,  ///< shortest TTFT
};

const char* objective_name(Objective objective);

}  // namespace fathom::model
