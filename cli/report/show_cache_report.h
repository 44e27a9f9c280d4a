#pragma once

#include "cli/report/document.h"
#include "model/llm/model_spec.h"

#include <string>
#include <vector>

namespace fathom::cli {

/// The cache of one token in each format, and of one sequence at growing lengths, whole model at
/// TP1 without MTP. A window bounds what its layers hold. Source: docs/physics.md section 2.
std::string cache_text(const model::ModelSpec& model);
/// The same for one token in the model's own format, in bf16 and in fp8.
Row cache_columns(const model::ModelSpec& model);
std::vector<Row> sequence_rows(const model::ModelSpec& model);

/// Cache elements of one token: at one byte each, the bytes of a plain 8-bit cache without scales
/// or index keys.
hardware::Count kv_elements_per_token(const model::ModelSpec& model);

}  // namespace fathom::cli
