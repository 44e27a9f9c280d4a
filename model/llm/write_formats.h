#pragma once

#include "model/llm/model_spec.h"

#include <string>
#include <vector>

namespace fathom::model {

/// The `formats:` section of a model: its lines, and what a reader then holds for every role.
struct StatedFormats {
  std::vector<std::string> lines;
  Formats read{};
  Formats read_by_mtp{};
};

/// One format for each group (that of most of its weights), then the roles that differ from it.
StatedFormats state_formats(const ModelSpec& model);

/// `role: format` of the roles of a layer that differ from the model's.
std::vector<std::string> layer_formats(const ModelSpec& model, const LayerKind& layer,
                                       const StatedFormats& stated);
std::vector<std::string> mtp_formats(const ModelSpec& model, const LayerKind& layer,
                                     const StatedFormats& stated);

}  // namespace fathom::model
