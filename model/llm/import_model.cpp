#include "model/llm/import_model.h"

#include "hardware/base/file_text.h"
#include "hardware/base/json_reader.h"
#include "model/llm/block_rules.h"
#include "model/llm/checkpoint.h"
#include "model/llm/gguf_model.h"
#include "model/llm/import_gguf.h"
#include "model/llm/parameter_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::SpecNode;

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
}

/// Whether a folder holds an index or safetensors files.
bool has_checkpoint(const std::string& folder) {
  Diagnostics ignored;
  const auto names = hardware::list_files(folder, ignored).value_or(std::vector<std::string>());
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.ends_with(".safetensors") || name == "model.safetensors.index.json";
  });
}

/// What the files say of MTP layers and of embeddings wins over what the config lists.
void apply_names(const Checkpoint& checkpoint, ImportedModel& out) {
  ModelSpec& spec = out.spec;
  const bool beyond = checkpoint.largest_layer && *checkpoint.largest_layer >= spec.layer_count();
  const bool holds_mtp = beyond || checkpoint.has_mtp_prefix;
  if (!spec.mtp.empty()) {
    spec.mtp_in_checkpoint = holds_mtp;
    spec.mtp_shared_embedding = !checkpoint.has_embedding_in_layer;
    if (!holds_mtp) {
      out.notes.emplace_back("the config lists MTP layers that the files do not hold");
    }
  } else if (holds_mtp) {
    out.notes.push_back(
        fmt::format("the files hold MTP layers ({:.0f} bytes by their names) that the config does "
                    "not list",
                    checkpoint.of(TensorClass::Mtp).bytes.base()));
  }
  if (!checkpoint.has_lm_head && !spec.tied_embeddings) {
    out.notes.emplace_back("the files hold no lm_head: embedding and head are tied");
    spec.tied_embeddings = true;
  }
}

/// The bytes of the files are the truth; where the shapes give others, the difference is said.
void apply_bytes(const Checkpoint& checkpoint, ImportedModel& out) {
  if (checkpoint.total_from == SizeSource::PresentFiles || checkpoint.total.base() <= 0) {
    out.notes.push_back(
        fmt::format("{} files of the checkpoint are missing: its bytes are those "
                    "that the shapes give",
                    checkpoint.missing.size()));
    return;
  }
  const Census census = take_census(out.spec);
  const Bytes derived =
      census.weight_bytes + (out.spec.mtp_in_checkpoint ? census.mtp_bytes : Bytes());
  out.spec.checkpoint_bytes = checkpoint.total;
  const double difference = checkpoint.total.base() - derived.base();
  if (std::abs(difference) < 1) {
    return;
  }
  const double vision = checkpoint.of(TensorClass::Multimodal).bytes.base();
  out.notes.push_back(fmt::format(
      "{} hold {:.0f} bytes, the shapes give {:.0f}: a difference of {:.0f}{}",
      checkpoint.total_from == SizeSource::Headers ? "the files" : "by the index the files",
      checkpoint.total.base(), derived.base(), difference,
      vision > 0 ? fmt::format(", of which vision and audio are {:.0f}", vision) : ""));
}

/// Whether the files can be those of the model: an embedding, and about as many layers. A file may
/// count two blocks as one layer (LongCat) and MTP layers beside the others.
bool belongs(const Checkpoint& checkpoint, const ModelSpec& spec) {
  const Count found = checkpoint.largest_layer.value_or(-1) + 1;
  Count most = spec.layer_count();
  for (const LayerKind& layer : spec.mtp) {
    most += layer.count;
  }
  constexpr Count kMtpUnlisted = 8;
  return checkpoint.of(TensorClass::Embedding).tensors > 0 && 2 * found >= spec.layer_count() &&
         found <= most + kMtpUnlisted;
}

bool apply_checkpoint(const std::string& folder, ImportedModel& out, Diagnostics& diagnostics) {
  if (!has_checkpoint(folder)) {
    return true;
  }
  const auto checkpoint = read_checkpoint(folder, diagnostics);
  if (!checkpoint) {
    return false;
  }
  if (!belongs(*checkpoint, out.spec)) {
    out.notes.push_back(
        fmt::format("the files beside the config are left out of account: their layers end at {}, "
                    "the config has {}",
                    checkpoint->largest_layer.value_or(0), out.spec.layer_count()));
    return true;
  }
  apply_names(*checkpoint, out);
  apply_bytes(*checkpoint, out);
  return true;
}

std::optional<ImportedModel> import_config(const std::string& path, Diagnostics& diagnostics) {
  const auto root = hardware::read_json_file(path, diagnostics);
  if (!root) {
    return std::nullopt;
  }
  ConfigContext context;
  std::optional<SpecNode> quantisation;
  const std::string beside = folder_of(path) + "/hf_quant_config.json";
  if (path != "-" && hardware::is_file(beside)) {
    quantisation = hardware::read_json_file(beside, diagnostics);
    if (!quantisation) {
      return std::nullopt;
    }
    if (quantisation->kind != SpecNode::Kind::Map) {
      diagnostics.error(quantisation->mark, "no description of a quantisation");
      return std::nullopt;
    }
    context.hf_quant_config = &*quantisation;
  }
  auto out = import_hf_config(*root, context, diagnostics);
  if (out && path != "-" && !apply_checkpoint(folder_of(path), *out, diagnostics)) {
    return std::nullopt;
  }
  return out;
}

}  // namespace

std::string_view foreign_model_name(ForeignModel kind) {
  switch (kind) {
    case ForeignModel::None:
      return "none";
    case ForeignModel::HfConfig:
      return "hf-config";
    case ForeignModel::Gguf:
      return "gguf";
  }
  return "";
}

ForeignModel recognise_model(const std::string& path) {
  Diagnostics ignored;  // a file that cannot be read is reported by who reads it
  constexpr std::size_t kLook = 4096;
  const auto start = hardware::read_file_start(path, kLook, ignored);
  if (!start) {
    return ForeignModel::None;
  }
  if (start->bytes.starts_with("GGUF")) {
    return ForeignModel::Gguf;
  }
  const auto first = start->bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string::npos || start->bytes[first] != '{') {
    return ForeignModel::None;
  }
  const auto root = hardware::read_json_file(path, ignored);
  return root && is_hf_config(*root) ? ForeignModel::HfConfig : ForeignModel::None;
}

namespace {

/// Sizes that no spec file can say are refused here, not when the spec is read.
bool sound_layers(const ModelSpec& spec, const std::string& path, Diagnostics& diagnostics) {
  for (const LayerKind& layer : spec.layers) {
    if (const auto fault = layer_fault(layer)) {
      diagnostics.error({hardware::make_source(path, {}), 0, 0},
                        fmt::format("{}: {}", fault->key, fault->message));
      return false;
    }
  }
  return true;
}

std::optional<ImportedModel> import_gguf(const std::string& path, Diagnostics& diagnostics) {
  const auto file = read_gguf_header(path, diagnostics);
  auto out = file ? import_gguf_model(*file, diagnostics) : std::nullopt;
  return out && sound_layers(out->spec, path, diagnostics) ? out : std::nullopt;
}

/// Why a file is no model: broken JSON says where, anything else what is known.
void refuse_file(const std::string& path, Diagnostics& diagnostics) {
  if (path.ends_with(".json") && hardware::is_file(path) &&
      !hardware::read_json_file(path, diagnostics)) {
    return;
  }
  diagnostics.error({hardware::make_source(path, {}), 0, 0}, "no model file that is known here",
                    "known: a Hugging Face config.json, a Mistral params.json, a GGUF file");
}

}  // namespace

std::optional<ImportedModel> import_model(const std::string& path, Diagnostics& diagnostics) {
  std::optional<ImportedModel> out;
  switch (recognise_model(path)) {
    case ForeignModel::HfConfig:
      out = import_config(path, diagnostics);
      break;
    case ForeignModel::Gguf:
      out = import_gguf(path, diagnostics);
      break;
    case ForeignModel::None:
      refuse_file(path, diagnostics);
      break;
  }
  return diagnostics.has_errors() ? std::nullopt : out;
}

std::string model_file_in(const std::string& folder) {
  for (const char* name : {"/config.json", "/params.json"}) {
    if (hardware::is_file(folder + name)) {
      return folder + name;
    }
  }
  Diagnostics ignored;  // not a folder
  for (const std::string& name :
       hardware::list_files(folder, ignored).value_or(std::vector<std::string>())) {
    if (name.ends_with(".gguf") && !name.starts_with("mmproj")) {  // a vision encoder
      return fmt::format("{}/{}", folder, name);
    }
  }
  return {};
}

}  // namespace fathom::model
