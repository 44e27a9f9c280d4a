#pragma once

#include "cli/report/context.h"
#include "cli/report/document.h"
#include "model/llm/parameter_count.h"

#include <string>

namespace fathom::cli {

/// A model's shapes, derived counts, weights by group, cache per token and per sequence.
std::string model_text(const model::ModelSpec& model, const ReportContext& context);
Document model_document(const model::ModelSpec& model, const ReportContext& context);

/// "nvfp4 93 %, bf16 7 %": the formats of the weights by their share of the bytes.
std::string formats_text(const model::Census& census);
/// "nvfp4+bf16": the formats of a group or of all weights, most bytes first.
std::string formats_name(const model::GroupCensus& group);
std::string formats_name(const model::Census& census);

}  // namespace fathom::cli
