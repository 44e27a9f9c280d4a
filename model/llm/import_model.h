#pragma once

#include "hardware/base/diagnostics.h"
#include "model/llm/import_hf_config.h"

#include <optional>
#include <string>

namespace fathom::model {

/// What a foreign model file is, by its content.
enum class ForeignModel : std::uint8_t { None, HfConfig, Gguf };

/// The name in answers: "hf-config", "gguf".
std::string_view foreign_model_name(ForeignModel kind);

/// Looks at the beginning of a file: GGUF by its first bytes, a config.json by its keys. A file
/// that cannot be read is none.
ForeignModel recognise_model(const std::string& path);

/// Reads a foreign model file with what lies beside it (hf_quant_config.json, the index and the
/// safetensors headers of the checkpoint). Errors: those of the formats; not recognised.
std::optional<ImportedModel> import_model(const std::string& path,
                                          hardware::Diagnostics& diagnostics);

/// The file of a model folder: config.json, else params.json, else its first GGUF file; empty where
/// there is none.
std::string model_file_in(const std::string& folder);

}  // namespace fathom::model
