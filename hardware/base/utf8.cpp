#include "hardware/base/utf8.h"

#include <array>

namespace fathom::hardware {
namespace {

/// A range of lead bytes, the length that they announce and the range of the second byte.
/// Source: the Unicode Standard, table 3-7.
struct Lead {
  unsigned first = 0;
  unsigned last = 0;
  std::size_t length = 0;
  unsigned second_first = 0x80;
  unsigned second_last = 0xBF;
};

constexpr std::array<Lead, 9> kLeads{{
    {0x00, 0x7F, 1},
    {0xC2, 0xDF, 2},
    {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3},
    {0xED, 0xED, 3, 0x80, 0x9F},
    {0xEE, 0xEF, 3},
    {0xF0, 0xF0, 4, 0x90, 0xBF},
    {0xF1, 0xF3, 4},
    {0xF4, 0xF4, 4, 0x80, 0x8F},
}};

bool within(char c, unsigned first, unsigned last) {
  const unsigned byte = static_cast<unsigned char>(c);
  return byte >= first && byte <= last;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  for (const Lead& lead : kLeads) {
    if (!within(text[at], lead.first, lead.last)) {
      continue;
    }
    if (at + lead.length > text.size()) {
      return 0;
    }
    for (std::size_t i = 1; i < lead.length; ++i) {
      const bool second = i == 1;
      if (!within(text[at + i], second ? lead.second_first : 0x80,
                  second ? lead.second_last : 0xBF)) {
        return 0;
      }
    }
    return lead.length;
  }
  return 0;
}

}  // namespace fathom::hardware
