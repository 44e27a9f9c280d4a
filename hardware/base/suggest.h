#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::hardware {

/// Edit distance with transpositions (optimal string alignment), case folded.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` within `max_distance` edits (and less than half of the word's
/// length when that is shorter), the first of equals; empty where none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates,
                    int max_distance = 3);

/// The `count` nearest candidates, best first, whatever their distance; a candidate that contains
/// the word (or is contained in it) comes before a merely similar one.
std::vector<std::string> nearest_names(std::string_view word,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count);

/// "did you mean 'x'?", or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace fathom::hardware
