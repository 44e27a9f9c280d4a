#include "model/llm/read_model.h"

#include "hardware/base/map_reader.h"
#include "model/llm/block_rules.h"
#include "model/llm/layer_order.h"
#include "model/llm/parameter_count.h"
#include "model/llm/read_blocks.h"
#include "model/llm/read_formats.h"
#include "model/llm/read_published.h"
#include "model/llm/tensors.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::MapReader;
using hardware::SpecNode;

struct LayerDefaults {
  const SpecNode* node = nullptr;      ///< the model's own `attention`
  std::optional<Attention> attention;  ///< as read from it
  Formats formats{};
};

/// What a layer has beside attention and FFN.
void read_extras(MapReader& r, LayerKind& layer) {
  layer.name = r.optional_text("name").value_or("");
  layer.norms = r.optional_count("norms", 0, kMaxNorms).value_or(2);
  layer.norm_bias = r.optional_bool("norm_bias").value_or(false);
  layer.parallel = r.optional_bool("parallel").value_or(false);
  layer.scalar = r.optional_bool("scalar").value_or(false);
  layer.hyper_streams = r.optional_count("hyper_streams", 1, kMaxHyperStreams).value_or(0);
  layer.per_layer_width = r.optional_count("per_layer_width", 1, kMaxDimension).value_or(0);
}

/// Rules between the parts of a layer and the model.
void check_layer(const LayerKind& layer, const ModelSpec& model, MapReader& r) {
  const bool whole = !std::holds_alternative<NoAttention>(layer.attention) &&
                     !std::holds_alternative<NoMlp>(layer.mlp);
  if (layer.parallel && !whole) {
    r.error("parallel", "a parallel layer has both attention and FFN; one of them is 'none'");
  }
  const Count own = model.per_layer_embedding ? model.per_layer_embedding->width : 0;
  if (layer.per_layer_width > 0 && layer.per_layer_width != own) {
    r.error("per_layer_width",
            own > 0 ? fmt::format("per_layer_width {} is not the {} of 'per_layer_embedding'",
                                  layer.per_layer_width, own)
                    : "per_layer_width needs the model's 'per_layer_embedding'");
  }
}

std::optional<LayerKind> read_layer(const SpecNode& node, const LayerDefaults& defaults,
                                    bool is_mtp, ModelSpec& model, Diagnostics& diagnostics) {
  MapReader r(node, is_mtp ? "mtp" : "layers", diagnostics);
  LayerKind layer;
  layer.formats = defaults.formats;
  const auto count = r.required_count("count", 1, kMaxLayers);
  const SpecNode* own = r.optional_node("attention");
  if (own == nullptr && defaults.node == nullptr && r.valid()) {
    diagnostics.error(r.mark(), "missing key 'attention': neither the layer nor the model has it",
                      "add 'attention: {kind: grouped, ...}' to the model or to the layer");
  }
  const auto attention = own == nullptr ? defaults.attention : read_attention(*own, diagnostics);
  const SpecNode* ffn = r.required_node("ffn");
  const auto mlp = ffn == nullptr ? std::nullopt : read_mlp(*ffn, diagnostics);
  read_extras(r, layer);
  if (const SpecNode* formats = r.optional_node("formats")) {
    read_formats(*formats, layer.formats, diagnostics);
  }
  if (is_mtp) {
    model.mtp_in_checkpoint = r.required_bool("in_checkpoint").value_or(true);
    model.mtp_shared_embedding = r.required_bool("shared_embedding").value_or(true);
  }
  if (count && attention && mlp) {
    layer.count = *count;
    layer.attention = *attention;
    layer.mlp = *mlp;
    check_layer(layer, model, r);
  }
  r.finish();
  return count && attention && mlp ? std::optional<LayerKind>(layer) : std::nullopt;
}

/// The groups that the model really has, so that a missing format is an error and not a default.
std::array<bool, kGroupCount> groups_needed(const ModelSpec& model) {
  std::array<bool, kGroupCount> need{};
  const auto mark = [&](const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors) {
      const FormatSource source = role_facts(tensor.role).source;
      const bool follows = source == FormatSource::Linear || tensor.group == Group::Norm;
      auto& needed = need.at(static_cast<std::size_t>(tensor.group));
      needed = needed || follows;
    }
  };
  mark(outer_tensors(model));
  for (const LayerKind& layer : model.layers) {
    mark(layer_tensors(layer, model.hidden));
  }
  need.at(static_cast<std::size_t>(Group::Mtp)) = !model.mtp.empty();
  return need;
}

void check_formats(const std::array<bool, kGroupCount>& present, MapReader& r,
                   const ModelSpec& model) {
  const auto need = groups_needed(model);
  for (std::size_t i = 0; i < need.size(); ++i) {
    if (need.at(i) && !present.at(i)) {
      const std::string_view name = group_name(static_cast<Group>(i));
      r.error("formats", fmt::format("missing key '{}' in 'formats'", name),
              fmt::format("add '{}: bf16' or the format that the checkpoint stores", name));
    }
  }
}

void read_layers(MapReader& r, const LayerDefaults& defaults, const FormatsRead& formats,
                 ModelSpec& model, Diagnostics& diagnostics) {
  const SpecNode* layers = r.required_node("layers");
  if (layers != nullptr && layers->kind != SpecNode::Kind::List) {
    r.error("layers", "'layers' is a list of layer kinds",
            "write '- {count: 32, ffn: {kind: dense, width: 14336}}' below it");
  } else if (layers != nullptr) {
    if (layers->items.empty()) {
      r.error("layers", "'layers' is empty: a model has at least one layer");
    }
    constexpr std::size_t kMostFaults = 100;  // the next layers have the same, most likely
    const std::size_t before = diagnostics.all().size();
    for (const SpecNode& item : layers->items) {
      if (diagnostics.all().size() - before >= kMostFaults) {
        break;
      }
      if (auto layer = read_layer(item, defaults, false, model, diagnostics)) {
        model.layers.push_back(*layer);
      }
    }
  }
  if (const SpecNode* mtp = r.optional_node("mtp")) {
    LayerDefaults mtp_defaults = defaults;
    if (formats.mtp) {
      set_mtp_format(mtp_defaults.formats, *formats.mtp);
    }
    if (auto layer = read_layer(*mtp, mtp_defaults, true, model, diagnostics)) {
      model.mtp.push_back(*layer);
    }
  }
}

/// A model's own attention that every layer overrides would be read for nothing.
void check_shared_attention(const SpecNode& node, MapReader& r) {
  const SpecNode* layers = node.find("layers");
  if (node.find("attention") == nullptr || layers == nullptr || layers->items.empty()) {
    return;
  }
  const auto has_own = [](const SpecNode& layer) { return layer.find("attention") != nullptr; };
  const SpecNode* mtp = node.find("mtp");
  if (std::all_of(layers->items.begin(), layers->items.end(), has_own) &&
      (mtp == nullptr || has_own(*mtp))) {
    r.error("attention", "no layer uses the model's 'attention': each has its own",
            "remove it, or the layers' own");
  }
}

std::vector<std::string> layer_names(const ModelSpec& model) {
  std::vector<std::string> names;
  for (const LayerKind& layer : model.layers) {
    names.push_back(layer.name);
  }
  return names;
}

/// The order of interleaved layers; it names each kind as often as its count says.
void read_order(MapReader& r, ModelSpec& model) {
  const auto text = r.optional_text("order");
  if (!text) {
    return;
  }
  const std::vector<std::string> names = layer_names(model);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() || sorted.front().empty()) {
    r.error("order", "'order' needs a name of its own for each layer kind",
            "add 'name: full' to the entries of 'layers'");
    return;
  }
  std::string error;
  const auto order = parse_order(*text, names, error);
  if (!order) {
    r.error("order", error, "write 'order: 3*dense 18*(window full)' with the layers' names");
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto times = std::count(order->begin(), order->end(), static_cast<std::uint16_t>(i));
    if (times != model.layers.at(i).count) {
      r.error("order", fmt::format("'{}' stands {} times in 'order', its count is {}", names.at(i),
                                   times, model.layers.at(i).count));
      return;
    }
  }
  model.order = *order;
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

/// `max_context: none` where nothing states it.
Count read_context(MapReader& r) {
  const SpecNode* node = r.optional_node("max_context");
  if (node != nullptr && node->kind == SpecNode::Kind::Scalar && node->text == "none") {
    return 0;
  }
  return r.required_count("max_context", 1, 1'000'000'000).value_or(1);
}

void read_head(MapReader& r, ModelSpec& model, Diagnostics& diagnostics) {
  model.id = r.required_text("model").value_or("");
  model.hugging_face = r.optional_text("hugging_face").value_or("");
  model.hidden = r.required_count("hidden", 1, kMaxDimension).value_or(1);
  model.vocabulary = r.required_count("vocabulary", 1, kMaxDimension).value_or(1);
  model.max_context = read_context(r);
  model.tied_embeddings = r.required_bool("tied_embeddings").value_or(false);
  constexpr Count kMostBytes = 1'000'000'000'000'000;
  model.checkpoint_bytes =
      Bytes(static_cast<double>(r.optional_count("checkpoint_bytes", 1, kMostBytes).value_or(0)));
  model.lm_head_bias = r.optional_bool("lm_head_bias").value_or(false);
  if (const SpecNode* own = r.optional_node("per_layer_embedding")) {
    MapReader inner(*own, "per_layer_embedding", diagnostics);
    const auto vocabulary = inner.required_count("vocabulary", 1, kMaxDimension);
    const auto width = inner.required_count("width", 1, kMaxDimension);
    inner.finish();
    model.per_layer_embedding = PerLayerEmbedding{vocabulary.value_or(1), width.value_or(1)};
  }
}

}  // namespace

std::optional<ModelSpec> read_model(const SpecNode& node, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.all().size();
  ModelSpec model;
  MapReader r(node, "model", diagnostics);
  read_head(r, model, diagnostics);
  FormatsRead read;
  set_small_formats(model.formats, Format::Bf16);
  const SpecNode* formats = r.required_node("formats");
  if (formats != nullptr) {
    read = read_formats(*formats, model.formats, diagnostics);
    if (formats->kind == SpecNode::Kind::Map && !read.names_kv_cache) {
      r.error("formats", "missing key 'kv_cache' in 'formats'",
              "add 'kv_cache: bf16' or the format that the checkpoint asks for");
    }
  }
  model.kv_format = read.kv_cache.value_or(Format::Bf16);
  model.state_format = read.state_cache.value_or(Format::Fp32);
  const SpecNode* shared = r.optional_node("attention");
  const auto attention = shared == nullptr ? std::nullopt : read_attention(*shared, diagnostics);
  read_layers(r, {shared, attention, model.formats}, read, model, diagnostics);
  check_shared_attention(node, r);
  if (diagnostics.all().size() == errors_before) {
    read_order(r, model);
  } else {
    (void)r.optional_text("order");
  }
  if (formats != nullptr && formats->kind == SpecNode::Kind::Map) {
    check_formats(read.present, r, model);
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
                              Group::DenseFfn, Group::Indexer, Group::Recurrent}) {
      set_group_format(formats, group, format);
    }
  };
  apply(out.formats);
  for (LayerKind& layer : out.layers) {
    apply(layer.formats);
  }
  return out;
}

}  // namespace fathom::model
