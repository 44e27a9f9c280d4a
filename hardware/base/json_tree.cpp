#include "hardware/base/json_tree.h"

#include <utility>

namespace fathom::hardware {
namespace {

SpecNode::Kind node_kind(JsonEvent::Kind kind) {
  switch (kind) {
    case JsonEvent::Kind::MapStart:
    case JsonEvent::Kind::MapEnd:
      return SpecNode::Kind::Map;
    case JsonEvent::Kind::ListStart:
    case JsonEvent::Kind::ListEnd:
      return SpecNode::Kind::List;
    case JsonEvent::Kind::Null:
      return SpecNode::Kind::Null;
    case JsonEvent::Kind::Key:
    case JsonEvent::Kind::Text:
    case JsonEvent::Kind::Number:
    case JsonEvent::Kind::Bool:
      return SpecNode::Kind::Scalar;
  }
  return SpecNode::Kind::Null;
}

bool ends(JsonEvent::Kind kind) {
  return kind == JsonEvent::Kind::MapEnd || kind == JsonEvent::Kind::ListEnd;
}

}  // namespace

JsonTree::JsonTree(std::shared_ptr<const SourceFile> file) : file_(std::move(file)) {}

void JsonTree::take(const JsonEvent& event) {
  if (ends(event.kind)) {
    close();
    return;
  }
  ++size_;
  Mark mark{file_, event.line, event.column};
  if (event.kind == JsonEvent::Kind::Key) {
    open_.back().entries.push_back({std::string(event.text), std::move(mark), {}});
    return;
  }
  SpecNode node;
  node.kind = node_kind(event.kind);
  node.mark = std::move(mark);
  if (node.kind == SpecNode::Kind::Map || node.kind == SpecNode::Kind::List) {
    open_.push_back(std::move(node));
    return;
  }
  node.text = event.text;
  node.quoted = event.kind == JsonEvent::Kind::Text;
  add(std::move(node));
}

void JsonTree::close() {
  SpecNode node = std::move(open_.back());
  open_.pop_back();
  add(std::move(node));
}

void JsonTree::add(SpecNode node) {
  if (open_.empty()) {
    root_ = std::move(node);
  } else if (open_.back().kind == SpecNode::Kind::List) {
    open_.back().items.push_back(std::move(node));
  } else {
    open_.back().entries.back().value = std::move(node);
  }
}

std::optional<SpecNode> JsonTree::root() { return std::move(root_); }

}  // namespace fathom::hardware
