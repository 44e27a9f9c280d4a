#include "hardware/base/suggest.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace fathom::hardware {
namespace {

std::string fold(std::string_view text) {
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return folded;
}

bool contains(const std::string& a, const std::string& b) {
  return a.find(b) != std::string::npos || b.find(a) != std::string::npos;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::string left = fold(a);
  const std::string right = fold(b);
  const std::size_t width = right.size() + 1;
  std::vector<int> before(width);
  std::vector<int> above(width);
  std::vector<int> row(width);
  for (std::size_t j = 0; j < width; ++j) {
    above[j] = static_cast<int>(j);
  }
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const int replaced = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above.back();
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates,
                    int max_distance) {
  // Less than half of the word: two edits make any three letters out of any others.
  const int half = word.empty() ? 0 : static_cast<int>((word.size() - 1) / 2);
  int best_distance = std::min(max_distance, half) + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const auto longer =
        static_cast<std::ptrdiff_t>(candidate.size()) - static_cast<std::ptrdiff_t>(word.size());
    if (std::abs(longer) >= best_distance) {
      continue;
    }
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string> nearest_names(std::string_view word,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count) {
  struct Ranked {
    bool apart = false;
    int distance = 0;
    std::size_t index = 0;
  };
  const std::string folded = fold(word);
  std::vector<Ranked> ranked;
  ranked.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    ranked.push_back(
        {!contains(fold(candidates[i]), folded), edit_distance(word, candidates[i]), i});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return std::tie(a.apart, a.distance, a.index) < std::tie(b.apart, b.distance, b.index);
  });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) {
    names.push_back(candidates[ranked[i].index]);
  }
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? std::string() : "did you mean '" + near + "'?";
}

}  // namespace fathom::hardware
