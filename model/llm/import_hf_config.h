#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "model/llm/model_spec.h"

#include <optional>
#include <string>
#include <vector>

namespace fathom::model {

/// A claim of the maker, as written: "744e9".
struct Claim {
  std::string value;
  std::string counts;  ///< main, with-mtp; all, no-input-embedding, no-embeddings
};

/// A model read from a foreign file, with what a spec says beside the shapes.
struct ImportedModel {
  ModelSpec spec;
  std::string source;
  std::vector<std::string> notes;  ///< traps, assumptions, claims that the shapes do not give
  std::optional<Claim> total;      ///< published totals that the shapes give
  std::optional<Claim> active;
  std::optional<std::string> weight_bytes;  ///< of the checkpoint, as its index says
  std::string claims_source;
};

/// What lies beside a config.json.
struct ConfigContext {
  std::string id;  ///< of the model; empty = from the file
  const hardware::SpecNode* hf_quant_config = nullptr;
};

/// Reads a Hugging Face config.json: the text decoder (nested `text_config`, `llm_config`,
/// `language_config`, `thinker_config`), its quantisation and its MTP layers. An unknown
/// architecture is refused by name, a missing size named. `_meta` (hf_id, source, published
/// totals), where a collection of configs adds it, gives id, source and claims.
std::optional<ImportedModel> import_hf_config(const hardware::SpecNode& root,
                                              const ConfigContext& context,
                                              hardware::Diagnostics& diagnostics);

/// True where a JSON file looks like a config.json of a model: it names an architecture.
bool is_hf_config(const hardware::SpecNode& root);

/// The short id of a Hugging Face name: "Qwen/Qwen3-8B" is "qwen3-8b"; "-Instruct", "-it", "-hf"
/// and the like are dropped.
std::string short_model_id(const std::string& hugging_face);

/// Joins equal layers of a list in order to kinds with counts, names and an order.
void collapse_layers(std::vector<LayerKind> layers, ModelSpec& spec);

}  // namespace fathom::model
