#include "model/layout/enumerate.h"

namespace fathom::model {
namespace {

std::vector<Count> divisors(Count n) {
  std::vector<Count> out;
  for (Count d = 1; d <= n; ++d) {
    if (n % d == 0) {
      out.push_back(d);
    }
  }
  return out;
}

/// `outer` holds pp and replicas; the ranks of a stage are divided in every way.
void add_stage_layouts(Count ranks, const Layout& outer, bool moe, std::vector<Layout>& out) {
  for (const Count dp : divisors(ranks)) {
    // Attention DP without experts to share is the same as replicas.
    if (!moe && dp > 1) {
      continue;
    }
    for (const Count ep : divisors(moe ? ranks : 1)) {
      Layout layout = outer;
      layout.attention_tp = ranks / dp;
      layout.attention_dp = dp;
      layout.expert_ep = ep;
      layout.expert_tp = ranks / ep;
      out.push_back(layout);
    }
  }
}

}  // namespace

std::vector<Layout> enumerate_layouts(const ModelSpec& model, Count gpus) {
  std::vector<Layout> out;
  const bool moe = model.is_moe();
  for (const Count replicas : divisors(gpus)) {
    const Count each = gpus / replicas;
    for (const Count pp : divisors(each)) {
      if (pp <= model.layer_count()) {
        Layout outer;
        outer.pp = pp;
        outer.replicas = replicas;
        add_stage_layouts(each / pp, outer, moe, out);
      }
    }
  }
  return out;
}

}  // namespace fathom::model
