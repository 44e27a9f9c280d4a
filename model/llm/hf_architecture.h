#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "model/llm/hf_draft.h"

#include <string>
#include <string_view>

namespace fathom::model {

/// The part of a multimodal config that describes the text decoder; the file itself where none
/// does.
const hardware::SpecNode& decoder_of(const hardware::SpecNode& root);

/// The row of a `model_type`; null where there is none.
const HfFamily* family_of(const std::string& type);

/// The keys of Mistral's own params.json, which names no model type.
bool is_native_mistral(const hardware::SpecNode& root);

/// `model_type` of the decoder (else of the file), else the type of its class name.
std::string type_of(const hardware::SpecNode& root, const hardware::SpecNode& text);

/// An error by name, with the nearest known architectures and the fields that it would need.
void refuse_architecture(const hardware::SpecNode& root, const hardware::SpecNode& text,
                         const std::string& type, hardware::Diagnostics& diagnostics);

/// The text of a scalar under a key, or an empty one.
std::string scalar(const hardware::SpecNode& map, std::string_view key);

/// The map under a key, or null.
const hardware::SpecNode* child_map(const hardware::SpecNode& map, std::string_view key);

}  // namespace fathom::model
