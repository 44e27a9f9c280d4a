#include "model/llm/module_patterns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace fathom::model {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLongestPattern = 200;
constexpr std::string_view kExpression = "re:";
constexpr std::string_view kDigits = "0123456789";

/// What may stand before `layers.N` in a checkpoint.
constexpr std::array<std::string_view, 6> kPrefixes{
    "", "model.", "language_model.model.", "model.language_model.", "language_model.", "backbone."};

/// `*` matches any run of characters, dots too.
bool glob(std::string_view pattern, std::string_view text) {
  const bool open_end = pattern.empty() || pattern.back() == '*';
  if (!open_end && (text.empty() || text.back() != pattern.back())) {
    return false;  // most are told apart here
  }
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

/// A glob over the name, or over a module that contains it.
bool glob_module(std::string_view pattern, std::string_view module) {
  if (glob(pattern, module)) {
    return true;
  }
  for (std::size_t dot = module.find('.'); dot != std::string_view::npos;
       dot = module.find('.', dot + 1)) {
    if (glob(pattern, module.substr(0, dot))) {
      return true;
    }
  }
  return false;
}

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// True where an expression cannot tell one digit from another.
bool is_blind(std::string_view expression) {
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const bool escape = expression[i] == '\\' && i + 1 < expression.size();
    if (expression[i] == '[' || kDigits.find(expression[i]) != std::string_view::npos ||
        (escape && is_alnum(expression[i + 1]))) {
      return false;
    }
  }
  return true;
}

/// How many times larger `{2,9}` make an expression; the library unrolls them.
double unrolled(std::string_view expression) {
  double times = 1;
  for (std::size_t at = expression.find('{'); at != std::string_view::npos;
       at = expression.find('{', at + 1)) {
    for (std::size_t i = at + 1; i < expression.size() && expression[i] != '}'; ++i) {
      double count = 0;
      const char* const begin = expression.data() + i;
      const auto [end, error] =
          std::from_chars(begin, expression.data() + expression.size(), count);
      if (error == std::errc()) {
        times *= std::max(count, 1.0);
        i += static_cast<std::size_t>(end - begin) - 1;
      }
    }
  }
  return times;
}

std::optional<std::regex> compiled(const std::string& text) {
  constexpr double kMostUnrolled = 32;  // the library matches by recursion: its depth stays small
  if (text.size() > kLongestPattern || unrolled(text) > kMostUnrolled) {
    return std::nullopt;
  }
  try {
    // The library's polynomial form: a hostile pattern cannot take exponential time.
    return std::regex(text, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

std::vector<std::string> with_prefixes(const std::string& module) {
  std::vector<std::string> out;
  out.reserve(kPrefixes.size());
  for (const std::string_view prefix : kPrefixes) {
    out.emplace_back(prefix).append(module);
  }
  return out;
}

}  // namespace

ModulePatterns::ModulePatterns(const std::vector<std::string>& patterns) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    add(i, patterns[i]);
  }
}

void ModulePatterns::add(std::size_t index, std::string_view text) {
  if (text.empty()) {
    return;
  }
  if (text.starts_with(kExpression)) {
    add_expression(index, std::string(text.substr(kExpression.size())));
  } else if (text.find('*') == std::string_view::npos) {
    plain_.try_emplace(std::string(text), index);
    plain_has_digits_ = plain_has_digits_ || text.find_first_of(kDigits) != std::string_view::npos;
  } else if (text.size() > kLongestPattern) {
    unusable_.emplace_back(text);
  } else {
    auto& list = text.find_first_of(kDigits) == std::string_view::npos ? blind_ : rest_;
    list.push_back({index, std::string(text), std::nullopt, 1});
  }
}

void ModulePatterns::add_expression(std::size_t index, const std::string& text) {
  constexpr double kGlobsForCharacter = 2;
  auto expression = compiled(text);
  if (!expression) {
    unusable_.push_back(std::string(kExpression) + text);
    return;
  }
  const double work = kGlobsForCharacter * static_cast<double>(text.size()) * unrolled(text);
  (is_blind(text) ? blind_ : rest_).push_back({index, {}, std::move(expression), work});
}

double ModulePatterns::work(double modules) const {
  constexpr double kDifferentModules =
      300;  // less than 100 in a layer, of numbers of 1 to 3 digits
  const auto sum = [](const std::vector<Pattern>& patterns) {
    double out = 0;
    for (const Pattern& pattern : patterns) {
      out += pattern.work;
    }
    return out;
  };
  return kDifferentModules * sum(blind_) + modules * sum(rest_);
}

bool ModulePatterns::matches(const Pattern& pattern, const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(), [&pattern](const std::string& path) {
    return pattern.expression ? std::regex_search(path, *pattern.expression,
                                                  std::regex_constants::match_continuous)
                              : glob_module(pattern.glob, path);
  });
}

/// The lowest index of a part of the module's path, from one dot to another.
std::size_t ModulePatterns::first_plain(const std::string& module) const {
  std::size_t best = kNone;
  for (const std::string_view prefix : kPrefixes) {
    const std::string whole = std::string(prefix) + module;
    const std::string_view path = whole;
    // Parts that begin in the module are those of the first round.
    for (std::size_t from = 0; from < (prefix.empty() ? path.size() : prefix.size());) {
      const std::size_t first_end = std::min(path.find('.', from), path.size());
      std::size_t end = first_end;
      while (true) {
        const auto found = plain_.find(path.substr(from, end - from));
        best = found == plain_.end() ? best : std::min(best, found->second);
        if (end == path.size()) {
          break;
        }
        end = std::min(path.find('.', end + 1), path.size());
      }
      from = first_end + 1;
    }
  }
  return best;
}

std::size_t ModulePatterns::first_of(const std::string& module) {
  const auto first_match = [](const std::vector<Pattern>& patterns, const std::string& name) {
    const std::vector<std::string> paths = with_prefixes(name);
    const auto found =
        std::find_if(patterns.begin(), patterns.end(),
                     [&paths](const Pattern& pattern) { return matches(pattern, paths); });
    return found == patterns.end() ? kNone : found->index;
  };
  std::size_t best = plain_.empty() ? kNone : first_plain(module);
  if (!blind_.empty()) {
    std::string masked = module;
    std::replace_if(
        masked.begin(), masked.end(), [](char c) { return c >= '0' && c <= '9'; }, '0');
    auto answer = blind_answers_.find(masked);
    if (answer == blind_answers_.end()) {
      answer = blind_answers_.emplace(masked, first_match(blind_, masked)).first;
    }
    best = std::min(best, answer->second);
  }
  return rest_.empty() ? best : std::min(best, first_match(rest_, module));
}

std::optional<std::size_t> ModulePatterns::first(const std::vector<std::string>& modules) {
  std::size_t best = kNone;
  for (const std::string& module : modules) {
    best = std::min(best, first_of(module));
  }
  return best == kNone ? std::nullopt : std::optional(best);
}

bool pattern_matches(const std::string& pattern, const std::string& module) {
  return ModulePatterns({pattern}).first({module}).has_value();
}

}  // namespace fathom::model
