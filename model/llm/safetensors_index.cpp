#include "model/llm/safetensors_index.h"

#include "hardware/base/file_text.h"
#include "hardware/base/json_reader.h"
#include "hardware/base/unit_text.h"

#include <fmt/format.h>

#include <memory>
#include <unordered_map>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::JsonEvent;
using Kind = JsonEvent::Kind;

constexpr std::size_t kLargestIndex = std::size_t{256} << 20U;
constexpr std::size_t kMostFaults = 20;

bool ends(Kind kind) { return kind == Kind::MapEnd || kind == Kind::ListEnd; }

bool is_shard_name(std::string_view name) {
  return name.ends_with(".safetensors") && name.find_first_of("/\\") == std::string_view::npos;
}

/// Builds the index from the events of a scan. `metadata` and `weight_map` are at depth 1, their
/// keys and values at depth 2; what else there is, is passed over.
class IndexBuilder {
 public:
  IndexBuilder(std::string_view text, const std::string& name, Diagnostics& diagnostics)
      : text_(text), name_(name), diagnostics_(&diagnostics) {}

  bool take(const JsonEvent& event) {
    if (event.depth == 0 && event.kind != Kind::MapStart && !ends(event.kind)) {
      refuse(event, "the index is not a map");
    } else if (event.depth == 1) {
      take_section(event);
    } else if (event.depth == 2 && event.kind == Kind::Key) {
      key_ = event.text;
    } else if (event.depth == 2 && section_ == "weight_map" && !ends(event.kind)) {
      take_weight(event);
    } else if (event.depth == 2 && section_ == "metadata" && key_ == "total_size") {
      take_total(event);
    }
    return faults_ < kMostFaults;
  }

  [[nodiscard]] std::optional<SafetensorsIndex> take_index() {
    if (faults_ > 0) {
      return std::nullopt;
    }
    if (!has_weights_ || index_.entries.empty()) {
      diagnostics_->error(
          {source(), 0, 0},
          fmt::format("not an index of safetensors files: {}",
                      has_weights_ ? "its 'weight_map' is empty" : "it has no 'weight_map'"),
          "an index has 'metadata' with 'total_size', and 'weight_map' from tensor to file");
      return std::nullopt;
    }
    return std::move(index_);
  }

 private:
  const std::shared_ptr<const hardware::SourceFile>& source() {
    if (file_ == nullptr) {
      file_ = hardware::make_source(name_, text_);
    }
    return file_;
  }

  void refuse(const JsonEvent& event, std::string message, std::string help = {}) {
    ++faults_;
    diagnostics_->error({source(), event.line, event.column}, std::move(message), std::move(help));
  }

  void take_section(const JsonEvent& event) {
    if (event.kind == Kind::Key) {
      section_ = event.text;
    } else if (section_ == "weight_map" && !ends(event.kind)) {
      has_weights_ = true;
      if (event.kind != Kind::MapStart) {
        refuse(event, "'weight_map' is not a map from tensor to file");
      }
    }
  }

  void take_weight(const JsonEvent& event) {
    if (event.kind != Kind::Text || !is_shard_name(event.text)) {
      refuse(event,
             fmt::format("the tensor '{}' is not in a .safetensors file beside the index", key_),
             event.kind == Kind::Text && event.text.ends_with(".bin")
                 ? "this is the index of a PyTorch checkpoint"
                 : "");
      return;
    }
    auto at = files_.find(std::string(event.text));
    if (at == files_.end()) {
      const auto number = static_cast<std::uint32_t>(index_.files.size());
      at = files_.emplace(event.text, number).first;
      index_.files.emplace_back(event.text);
    }
    index_.names += key_;
    index_.entries.push_back({static_cast<std::uint32_t>(index_.names.size()), at->second});
  }

  void take_total(const JsonEvent& event) {
    const bool number = event.kind == Kind::Number || event.kind == Kind::Text;
    const auto total = number ? hardware::parse_number(event.text) : std::nullopt;
    if (event.kind == Kind::Null) {
      return;
    }
    if (!total || *total < 0) {
      refuse(event, fmt::format("'total_size' is no number of bytes: '{}'", event.text));
    } else if (*total == 0) {
      diagnostics_->warning({source(), event.line, event.column},
                            "'total_size' is 0 and taken as absent");
    } else {
      index_.total_size = Bytes(*total);
    }
  }

  std::string_view text_;
  const std::string& name_;
  Diagnostics* diagnostics_ = nullptr;
  std::shared_ptr<const hardware::SourceFile> file_;  ///< made for the first message
  SafetensorsIndex index_;
  std::unordered_map<std::string, std::uint32_t> files_;
  std::string section_;
  std::string key_;
  bool has_weights_ = false;
  std::size_t faults_ = 0;
};

}  // namespace

std::string_view SafetensorsIndex::name(std::size_t entry) const {
  const std::size_t begin = entry == 0 ? 0 : entries.at(entry - 1).name_end;
  return std::string_view(names).substr(begin, entries.at(entry).name_end - begin);
}

std::optional<SafetensorsIndex> read_safetensors_index_text(std::string_view text,
                                                            const std::string& name,
                                                            Diagnostics& diagnostics) {
  if (text.size() > kLargestIndex) {
    diagnostics.error({hardware::make_source(name, {}), 0, 0}, "larger than 256 MiB");
    return std::nullopt;
  }
  IndexBuilder builder(text, name, diagnostics);
  const auto take = [&](const JsonEvent& event) { return builder.take(event); };
  if (!hardware::scan_json(text, name, take, diagnostics)) {
    return std::nullopt;
  }
  return builder.take_index();
}

std::optional<SafetensorsIndex> read_safetensors_index(const std::string& path,
                                                       Diagnostics& diagnostics) {
  const auto start = hardware::read_file_start(path, kLargestIndex + 1, diagnostics);
  return start ? read_safetensors_index_text(start->bytes, path, diagnostics) : std::nullopt;
}

}  // namespace fathom::model
