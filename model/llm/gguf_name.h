#pragma once

#include "model/llm/import_gguf.h"

#include <string>
#include <string_view>

namespace fathom::model {

/// "q4_k_m" for the number in `general.file_type`; empty for unknown ones.
/// Source: llama_ftype in llama.h.
std::string_view gguf_file_type_name(Count file_type);

/// The name of a file without folder, extension and part.
std::string gguf_stem(const std::string& path);

/// A short id: basename and size of the metadata, else the model's name, each with the file type;
/// else the name of the file.
std::string gguf_model_id(const GgufFile& file);

}  // namespace fathom::model
