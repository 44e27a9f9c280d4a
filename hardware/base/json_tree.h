#pragma once

#include "hardware/base/json_reader.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace fathom::hardware {

/// Builds the located tree of a document from the events of a scan.
class JsonTree {
 public:
  explicit JsonTree(std::shared_ptr<const SourceFile> file);

  /// Takes the next event.
  void take(const JsonEvent& event);

  /// Keys and values so far.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The finished tree; nothing before the document has ended.
  [[nodiscard]] std::optional<SpecNode> root();

 private:
  void add(SpecNode node);
  void close();

  std::shared_ptr<const SourceFile> file_;
  std::vector<SpecNode> open_;  ///< maps and lists without their end; a map's last value is awaited
  std::optional<SpecNode> root_;
  std::size_t size_ = 0;
};

}  // namespace fathom::hardware
