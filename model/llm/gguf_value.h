#pragma once

#include "model/llm/gguf_cursor.h"
#include "model/llm/import_gguf.h"

#include <string_view>

namespace fathom::model {

/// Reads one metadata value, type first; `key` is its name in messages.
GgufValue parse_gguf_value(GgufCursor& cursor, std::string_view key);

}  // namespace fathom::model
