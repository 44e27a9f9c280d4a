#include "hardware/base/spec_reader.h"

#include "hardware/base/spec_text.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fathom::hardware {
namespace {

constexpr int kMostFaults = 100;
constexpr std::size_t kLargestSpec = std::size_t{8} << 20;
constexpr std::ptrdiff_t kMostLines = 1'000'000;

/// Thrown by the handler to leave the parser; the diagnostic is already there.
struct Stop {};

/// A map or list whose end has not come yet.
struct Open {
  SpecNode node;
  bool awaits_key = true;  ///< of a map
  std::string key;
  Mark key_mark;
  std::unordered_map<std::string, std::size_t> index;  ///< of the keys so far
};

bool is_null_text(std::string_view text) {
  return text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// Builds the located tree from the parser's events and refuses what a spec does not need. The
/// events come during the parser's descent, so stopping here bounds its recursion too.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const SourceFile> file, Diagnostics& diagnostics)
      : file_(std::move(file)), diagnostics_(&diagnostics) {}

  [[nodiscard]] std::optional<SpecNode> take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) {
      refuse(place(mark), "a second document; a spec file holds one");
      throw Stop{};
    }
    started_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    SpecNode node;
    node.mark = place(mark);
    node.text = null_text(node.mark);
    // The parser marks a value that is not there at whatever comes next.
    if (node.text.empty() && !open_.empty() && !open_.back().awaits_key) {
      node.mark = open_.back().key_mark;
    }
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(place(mark), "aliases are not read", "write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    SpecNode node;
    node.kind = SpecNode::Kind::Scalar;
    node.mark = place(mark);
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(SpecNode::Kind::List, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(SpecNode::Kind::Map, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

  /// A place of the parser, which counts from 0; past the last line it is the end of that.
  [[nodiscard]] Mark place(const YAML::Mark& mark) const {
    if (mark.is_null() || file_->lines.empty()) {
      return {file_, 0, 0};
    }
    const auto lines = static_cast<int>(file_->lines.size());
    if (mark.line >= lines) {
      return {file_, lines, static_cast<int>(file_->lines.back().size()) + 1};
    }
    return {file_, mark.line + 1, mark.column + 1};
  }

 private:
  /// Reports a fault; where there are very many the rest of the file is left unread.
  Diagnostic& refuse(Mark mark, std::string message, std::string help = {}) {
    if (++faults_ > kMostFaults) {
      throw Stop{};
    }
    return diagnostics_->error(std::move(mark), std::move(message), std::move(help));
  }

  void start(SpecNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (open_.size() >= static_cast<std::size_t>(kLargestSpecDepth)) {
      refuse(place(mark), fmt::format("nested deeper than {}", kLargestSpecDepth));
      throw Stop{};
    }
    Open& open = open_.emplace_back();
    open.node.kind = kind;
    open.node.mark = place(mark);
  }

  void end() {
    SpecNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  /// Puts a finished node where it belongs: the root, a list item, a key or a key's value.
  void add(SpecNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == SpecNode::Kind::List) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.awaits_key) {
      take_key(parent, node);
    } else {
      take_value(parent, std::move(node));
    }
  }

  void take_key(Open& parent, const SpecNode& node) {
    if (node.kind == SpecNode::Kind::List || node.kind == SpecNode::Kind::Map) {
      refuse(node.mark, "a list or map as a key; a key is a word");
    } else if (node.text.empty()) {
      refuse(node.mark, "a value without a key");
    } else if (node.text == "<<" && !node.quoted) {
      refuse(node.mark, "merge keys are not read", "write the keys out");
    }
    parent.awaits_key = false;
    parent.key = node.text;
    parent.key_mark = node.mark;
  }

  void take_value(Open& parent, SpecNode node) {
    parent.awaits_key = true;
    const auto [place, added] = parent.index.try_emplace(parent.key, parent.node.entries.size());
    if (!added) {
      const Mark& first = parent.node.entries[place->second].key_mark;
      refuse(parent.key_mark, fmt::format("the key '{}' is given twice", parent.key))
          .notes.push_back({first, "first given here"});
      return;
    }
    parent.node.entries.push_back({parent.key, parent.key_mark, std::move(node)});
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      refuse(place(mark), "anchors are not read", "write the value out each time");
    }
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag != "?" && tag != "!" && !tag.empty()) {
      refuse(place(mark), "tags are not read", "a value in quotes is text");
    }
  }

  /// How a null is written at that place ("null", "~"), or empty where nothing is.
  [[nodiscard]] std::string null_text(const Mark& mark) const {
    const auto line = static_cast<std::size_t>(mark.line) - 1;
    const auto column = static_cast<std::size_t>(mark.column) - 1;
    if (line >= file_->lines.size() || column >= file_->lines[line].size()) {
      return {};
    }
    const std::string& text = file_->lines[line];
    const std::string word = text.substr(column, text.find_first_of(" \t,]}:#", column) - column);
    return is_null_text(word) ? word : std::string();
  }

  std::shared_ptr<const SourceFile> file_;
  Diagnostics* diagnostics_ = nullptr;
  bool started_ = false;
  int faults_ = 0;
  std::vector<Open> open_;
  std::optional<SpecNode> root_;
};

struct ParserWords {
  std::string message;
  std::string help;
};

/// What the parser says, in words that help, or its own.
ParserWords parser_words(const std::string& said) {
  if (said == YAML::ErrorMsg::DOC_IN_SCALAR || said == YAML::ErrorMsg::EOF_IN_SCALAR) {
    return {"a quote is never closed", {}};
  }
  if (said == YAML::ErrorMsg::UNKNOWN_ANCHOR) {
    return {"aliases are not read", "text that begins with '*' is written in quotes"};
  }
  ParserWords words{"not YAML: " + said, {}};
  if (said == YAML::ErrorMsg::MAP_VALUE) {
    words.help =
        "check the indentation, or a ':' missing on the line above; text that holds ': ' is "
        "written in quotes";
  } else if (said == YAML::ErrorMsg::UNKNOWN_TOKEN) {
    words.help = "text that begins with this character is written in quotes";
  } else if (said == YAML::ErrorMsg::END_OF_MAP || said == YAML::ErrorMsg::END_OF_SEQ) {
    words.help = "check the indentation, or a ':' missing on the line above";
  }
  return words;
}

/// Runs the parser over the text; no exception leaves it.
void parse(const SourceFile& file, TreeBuilder& builder, Diagnostics& diagnostics) {
  try {
    std::istringstream in(parser_text(file));
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
    return;
  } catch (const YAML::Exception& exception) {
    ParserWords words = parser_words(exception.msg);
    diagnostics.error(builder.place(exception.mark), std::move(words.message),
                      std::move(words.help));
  } catch (const std::exception& exception) {
    diagnostics.error(builder.place(YAML::Mark::null_mark()),
                      fmt::format("cannot be parsed: {}", exception.what()));
  }
}

}  // namespace

std::optional<SpecNode> read_spec_text(std::string_view text, const std::string& name,
                                       Diagnostics& diagnostics) {
  if (text.size() > kLargestSpec) {
    diagnostics.error({make_source(name, {}), 0, 0}, "larger than 8 MiB; is this a spec?");
    return std::nullopt;
  }
  if (std::count(text.begin(), text.end(), '\n') > kMostLines) {
    diagnostics.error({make_source(name, {}), 0, 0},
                      fmt::format("more than {} lines; is this a spec?", kMostLines));
    return std::nullopt;
  }
  const std::shared_ptr<const SourceFile> file = make_source(name, text);
  if (!check_spec_lines(file, diagnostics)) {
    return std::nullopt;
  }
  const std::size_t before = diagnostics.all().size();
  TreeBuilder builder(file, diagnostics);
  parse(*file, builder, diagnostics);
  std::optional<SpecNode> root = builder.take();
  if (diagnostics.all().size() != before) {
    return std::nullopt;
  }
  if (!root || (root->kind == SpecNode::Kind::Null && root->text.empty())) {
    diagnostics.error({file, 0, 0}, "empty file");
    return std::nullopt;
  }
  return root;
}

std::optional<SpecNode> read_spec_file(const std::string& path, Diagnostics& diagnostics) {
  const std::optional<std::string> text = read_file_text(path, diagnostics);
  return text ? read_spec_text(*text, path, diagnostics) : std::nullopt;
}

}  // namespace fathom::hardware
