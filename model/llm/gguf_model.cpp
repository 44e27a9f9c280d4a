#include "model/llm/gguf_model.h"

#include "hardware/base/suggest.h"
#include "model/llm/gguf_layer.h"
#include "model/llm/gguf_match.h"
#include "model/llm/gguf_name.h"
#include "model/llm/gguf_part.h"
#include "model/llm/parameter_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

using hardware::Diagnostics;

/// A model while it is read: layers in order, each with the block that it comes from.
struct Draft {
  GgufFields* fields = nullptr;
  GgufBlocks blocks;
  ModelSpec spec;
  std::vector<LayerKind> layers;
  std::vector<std::size_t> mtp_blocks;
  std::vector<LayerKind> mtp;
  GgufDifferences differences;
};

const GgufArchitecture* find_architecture(const GgufFile& file, Diagnostics& diagnostics) {
  const hardware::Mark mark{hardware::make_source(file.path, {}), 0, 0};
  const std::string name(file.text("general.architecture"));
  if (name.empty()) {
    diagnostics.error(mark, "missing field 'general.architecture'");
    return nullptr;
  }
  std::vector<std::string> known;
  for (const GgufArchitecture& one : gguf_architectures()) {
    if (one.name == name) {
      return &one;
    }
    known.emplace_back(one.name);
  }
  const std::string near = hardware::did_you_mean(name, known);
  diagnostics.error(
      mark, fmt::format("unknown architecture '{}'", printable(name)),
      fmt::format("{}{}it would need the roles of its tensors and what its metadata leave to "
                  "llama.cpp (windows, parallel blocks); docs/adding-a-model.md shows how to add "
                  "one, or describe the model in YAML",
                  near, near.empty() ? "" : " "));
  return nullptr;
}

/// attn_norm, post_ffw_norm_1: what is left of the norms on the residual stream.
bool is_norm(std::string_view stem) {
  const auto last = stem.find_last_of('_');
  if (last != std::string_view::npos && last + 2 == stem.size() && stem.back() >= '0' &&
      stem.back() <= '9') {
    stem = stem.substr(0, last);
  }
  return stem.ends_with("norm");
}

void take_norms(GgufBlock& block, Count hidden, LayerKind& layer) {
  constexpr std::string_view kWeight = ".weight";
  layer.norms = 0;
  for (const std::string& name : block.free_names()) {
    if (!name.ends_with(kWeight)) {
      continue;
    }
    const std::string stem = name.substr(0, name.size() - kWeight.size());
    if (is_norm(stem) && block.elements(stem) == hidden && block.take(stem, Role::Norms)) {
      ++layer.norms;
      layer.norm_bias = block.take(stem + ".bias", Role::Norms) || layer.norm_bias;
    }
  }
}

/// Projection, norms and copies of a multi-token prediction layer.
bool take_mtp(GgufBlock& block, ModelSpec& spec) {
  if (!block.take("nextn.eh_proj", Role::MtpProjection)) {
    return false;
  }
  for (const char* norm : {"nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm"}) {
    block.take(norm, Role::MtpNorms);
  }
  for (const char* copy : {"nextn.embed_tokens", "nextn.shared_head_head"}) {
    spec.mtp_shared_embedding = !block.take(copy, Role::Embedding) && spec.mtp_shared_embedding;
  }
  return true;
}

LayerKind build_layer(const GgufLayer& at) {
  LayerKind layer;
  layer.count = 1;
  layer.parallel = at.architecture->parallel;
  layer.attention = build_gguf_attention(at);
  layer.mlp = build_gguf_mlp(at);
  layer.scalar = at.block->take("layer_output_scale", Role::LayerScalar);
  if (at.block->has("inp_gate")) {
    layer.per_layer_width = at.block->rows("inp_gate");
    at.block->take("inp_gate", Role::PerLayerGate);
    at.block->take("proj", Role::PerLayerUp);
  }
  take_norms(*at.block, at.hidden, layer);
  return layer;
}

void build_layers(const GgufArchitecture& architecture, Draft& draft) {
  for (std::size_t i = 0; i < draft.blocks.blocks.size(); ++i) {
    GgufBlock& block = draft.blocks.blocks[i];
    if (block.empty()) {
      draft.fields->error(fmt::format("block {} has no tensors", i));
      return;
    }
    const bool mtp = take_mtp(block, draft.spec);
    const LayerKind layer = build_layer(
        {draft.fields, &block, &architecture, draft.spec.hidden, static_cast<Count>(i)});
    if (mtp) {
      draft.mtp_blocks.push_back(i);
    }
    (mtp ? draft.mtp : draft.layers).push_back(layer);
  }
}

void build_outer(Draft& draft) {
  GgufBlock& outer = draft.blocks.outer;
  ModelSpec& spec = draft.spec;
  spec.vocabulary = outer.rows("token_embd");
  outer.take("token_embd", Role::Embedding);
  spec.tied_embeddings = !outer.take("output", Role::LmHead);
  spec.lm_head_bias = outer.take("output.bias", Role::LmHeadBias);
  outer.take("output_norm", Role::FinalNorm);
  outer.take("output_norm.bias", Role::FinalNorm);
  if (outer.has("per_layer_token_embd")) {
    const auto layers = static_cast<Count>(std::max<std::size_t>(1, draft.layers.size()));
    spec.per_layer_embedding =
        PerLayerEmbedding{outer.rows("per_layer_token_embd"),
                          std::max<Count>(1, outer.columns("per_layer_token_embd") / layers)};
    outer.take("per_layer_token_embd", Role::PerLayerEmbedding);
    outer.take("per_layer_model_proj", Role::PerLayerProjection);
    outer.take("per_layer_proj_norm", Role::FinalNorm);
  }
}

/// Sizes so large that counting would overflow are refused before anything is counted.
bool sane(const Draft& draft) {
  constexpr double kMostParameters = 1e15;
  ModelSpec rough = draft.spec;
  rough.layers = draft.layers;
  rough.mtp = draft.mtp;
  const double parameters = rough_parameters(rough);
  if (parameters > kMostParameters) {
    draft.fields->error(fmt::format("the sizes give {:.3g} parameters", parameters));
    return false;
  }
  return true;
}

void match_layers(Draft& draft) {
  std::size_t main = 0;
  std::size_t mtp = 0;
  for (std::size_t i = 0; i < draft.blocks.blocks.size(); ++i) {
    const bool is_mtp = std::count(draft.mtp_blocks.begin(), draft.mtp_blocks.end(), i) > 0;
    LayerKind& layer = is_mtp ? draft.mtp.at(mtp++) : draft.layers.at(main++);
    const auto tensors =
        is_mtp ? mtp_tensors(draft.spec, layer) : layer_tensors(layer, draft.spec.hidden);
    layer.formats = match_formats(fmt::format("block {}", i), draft.blocks.blocks[i], tensors,
                                  *draft.fields, draft.differences);
  }
}

void match_all(Draft& draft) {
  match_layers(draft);
  ModelSpec& spec = draft.spec;
  collapse_layers(draft.layers, spec);
  for (const LayerKind& layer : draft.mtp) {
    if (!spec.mtp.empty()) {
      LayerKind last = spec.mtp.back();
      last.count = 1;
      if (last == layer) {
        ++spec.mtp.back().count;
        continue;
      }
    }
    spec.mtp.push_back(layer);
  }
  spec.formats = match_formats("the file", draft.blocks.outer, outer_tensors(spec), *draft.fields,
                               draft.differences);
}

std::string describe(const std::string& cause, const GgufDifference& d) {
  const std::string places = d.places > 1 ? fmt::format(" ({} times)", d.places) : std::string();
  const std::string parameters = d.parameters == 0
                                     ? std::string()
                                     : fmt::format(", {} parameters {}", std::abs(d.parameters),
                                                   d.parameters > 0 ? "more" : "less");
  return fmt::format("{}{}: the model has {} bytes {}{}", cause, places, std::abs(d.bytes),
                     d.bytes > 0 ? "more" : "less", parameters);
}

/// Compares the bytes of model and file; equal ones become a claim that is checked on each load.
void check_bytes(const GgufFile& file, const Draft& draft, Diagnostics& diagnostics,
                 ImportedModel& out) {
  const Census census = take_census(draft.spec);
  const double bytes = (census.weight_bytes + census.mtp_bytes).base();
  const auto stored = static_cast<double>(file.data_bytes);
  if (bytes == stored) {
    out.weight_bytes = std::to_string(file.data_bytes);
    out.claims_source = "the tensors of the file";
  }
  if (bytes == stored && draft.differences.empty()) {
    return;
  }
  hardware::Diagnostic& warning = diagnostics.warning(
      {hardware::make_source(file.path, {}), 0, 0},
      fmt::format("the model has {:.0f} bytes of weights, the tensors of the file {:.0f}", bytes,
                  stored));
  for (const auto& [cause, difference] : draft.differences) {
    const std::string text = describe(cause, difference);
    warning.notes.push_back({warning.mark, text});
    out.notes.push_back(text);
  }
}

void add_notes(const GgufArchitecture& architecture, const Draft& draft, ImportedModel& out) {
  GgufFields& f = *draft.fields;
  out.notes.emplace_back("the cache is taken as F16, llama.cpp's default");
  const bool names_window = f.may("attention.sliding_window", 0) > 0;
  const bool windows = architecture.period > 0 || f.has("attention.sliding_window_pattern");
  if (names_window && !windows) {
    out.notes.emplace_back("attention.sliding_window is not used: llama.cpp attends in full here");
  }
  if (f.may("nextn_predict_layers", 0) > 0 && draft.mtp.empty()) {
    out.notes.emplace_back("the file leaves the MTP layers out");
  }
}

bool read_shapes(const GgufArchitecture& architecture, const GgufFile& file, Draft& draft) {
  constexpr Count kMostBlocks = 4096;
  GgufFields& f = *draft.fields;
  draft.spec.hidden = f.need("embedding_length");
  const Count blocks = f.need("block_count");
  if (blocks > kMostBlocks) {
    f.error(fmt::format("{} blocks; at most {} are read", blocks, kMostBlocks));
    return false;
  }
  draft.blocks = split_blocks(file, blocks);
  draft.spec.max_context = f.may("context_length", 0);
  build_layers(architecture, draft);
  build_outer(draft);
  return true;
}

}  // namespace

std::optional<ImportedModel> import_gguf_model(const GgufFile& file, Diagnostics& diagnostics) {
  const GgufArchitecture* architecture = find_architecture(file, diagnostics);
  if (architecture == nullptr) {
    return std::nullopt;
  }
  GgufFields fields(file, diagnostics);
  Draft draft;
  draft.fields = &fields;
  if (!read_shapes(*architecture, file, draft) || fields.failed() || !sane(draft)) {
    return std::nullopt;
  }
  match_all(draft);
  if (fields.failed()) {
    return std::nullopt;
  }
  draft.spec.id = gguf_model_id(file);
  draft.spec.kv_format = Format::Fp16;
  ImportedModel out;
  out.source =
      fmt::format("header of {} (GGUF v{})",
                  printable(file.path.substr(file.path.find_last_of('/') + 1)), file.version);
  add_notes(*architecture, draft, out);
  check_bytes(file, draft, diagnostics, out);
  out.spec = draft.spec;
  return out;
}

}  // namespace fathom::model
