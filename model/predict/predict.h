#pragma once

#include "model/predict/scenario.h"

#include <variant>

namespace fathom::model {

/// How much is worked out beside the times.
enum class Depth : std::uint8_t { Times, Limits };

/// Predicts one layout of a setup, or says why not. The library's door to a single prediction.
/// `Depth::Limits` adds elasticities and the limiter by elasticity; `Times` ranks by share.
std::variant<Prediction, Refusal> predict(const Setup& setup, const Layout& layout,
                                          const Question& question, Depth depth);

/// The ledger of one layout, or why it cannot be laid out. The library's door `fit`.
std::variant<Ledger, Refusal> fit(const Setup& setup, const Layout& layout,
                                  const Question& question);

/// Accepted drafts per drafted token that is assumed where none is given.
inline constexpr double kAssumedAcceptance = 0.6;

}  // namespace fathom::model
