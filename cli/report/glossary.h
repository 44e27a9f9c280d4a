#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

/// A word of the field and what is meant by it here.
struct GlossaryEntry {
  std::string_view term;
  std::string_view also;  ///< other spellings, separated by ';'
  std::string_view text;
};

/// The entry of a term, whatever its case and whether it is written with blanks, '-' or '_'; null
/// when there is none.
const GlossaryEntry* find_term(std::string_view term);

/// All terms, in the order of the glossary.
std::vector<std::string> glossary_terms();

}  // namespace fathom::cli
