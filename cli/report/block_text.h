#pragma once

#include "model/llm/attention.h"
#include "model/llm/mlp.h"

#include <string>

namespace fathom::cli {

/// One line on what mixes tokens: "grouped, 64 query heads, 8 KV heads of 128, window 4,096".
std::string attention_text(const model::Attention& attention);

/// One line on the FFN: "256 experts, top 8, of width 2,048, shared width 2,048".
std::string mlp_text(const model::Mlp& mlp);

}  // namespace fathom::cli
