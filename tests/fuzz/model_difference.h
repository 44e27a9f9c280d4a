#pragma once

#include "model/llm/model_spec.h"

#include <string>

namespace fathom::test {

/// The first thing in which two models differ, or empty. Formats are compared where a tensor is
/// stored in them: of a role that a layer lacks a format means nothing.
std::string model_difference(const model::ModelSpec& a, const model::ModelSpec& b);

}  // namespace fathom::test
