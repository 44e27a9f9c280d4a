#include "model/llm/import_hf_config.h"

#include "hardware/base/unit_text.h"
#include "model/llm/block_rules.h"
#include "model/llm/gguf_part.h"
#include "model/llm/hf_architecture.h"
#include "model/llm/hf_config.h"
#include "model/llm/hf_draft.h"
#include "model/llm/hf_quantisation.h"
#include "model/llm/parameter_count.h"
#include "model/llm/read_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::SpecNode;

Format base_format(HfConfig& config, std::vector<std::string>& notes) {
  const std::string type = config.text({"torch_dtype", "dtype"});
  if (type == "float16" || type == "fp16") {
    return Format::Fp16;
  }
  if (type == "float32" || type == "fp32") {
    return Format::Fp32;
  }
  if (type.empty()) {
    notes.emplace_back("the file names no dtype: unquantised weights are taken as bf16");
  } else if (type != "bfloat16" && type != "bf16" && type != "auto") {
    config.wrong(*config.find({"torch_dtype", "dtype"}), fmt::format("unknown dtype '{}'", type),
                 "known: bfloat16, float16, float32");
  }
  return Format::Bf16;
}

Format state_format(HfConfig& config) {
  const std::string type = config.text({"mamba_ssm_cache_dtype", "mamba_ssm_dtype"});
  return type == "bfloat16" ? Format::Bf16 : type == "float16" ? Format::Fp16 : Format::Fp32;
}

/// The draft with formats, collapsed to kinds.
void fill_spec(const HfDraft& draft, const FormatSetting& formats, const Quantisation& q,
               Format base, ImportedModel& out) {
  ModelSpec& spec = out.spec;
  spec.hidden = draft.hidden;
  spec.vocabulary = draft.vocabulary;
  spec.tied_embeddings = draft.tied;
  spec.lm_head_bias = draft.lm_head_bias;
  spec.per_layer_embedding = draft.per_layer_embedding;
  spec.formats = formats.outer;
  spec.kv_format = q.kv_cache.value_or(base == Format::Fp32 ? Format::Bf16 : base);
  std::vector<LayerKind> layers = draft.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers.at(i).formats = formats.layers.at(i);
  }
  collapse_layers(std::move(layers), spec);
  spec.mtp_shared_embedding = draft.mtp_shared_embedding;
  spec.mtp_in_checkpoint = !q.drops_mtp;
  if (draft.mtp) {
    spec.mtp = {*draft.mtp};
    spec.mtp.front().formats = formats.mtp;
    if (q.drops_mtp) {
      out.notes.emplace_back("the export leaves the MTP layers out");
    }
  }
  out.notes.insert(out.notes.end(), draft.notes.begin(), draft.notes.end());
  out.notes.insert(out.notes.end(), formats.notes.begin(), formats.notes.end());
}

/// "744" billions is "744e9"; zeros at the end are digits that the maker did not state: "1600" is
/// "16e11".
std::string billions(std::string text) {
  int exponent = 9;
  while (text.size() > 1 && text.ends_with('0') && text.find('.') == std::string::npos) {
    text.pop_back();
    ++exponent;
  }
  return fmt::format("{}e{}", text, exponent);
}

/// The first convention under which the shapes give a claim.
std::optional<Claim> matching_claim(const std::string& value,
                                    const std::vector<std::pair<Count, std::string>>& derived) {
  const auto number = hardware::parse_number(value);
  if (!number) {
    return std::nullopt;
  }
  for (const auto& [count, counts] : derived) {
    if (std::abs(static_cast<double>(count) - *number) <= half_last_digit(value)) {
      return Claim{value, counts};
    }
  }
  return std::nullopt;
}

void add_claims(const SpecNode& meta, ImportedModel& out) {
  const Census census = take_census(out.spec);
  const std::vector<std::pair<Count, std::string>> totals{{census.total, "main"},
                                                          {census.total + census.mtp, "with-mtp"}};
  const std::vector<std::pair<Count, std::string>> actives{
      {census.active_no_input_embedding, "no-input-embedding"},
      {census.active_all, "all"},
      {census.active_no_embeddings, "no-embeddings"}};
  const std::string exact = scalar(meta, "hf_api_param_count");
  const std::string total = scalar(meta, "published_total_B");
  const std::string active = scalar(meta, "published_active_B");
  for (const std::string& value : {exact, total.empty() ? total : billions(total)}) {
    if (!out.total && !value.empty()) {
      out.total = matching_claim(value, totals);
    }
  }
  if (!out.total && !total.empty()) {
    out.notes.push_back(fmt::format("published as {} parameters; the shapes give {} (with MTP {})",
                                    billions(total), census.total, census.total + census.mtp));
  }
  if (!active.empty()) {
    out.active = matching_claim(billions(active), actives);
    if (!out.active) {
      out.notes.push_back(fmt::format("published as {} active parameters; the shapes give {}",
                                      billions(active), census.active_no_input_embedding));
    }
  }
  if (out.total || out.active) {
    out.claims_source = "the maker's model card or the count that Hugging Face shows";
  }
}

constexpr std::size_t kLongestText = 1000;  // of a name or a source

/// Id, source and claims that a collection of configs adds to each file.
void read_meta(const SpecNode& root, const ConfigContext& context, ImportedModel& out) {
  const SpecNode* meta = child_map(root, "_meta");
  const std::string name = printable(
      meta == nullptr ? scalar(root, "_name_or_path") : scalar(*meta, "hf_id"), kLongestText);
  const bool hugging_face = name.find('/') != std::string::npos && name.front() != '/';
  out.spec.hugging_face = hugging_face ? name : std::string();
  out.spec.id = !context.id.empty() ? context.id
                : !name.empty()     ? short_model_id(name)
                                    : std::string("imported");
  const std::string origin =
      meta == nullptr ? std::string() : printable(scalar(*meta, "source"), kLongestText);
  out.source = origin.empty() ? "config.json"
                              : fmt::format("config.json{} ({})",
                                            hugging_face ? " of " + name : std::string(), origin);
}

/// A name that says a quantisation where the file says none: a config that lost it would be read as
/// 16-bit, at twice the bytes and more.
void note_unsaid_quantisation(const Quantisation& q, ImportedModel& out) {
  const std::string id = short_model_id(out.spec.hugging_face);
  for (const char* word : {"fp8", "nvfp4", "mxfp4", "int4", "int8", "awq", "gptq"}) {
    if (q.method.empty() && id.find(word) != std::string::npos) {
      out.notes.push_back(fmt::format(
          "the name says {}, the file names no quantisation: all weights are taken as 16-bit",
          word));
      return;
    }
  }
}

/// Layers that the file names and nobody counts are said, not passed over.
void note_uncounted_mtp(HfConfig& config, HfDraft& draft) {
  const Count named =
      config.may({"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"}, 0);
  const bool said = std::any_of(draft.notes.begin(), draft.notes.end(), [](const auto& note) {
    return note.find("MTP") != std::string::npos;
  });
  if (named > 0 && !draft.mtp && !said) {
    draft.notes.push_back(fmt::format(
        "the file names {} MTP layers; they are not counted for this architecture", named));
  }
}

void override_mtp_copies(const SpecNode& root, HfDraft& draft) {
  const SpecNode* meta = child_map(root, "_meta");
  const std::string copies = meta == nullptr ? std::string() : scalar(*meta, "mtp_dup_embed_head");
  if (draft.mtp && (copies == "true" || copies == "false")) {
    draft.mtp_shared_embedding = copies == "false";
    std::erase_if(draft.notes, [](const std::string& note) {
      return note.find("copies of embedding") != std::string::npos;
    });
  }
}

/// False where a config is said to be quantised and no weight of it is. One that asks for a cache
/// format only says nothing of weights.
bool quantises_something(const Quantisation& q, const FormatSetting& formats) {
  const bool cache_only = q.kv_cache && !q.linear && q.rules.empty();
  if (q.method.empty() || cache_only) {
    return true;
  }
  const auto packed = [](Format format) {
    constexpr int kPlainBits = 16;
    return hardware::numeric_format(format).payload_bits < kPlainBits;
  };
  const auto any = [&packed](const Formats& table) {
    return std::any_of(table.begin(), table.end(), packed);
  };
  return any(formats.outer) || any(formats.mtp) ||
         std::any_of(formats.layers.begin(), formats.layers.end(), any);
}

/// Sizes so large that counting would overflow are refused before anything is counted.
bool sane(const ModelSpec& spec, const SpecNode& text, Diagnostics& diagnostics) {
  for (const std::vector<LayerKind>* layers : {&spec.layers, &spec.mtp}) {
    for (const LayerKind& layer : *layers) {
      if (const auto fault = layer_fault(layer)) {
        diagnostics.error(text.mark,
                          fmt::format("the sizes do not go together: {}", fault->message));
        return false;
      }
    }
  }
  constexpr double kMostParameters = 1e15;
  const double parameters = rough_parameters(spec);
  if (parameters > kMostParameters) {
    diagnostics.error(text.mark, fmt::format("the sizes give {:.3g} parameters", parameters),
                      "a size, a count of experts or of layers is too large");
    return false;
  }
  return true;
}

}  // namespace

bool is_hf_config(const SpecNode& root) {
  return root.kind == SpecNode::Kind::Map &&
         (root.find("model_type") != nullptr || root.find("architectures") != nullptr ||
          is_native_mistral(root));
}

std::string short_model_id(const std::string& hugging_face) {
  std::string id = hugging_face.substr(hugging_face.find_last_of('/') + 1);
  std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) {
    const bool upper = c >= 'A' && c <= 'Z';
    return static_cast<char>(upper ? c - 'A' + 'a' : c == '_' ? '.' : c);
  });
  if (id.starts_with("meta-")) {
    id.erase(0, std::string_view("meta-").size());
  }
  for (const std::string_view suffix : {"-instruct", "-chat", "-base", "-hf", "-it", "-pt"}) {
    if (id.size() > suffix.size() && id.ends_with(suffix)) {
      id.erase(id.size() - suffix.size());
    }
  }
  return id;
}

std::optional<ImportedModel> import_hf_config(const SpecNode& root, const ConfigContext& context,
                                              Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.all().size();
  const SpecNode& text = decoder_of(root);
  constexpr std::size_t kMostFields = 10'000;  // each is looked for by its name
  if (std::max(root.entries.size(), text.entries.size()) > kMostFields) {
    diagnostics.error(root.mark, fmt::format("a config with more than {} fields", kMostFields));
    return std::nullopt;
  }
  const std::string type = type_of(root, text);
  const HfFamily* family = family_of(type);
  if (family == nullptr || family->build == nullptr) {
    refuse_architecture(root, text, type, diagnostics);
    return std::nullopt;
  }
  ImportedModel out;
  HfConfig config(root, text, diagnostics);
  config.set_type(type);
  HfDraft draft;
  family->build(config, draft);
  override_mtp_copies(root, draft);
  note_uncounted_mtp(config, draft);
  const Format base = base_format(config, out.notes);
  const auto quantisation = read_quantisation(config, context.hf_quant_config);
  if (!quantisation || diagnostics.all().size() != before || draft.layers.empty()) {
    return std::nullopt;
  }
  const auto formats = set_formats(draft, *quantisation, base);
  if (!formats) {
    diagnostics.error(text.mark,
                      fmt::format("{} patterns of the quantisation are too many for {} layers",
                                  quantisation->rules.size() + quantisation->excluded.size(),
                                  draft.layers.size()),
                      "only plain names may be so many");
    return std::nullopt;
  }
  if (!quantises_something(*quantisation, *formats)) {
    diagnostics.error(
        text.mark,
        fmt::format("the quantisation ('{}') names no weights of this model", quantisation->method),
        "correct it, or remove it where the checkpoint is not quantised");
    return std::nullopt;
  }
  out.spec.max_context =
      config.may({"max_position_embeddings", "max_position_embedding", "max_seq_len",
                  "max_sequence_length", "seq_length", "model_max_length"},
                 0);
  out.spec.state_format = state_format(config);
  fill_spec(draft, *formats, *quantisation, base, out);
  read_meta(root, context, out);
  note_unsaid_quantisation(*quantisation, out);
  if (diagnostics.all().size() != before || !sane(out.spec, text, diagnostics)) {
    return std::nullopt;
  }
  if (const SpecNode* meta = child_map(root, "_meta")) {
    add_claims(*meta, out);
  }
  return out;
}

}  // namespace fathom::model
