#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom::hardware {

/// What a word of other tools (Hugging Face's config.json, PyTorch, datasheets) is called here:
/// "hidden_size" is "hidden". Empty where none of `known` is meant.
std::string our_word(std::string_view foreign, const std::vector<std::string>& known);

/// "did you mean 'hidden'?": by meaning, else by spelling; empty where nothing is near.
std::string did_you_mean_word(std::string_view word, const std::vector<std::string>& known);

/// How a number with a short ending is written here: "write 4096 or 4000" for "4k", "write 7.6e9"
/// for "7.6B", "write 1024" for "1,024"; empty for anything else.
std::string plain_number_help(std::string_view text);

}  // namespace fathom::hardware
