#include "model/llm/read_model.h"

#include "hardware/base/map_reader.h"
#include "hardware/base/unit_text.h"
#include "model/llm/parameter_count.h"
#include "model/llm/read_blocks.h"

#include <fmt/format.h>

#include <cmath>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::MapReader;
using hardware::SpecNode;

constexpr Count kMaxLayers = 10'000;

/// Reads the groups present into `formats`; returns which were present.
std::array<bool, kGroupCount> read_formats(const SpecNode& node, Formats& formats,
                                           std::optional<Format>& kv, Diagnostics& diagnostics) {
  MapReader r(node, "formats", diagnostics);
  std::array<bool, kGroupCount> present{};
  for (int i = 0; i < kGroupCount; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const std::string name = group_name(static_cast<Group>(i));
    if (const auto format = r.optional_format(name)) {
      formats.at(index) = *format;
    }
    present.at(index) = r.has(name);
  }
  kv = r.optional_format("kv_cache");
  r.finish();
  return present;
}

struct LayerDefaults {
  const SpecNode* attention = nullptr;
  Formats formats{};
};

std::optional<LayerKind> read_layer(const SpecNode& node, const LayerDefaults& defaults,
                                    bool is_mtp, ModelSpec& model, Diagnostics& diagnostics) {
  MapReader r(node, is_mtp ? "mtp" : "layers", diagnostics);
  LayerKind layer;
  layer.formats = defaults.formats;
  const auto count = r.required_count("count", 1, kMaxLayers);
  const SpecNode* attention_node = r.optional_node("attention");
  if (attention_node == nullptr) {
    attention_node = defaults.attention;
  }
  if (attention_node == nullptr && r.valid()) {
    diagnostics.error(r.mark(), "missing key 'attention': neither the layer nor the model has it",
                      "add 'attention: {kind: grouped, ...}' to the model or to the layer");
  }
  const auto attention =
      attention_node == nullptr ? std::nullopt : read_attention(*attention_node, diagnostics);
  const SpecNode* ffn = r.required_node("ffn");
  const auto mlp = ffn == nullptr ? std::nullopt : read_mlp(*ffn, diagnostics);
  layer.norms = r.optional_count("norms", 0, 16).value_or(2);
  if (const SpecNode* formats = r.optional_node("formats")) {
    std::optional<Format> kv;
    read_formats(*formats, layer.formats, kv, diagnostics);
  }
  if (is_mtp) {
    model.mtp_in_checkpoint = r.required_bool("in_checkpoint").value_or(true);
    model.mtp_shared_embedding = r.required_bool("shared_embedding").value_or(true);
  }
  r.finish();
  if (!count || !attention || !mlp) {
    return std::nullopt;
  }
  layer.count = *count;
  layer.attention = *attention;
  layer.mlp = *mlp;
  return layer;
}

/// The groups that the layers really have, so that a missing format is an error and not a default.
std::array<bool, kGroupCount> groups_needed(const ModelSpec& model) {
  std::array<bool, kGroupCount> need{};
  const auto mark = [&](Group group) { need.at(static_cast<std::size_t>(group)) = true; };
  mark(Group::Embedding);
  mark(Group::Norm);
  mark(Group::Attention);
  if (!model.tied_embeddings) {
    mark(Group::LmHead);
  }
  if (!model.mtp.empty()) {
    mark(Group::Mtp);
  }
  for (const LayerKind& layer : model.layers) {
    const auto* latent = std::get_if<LatentAttention>(&layer.attention);
    if (latent != nullptr && latent->indexer) {
      mark(Group::Indexer);
    }
    if (const auto* moe = std::get_if<MoeMlp>(&layer.mlp)) {
      mark(Group::Router);
      mark(Group::RoutedExperts);
      if (moe->shared_width > 0) {
        mark(Group::SharedExperts);
      }
    } else {
      mark(Group::DenseFfn);
    }
  }
  return need;
}

void assert_published(const std::string& key, const SpecNode* node, double written, double derived,
                      const std::string& convention, MapReader& r) {
  const SpecNode* value = node->kind == SpecNode::Kind::Map ? node->find("value") : node;
  if (value == nullptr) {
    r.error(key, "a claim is one number, not an interval");
    return;
  }
  const std::string& text = value->text;
  const double tolerance = half_last_digit(text);
  if (std::abs(written - derived) <= tolerance) {
    return;
  }
  r.error(
      key,
      fmt::format("published {} is {}, the shapes give {:.0f}{}", key, text, derived, convention),
      "correct the shapes, or remove the claim and say why in a note");
}

void check_active(const SpecNode& node, const Census& census, MapReader& r,
                  Diagnostics& diagnostics, ModelSpec& model) {
  std::size_t counts = 1;
  const SpecNode* value = &node;
  if (node.kind == SpecNode::Kind::Map) {
    MapReader active(node, "active_parameters", diagnostics);
    counts = active.required_choice("counts", {"all", "no-input-embedding", "no-embeddings"})
                 .value_or(1);
    value = active.required_node("value");
    active.finish();
    if (value == nullptr) {
      return;
    }
  }
  const auto written = hardware::parse_number(value->text);
  if (!written) {
    r.error("active_parameters", fmt::format("'{}' is not a number", value->text));
    return;
  }
  model.published.active_parameters = *written;
  const std::array<Count, 3> derived{census.active_all, census.active_no_input_embedding,
                                     census.active_no_embeddings};
  const std::array<const char*, 3> names{"every parameter a token touches",
                                         "without the input embedding", "without embeddings"};
  assert_published("active_parameters", &node, *written, static_cast<double>(derived.at(counts)),
                   fmt::format(" ({})", names.at(counts)), r);
}

void read_published(const SpecNode& node, ModelSpec& model, Diagnostics& diagnostics) {
  MapReader r(node, "published", diagnostics);
  const Census census = take_census(model);
  if (const auto total = r.optional_number("total_parameters", 0, 1e18)) {
    model.published.total_parameters = *total;
    assert_published("total_parameters", r.optional_node("total_parameters"), *total,
                     static_cast<double>(census.total), " without MTP", r);
  }
  if (const SpecNode* active = r.optional_node("active_parameters")) {
    check_active(*active, census, r, diagnostics, model);
  }
  if (const auto bytes = r.optional_number("weight_bytes", 0, 1e18)) {
    model.published.weight_bytes = *bytes;
    const Bytes stored =
        census.weight_bytes + (model.mtp_in_checkpoint ? census.mtp_bytes : Bytes());
    assert_published("weight_bytes", r.optional_node("weight_bytes"), *bytes, stored.base(),
                     " as stored", r);
  }
  r.finish();
}

void check_formats(const std::array<bool, kGroupCount>& present, MapReader& r,
                   const ModelSpec& model) {
  const auto need = groups_needed(model);
  for (std::size_t i = 0; i < need.size(); ++i) {
    if (need.at(i) && !present.at(i)) {
      const std::string name = group_name(static_cast<Group>(i));
      r.error("formats", fmt::format("missing key '{}' in 'formats'", name),
              fmt::format("add '{}: bf16' or the format that the checkpoint stores", name));
    }
  }
}

Formats mtp_formats(const Formats& formats) {
  Formats out = formats;
  const Format mtp = formats.at(static_cast<std::size_t>(Group::Mtp));
  for (const Group group : {Group::Attention, Group::Indexer, Group::RoutedExperts,
                            Group::SharedExperts, Group::DenseFfn}) {
    out.at(static_cast<std::size_t>(group)) = mtp;
  }
  return out;
}

void read_layers(MapReader& r, const LayerDefaults& defaults, ModelSpec& model,
                 Diagnostics& diagnostics) {
  const SpecNode* layers = r.required_node("layers");
  if (layers != nullptr && layers->kind != SpecNode::Kind::List) {
    r.error("layers", "'layers' is a list of layer kinds",
            "write '- {count: 32, ffn: {kind: dense, width: 14336}}' below it");
  } else if (layers != nullptr) {
    if (layers->items.empty()) {
      r.error("layers", "'layers' is empty: a model has at least one layer");
    }
    for (const SpecNode& item : layers->items) {
      if (auto layer = read_layer(item, defaults, false, model, diagnostics)) {
        model.layers.push_back(*layer);
      }
    }
  }
  if (const SpecNode* mtp = r.optional_node("mtp")) {
    LayerDefaults mtp_defaults = defaults;
    mtp_defaults.formats = mtp_formats(defaults.formats);
    if (auto layer = read_layer(*mtp, mtp_defaults, true, model, diagnostics)) {
      model.mtp.push_back(*layer);
    }
  }
}

/// Products of absurd shapes overflow; refused before anything is counted.
void check_size(const ModelSpec& model, MapReader& r) {
  constexpr double kMostParameters = 1e15;
  const double parameters = rough_parameters(model);
  if (parameters > kMostParameters) {
    r.error("model", fmt::format("the shapes give {:.3g} parameters", parameters),
            "a dimension, a count of experts or of layers is too large");
  }
}

}  // namespace

double half_last_digit(const std::string& text) {
  const auto exponent_at = text.find_first_of("eE");
  const std::string mantissa = text.substr(0, exponent_at);
  double exponent = 0;
  if (exponent_at != std::string::npos) {
    exponent = hardware::parse_number(text.substr(exponent_at + 1)).value_or(0);
  }
  const auto point = mantissa.find('.');
  const double decimals =
      point == std::string::npos ? 0 : static_cast<double>(mantissa.size() - point - 1);
  return 0.5 * std::pow(10.0, exponent - decimals);
}

std::optional<ModelSpec> read_model(const SpecNode& node, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.all().size();
  ModelSpec model;
  MapReader r(node, "model", diagnostics);
  model.id = r.required_text("model").value_or("");
  model.hugging_face = r.optional_text("hugging_face").value_or("");
  model.hidden = r.required_count("hidden", 1, kMaxDimension).value_or(1);
  model.vocabulary = r.required_count("vocabulary", 1, kMaxDimension).value_or(1);
  model.max_context = r.required_count("max_context", 1, 1'000'000'000).value_or(1);
  model.tied_embeddings = r.required_bool("tied_embeddings").value_or(false);
  std::array<bool, kGroupCount> present{};
  std::optional<Format> kv;
  const SpecNode* formats = r.required_node("formats");
  if (formats != nullptr) {
    present = read_formats(*formats, model.formats, kv, diagnostics);
    if (!kv && formats->kind == SpecNode::Kind::Map && formats->find("kv_cache") == nullptr) {
      r.error("formats", "missing key 'kv_cache' in 'formats'",
              "add 'kv_cache: bf16' or the format that the checkpoint asks for");
    }
  }
  model.kv_format = kv.value_or(Format::Bf16);
  read_layers(r, {r.optional_node("attention"), model.formats}, model, diagnostics);
  if (formats != nullptr && formats->kind == SpecNode::Kind::Map) {
    check_formats(present, r, model);
  }
  if (diagnostics.all().size() == errors_before) {
    check_size(model, r);
  }
  const SpecNode* published = r.optional_node("published");
  if (published != nullptr && diagnostics.all().size() == errors_before) {
    read_published(*published, model, diagnostics);
  }
  r.finish();
  if (!r.valid() || diagnostics.all().size() != errors_before) {
    return std::nullopt;
  }
  return model;
}

ModelSpec with_weight_format(const ModelSpec& model, Format format) {
  ModelSpec out = model;
  const auto apply = [format](Formats& formats) {
    for (const Group group : {Group::Attention, Group::RoutedExperts, Group::SharedExperts,
                              Group::DenseFfn, Group::Indexer}) {
      formats.at(static_cast<std::size_t>(group)) = format;
    }
  };
  apply(out.formats);
  for (LayerKind& layer : out.layers) {
    apply(layer.formats);
  }
  return out;
}

}  // namespace fathom::model
