#pragma once

#include "model/llm/gguf_cursor.h"
#include "model/llm/import_gguf.h"

#include <string>
#include <string_view>

namespace fathom::model {

/// Reads the whole header of one file of `file_bytes` into a `GgufFile` of one part. Errors stay in
/// the cursor; after one (or where the cursor is starved) the result is of no use.
GgufFile parse_gguf_part(GgufCursor& cursor);

/// The name of a type, a key or a tensor as it may stand in a message: cut after `most`, no control
/// characters, in UTF-8.
std::string printable(std::string_view name, std::size_t most = 80);

}  // namespace fathom::model
