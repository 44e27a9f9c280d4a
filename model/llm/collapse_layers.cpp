#include "model/llm/import_hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fathom::model {
namespace {

std::string name_of(const GroupedAttention& a) {
  std::string out = a.window > 0 ? "window" : a.chunk > 0 ? "chunk" : a.indexer ? "sparse" : "full";
  return a.shared_kv ? out + "-shared" : out;
}
std::string name_of(const LatentAttention& a) {
  return !a.indexer ? "latent" : a.indexer->shared ? "sparse-shared" : "sparse";
}
std::string name_of(const CompressedAttention& a) {
  return a.ratio == 0 ? "raw" : fmt::format("ratio-{}", a.ratio);
}
std::string name_of(const Mamba1& /*m*/) { return "mamba"; }
std::string name_of(const Mamba2& /*m*/) { return "mamba"; }
std::string name_of(const DeltaNet& /*m*/) { return "delta"; }
std::string name_of(const KeyedDelta& /*m*/) { return "delta"; }
std::string name_of(const LightningAttention& /*m*/) { return "lightning"; }
std::string name_of(const NoAttention& /*m*/) { return ""; }
std::string name_of(const DenseMlp& /*f*/) { return "dense"; }
std::string name_of(const MoeMlp& /*f*/) { return "moe"; }
std::string name_of(const NoMlp& /*f*/) { return ""; }

/// "window-moe"; the part that all layers share is left out.
std::string kind_name(const LayerKind& layer, bool with_attention, bool with_mlp) {
  const auto text = [](const auto& block) { return name_of(block); };
  const std::string attention = with_attention ? std::visit(text, layer.attention) : "";
  const std::string mlp = with_mlp ? std::visit(text, layer.mlp) : "";
  const std::string joined = attention + (attention.empty() || mlp.empty() ? "" : "-") + mlp;
  return joined.empty() ? "empty" : joined;
}

void name_kinds(ModelSpec& spec) {
  std::set<std::string> attentions;
  std::set<std::string> mlps;
  for (const LayerKind& kind : spec.layers) {
    attentions.insert(kind_name(kind, true, false));
    mlps.insert(kind_name(kind, false, true));
  }
  std::set<std::string> taken;
  std::map<std::string, int> last;  // number that was given out
  for (LayerKind& kind : spec.layers) {
    const std::string name =
        kind_name(kind, attentions.size() > 1 || mlps.size() == 1, mlps.size() > 1);
    kind.name = name;
    for (int& i = last.try_emplace(name, 1).first->second; !taken.insert(kind.name).second;) {
      kind.name = fmt::format("{}-{}", name, ++i);
    }
  }
}

}  // namespace

void collapse_layers(std::vector<LayerKind> layers, ModelSpec& spec) {
  spec.layers.clear();
  spec.order.clear();
  std::vector<Count> counts;
  for (LayerKind& layer : layers) {
    layer.count = 0;
    layer.name.clear();
    const auto found = std::find(spec.layers.begin(), spec.layers.end(), layer);
    const auto index = static_cast<std::size_t>(found - spec.layers.begin());
    if (index == counts.size()) {
      spec.layers.push_back(std::move(layer));
      counts.push_back(0);
    }
    counts.at(index) += 1;
    spec.order.push_back(static_cast<std::uint16_t>(index));
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    spec.layers.at(i).count = counts.at(i);
  }
  if (std::is_sorted(spec.order.begin(), spec.order.end())) {
    spec.order.clear();  // each kind in one run, as listed
  }
  if (spec.layers.size() > 1) {
    name_kinds(spec);
  }
}

}  // namespace fathom::model
