#pragma once

#include "model/llm/import_hf_config.h"

#include <string>

namespace fathom::model {

/// The YAML text of a model, as `configs/models/` holds it; read_model gives the same model back.
/// Formats are written by group, and by role where a role differs from its group.
std::string write_model(const ImportedModel& model);

}  // namespace fathom::model
