#pragma once

#include "hardware/base/diagnostics.h"
#include "model/llm/import_gguf.h"
#include "model/llm/import_hf_config.h"

#include <optional>

namespace fathom::model {

/// The model of a GGUF file: head counts, windows and the like from the metadata; which weights
/// there are, their widths and their formats from the tensors, layer by layer. The bytes of the
/// model are those of the tensors; where they differ, a warning and notes say why.
/// Errors: an architecture that is not known here, a missing key, a tensor whose type has no
/// format here, a block that lacks a tensor.
/// Assumes: the cache is F16, llama.cpp's default.
std::optional<ImportedModel> import_gguf_model(const GgufFile& file,
                                               hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
