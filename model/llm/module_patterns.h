#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fathom::model {

/// The patterns of an exclude or target list, made ready once, asked for each module of each layer.
/// A pattern means a module as `pattern_matches` says. Lists of makers are short and name no
/// layers, or long and plain; both cost next to nothing here. Others cost `work` each time.
class ModulePatterns {
 public:
  ModulePatterns() = default;
  explicit ModulePatterns(const std::vector<std::string>& patterns);

  /// The index of the first pattern that means one of these modules.
  std::optional<std::size_t> first(const std::vector<std::string>& modules);

  /// True where no pattern tells one digit from another.
  [[nodiscard]] bool blind_to_digits() const { return rest_.empty() && !plain_has_digits_; }

  /// Roughly the globs that could be tried in the same time, for so many different modules.
  [[nodiscard]] double work(double modules) const;

  /// Patterns that exclude nothing: no regular expressions, or longer than any in use.
  [[nodiscard]] const std::vector<std::string>& unusable() const { return unusable_; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Plain = std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>>;
  struct Pattern {
    std::size_t index = 0;
    std::string glob;                      ///< where there is no expression
    std::optional<std::regex> expression;  ///< of `re:`
    double work = 1;
  };
  static bool matches(const Pattern& pattern, const std::vector<std::string>& paths);
  [[nodiscard]] std::size_t first_plain(const std::string& module) const;
  std::size_t first_of(const std::string& module);
  void add(std::size_t index, std::string_view text);
  void add_expression(std::size_t index, const std::string& text);

  Plain plain_;
  std::vector<Pattern> blind_;  ///< that treat all digits alike, so that an answer serves 61 layers
  std::vector<Pattern> rest_;
  std::unordered_map<std::string, std::size_t> blind_answers_;  ///< by module, digits as 0
  std::vector<std::string> unusable_;
  bool plain_has_digits_ = false;
};

/// Whether a pattern of an exclude or target list means a module: a glob over the whole name (`*`
/// matches dots too), `re:` a regular expression from its start, a plain name the module, a module
/// within it, or one of the parts of its path.
bool pattern_matches(const std::string& pattern, const std::string& module);

}  // namespace fathom::model
