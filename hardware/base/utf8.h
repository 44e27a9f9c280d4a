#pragma once

#include <cstddef>
#include <string_view>

namespace fathom::hardware {

/// Bytes of the UTF-8 character that starts at `at` (1 to 4); 0 where the bytes are no character
/// (overlong forms, surrogates and what lies past U+10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t at);

}  // namespace fathom::hardware
