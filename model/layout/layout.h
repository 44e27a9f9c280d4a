#pragma once

#include "hardware/base/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace fathom::model {

using hardware::Count;

/// How ranks divide a model: attention tp x dp, experts tp x ep (the same ranks), pp stages, dcp
/// parts of the KV of one TP group (adds no GPUs), replicas of the whole.
struct Layout {
  Count attention_tp = 1;
  Count attention_dp = 1;
  Count expert_tp = 1;  ///< of a dense model: equal to tp x dp, not printed
  Count expert_ep = 1;
  Count pp = 1;
  Count dcp = 1;
  Count replicas = 1;

  [[nodiscard]] Count ranks_per_stage() const { return attention_tp * attention_dp; }
  [[nodiscard]] Count gpus() const { return ranks_per_stage() * pp * replicas; }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// A layout or the reason that the text is none.
struct ParsedLayout {
  std::optional<Layout> layout;
  std::string error;
};

/// Reads `attention=tp8,experts=ep8,pp=1` in any order, and the short forms `tp8`, `dp8ep8`,
/// `tp4pp2`, `tp2ep4dp4`. `moe` says whether the model has experts: missing `experts` is then
/// tp(TP x DP), and giving it on a dense model is an error. Source: docs/physics.md and the
/// command-line reference.
ParsedLayout parse_layout(std::string_view text, bool moe);

/// The canonical text; factors 1 are left out, `pp` is always there.
std::string print_layout(const Layout& layout, bool moe);

}  // namespace fathom::model
