#include "cli/commands/source_line.h"

#include <fmt/format.h>

namespace fathom::cli {

using hardware::SpecNode;

std::string source_line(const SpecNode& root, const std::string& path) {
  const SpecNode* node = &root;
  std::string source;
  std::string rest = path;
  const auto take_source = [&source](const SpecNode& map) {
    const SpecNode* found = map.find("source");
    if (found != nullptr && found->kind == SpecNode::Kind::Scalar) {
      source = found->text;
    }
  };
  while (node != nullptr && !rest.empty()) {
    take_source(*node);
    const auto dot = rest.find('.');
    node = node->find(rest.substr(0, dot));
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
  }
  if (node == nullptr || !node->mark.file) {
    return {};
  }
  take_source(*node);
  const std::string value = node->kind == SpecNode::Kind::Scalar ? " " + node->text : "";
  return fmt::format("{}{}: {}:{}{}", path, value, node->mark.file->name, node->mark.line,
                     source.empty() ? " (no source given)" : " (" + source + ")");
}

}  // namespace fathom::cli
