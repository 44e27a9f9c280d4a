#pragma once

#include "hardware/base/numeric_format.h"
#include "hardware/base/quantity.h"
#include "hardware/base/spec_node.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::hardware {

/// Which end of an interval is read. A spec may give `{low: 11 GB/s, high: 38 GB/s}` in place of
/// a number; the point is the geometric mean (the arithmetic one where an end is negative). `Slow`
/// and `Fast` take the end that makes a machine slower or faster.
enum class IntervalEnd { Point, Slow, Fast };

/// Whether more of a quantity makes a machine faster (bandwidth) or slower (latency).
enum class Better { Higher, Lower };

/// Reads the keys of one map, each at most once, and knows which were asked for. Where a value is
/// missing or wrong it leaves a diagnostic and returns nothing; reading continues. `finish`
/// reports the keys that nobody read, with the nearest known key.
/// Number forms: `96 GiB`; `{value: 96 GiB, source: ...}`; `{low: ..., high: ..., source: ...}`.
class MapReader {
 public:
  /// `what` names the map in messages ("memory"). A node that is no map leaves a diagnostic, and
  /// then every look-up is silent.
  MapReader(const SpecNode& node, std::string what, Diagnostics& diagnostics,
            IntervalEnd end = IntervalEnd::Point);

  [[nodiscard]] bool valid() const { return valid_; }
  /// Whether there is such a key and its value is not a written-out null; marks the key as known.
  [[nodiscard]] bool has(std::string_view key);
  /// True when a value read so far was an interval.
  [[nodiscard]] bool saw_interval() const { return saw_interval_; }

  template <Dim D>
  std::optional<Quantity<D>> required(std::string_view key, Better better = Better::Higher) {
    return wrap<D>(number(key, D, better, Need::Required));
  }
  template <Dim D>
  std::optional<Quantity<D>> optional(std::string_view key, Better better = Better::Higher) {
    return wrap<D>(number(key, D, better, Need::Optional));
  }

  /// A whole number within [low, high].
  std::optional<Count> required_count(std::string_view key, Count low, Count high);
  std::optional<Count> optional_count(std::string_view key, Count low, Count high);
  /// A dimensionless number within [low, high].
  std::optional<double> required_number(std::string_view key, double low, double high,
                                        Better better = Better::Higher);
  std::optional<double> optional_number(std::string_view key, double low, double high,
                                        Better better = Better::Higher);
  std::optional<bool> required_bool(std::string_view key);
  std::optional<bool> optional_bool(std::string_view key);
  std::optional<std::string> required_text(std::string_view key);
  std::optional<std::string> optional_text(std::string_view key);
  std::optional<Format> optional_format(std::string_view key);
  /// Index into `choices` of the scalar's text; an unknown word names the nearest.
  std::optional<std::size_t> required_choice(std::string_view key,
                                             const std::vector<std::string>& choices);
  std::optional<std::size_t> optional_choice(std::string_view key,
                                             const std::vector<std::string>& choices);
  /// A child node of any kind; null when absent (with a diagnostic when required).
  const SpecNode* required_node(std::string_view key);
  const SpecNode* optional_node(std::string_view key);

  [[nodiscard]] Mark mark() const;                      ///< of the map
  [[nodiscard]] Mark mark(std::string_view key) const;  ///< of the key's value, else of the map
  /// An error at the key's value.
  void error(std::string_view key, std::string message, std::string help = {});

  /// Reports unread keys. `source` and `note` are always known.
  void finish();

  /// Every key that was asked for, in order; a test compares them with configs/README.md.
  [[nodiscard]] const std::vector<std::string>& asked() const { return asked_; }

 private:
  enum class Need { Required, Optional };
  template <Dim D>
  static std::optional<Quantity<D>> wrap(std::optional<double> base) {
    if (!base) {
      return std::nullopt;
    }
    return Quantity<D>(*base);
  }
  void know(std::string_view key);
  const SpecNode* look_up(std::string_view key, Need need, std::string_view example = {});
  const SpecNode* filled(std::string_view key, Need need, std::string_view example);
  std::optional<double> number(std::string_view key, Dim dim, Better better, Need need);
  std::optional<double> bounded(std::string_view key, double low, double high, Better better,
                                Need need);
  std::optional<Count> bounded_count(std::string_view key, Count low, Count high, Need need);
  std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string>& choices,
                                    Need need);
  std::optional<bool> truth(std::string_view key, Need need);
  std::optional<std::string> words(std::string_view key, Need need);
  double pick(double low, double high, Better better);

  const SpecNode* node_ = nullptr;
  std::string what_;
  Diagnostics* diagnostics_ = nullptr;
  IntervalEnd end_ = IntervalEnd::Point;
  bool valid_ = false;
  bool saw_interval_ = false;
  std::vector<std::string> asked_;
};

}  // namespace fathom::hardware
