#include "model/llm/safetensors_parse.h"

#include "hardware/base/json_reader.h"
#include "hardware/base/suggest.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <system_error>

namespace fathom::model {
namespace {

using hardware::JsonEvent;
using Kind = JsonEvent::Kind;

constexpr int kMostFaults = 100;
constexpr std::string_view kMetadata = "__metadata__";

/// A size as the format writes it: digits only, below 2^63.
std::optional<Count> parse_size(std::string_view text) {
  Count value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<SafetensorsType> type_from_name(std::string_view name) {
  for (int i = 0; i < kSafetensorsTypeCount; ++i) {
    const auto type = static_cast<SafetensorsType>(i);
    if (safetensors_type_name(type) == name) {
      return type;
    }
  }
  return std::nullopt;
}

std::string near_type(std::string_view name) {
  std::vector<std::string> names;
  names.reserve(kSafetensorsTypeCount);
  for (int i = 0; i < kSafetensorsTypeCount; ++i) {
    names.emplace_back(safetensors_type_name(static_cast<SafetensorsType>(i)));
  }
  return hardware::did_you_mean(name, names);
}

/// Bytes of a shape; nothing where that is no whole number below 2^63.
std::optional<Count> shape_bytes(const std::vector<Count>& shape, int bits) {
  Count elements = 1;
  bool too_large = false;
  for (const Count extent : shape) {
    if (extent == 0) {
      return 0;  // whatever the other extents are
    }
    too_large = too_large || elements > std::numeric_limits<Count>::max() / extent;
    elements = too_large ? elements : elements * extent;
  }
  // Eights of elements first: elements * bits may pass 2^63 where the bytes do not.
  const Count rest_bits = elements % 8 * bits;
  if (too_large || elements / 8 > (std::numeric_limits<Count>::max() - rest_bits) / bits ||
      rest_bits % 8 != 0) {
    return std::nullopt;
  }
  return elements / 8 * bits + rest_bits / 8;
}

std::string shape_text(const std::vector<Count>& shape) {
  std::string text;
  for (const Count extent : shape) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", extent);
  }
  return "[" + text + "]";
}

/// Builds the header from the events of a scan. Names of tensors are at depth 1, their keys at
/// depth 2, the numbers of their lists at depth 3.
class HeaderBuilder {
 public:
  HeaderBuilder(const std::string& path, hardware::Diagnostics& diagnostics)
      : file_(hardware::make_source(path, {})), diagnostics_(&diagnostics) {}

  [[nodiscard]] SafetensorsHeader take_header() { return std::move(header_); }
  [[nodiscard]] bool failed() const { return faults_ > 0; }

  /// False where the rest is not worth reading.
  bool take(const JsonEvent& event) {
    if (event.depth == 0) {
      if (event.kind != Kind::MapStart && event.kind != Kind::MapEnd &&
          event.kind != Kind::ListEnd) {
        refuse("the header is not a map of tensors");
      }
    } else if (event.depth == 1) {
      take_entry(event);
    } else if (name_ == kMetadata) {
      take_metadata(event);
    } else if (event.depth == 2) {
      take_field(event);
    } else {
      take_number(event);
    }
    return faults_ < kMostFaults;
  }

 private:
  void refuse(std::string message, std::string help = {}) {
    ++faults_;
    diagnostics_->error({file_, 0, 0}, std::move(message), std::move(help));
  }

  void take_entry(const JsonEvent& event) {
    if (event.kind == Kind::Key) {
      name_ = event.text;
    } else if (event.kind == Kind::MapStart) {
      tensor_ = {.name = name_};
      type_text_.reset();
      shape_ = offsets_ = List{};
      faults_before_ = faults_;
    } else if (event.kind == Kind::MapEnd) {
      if (name_ != kMetadata) {
        finish();
      }
    } else if (event.kind != Kind::ListEnd) {
      refuse(fmt::format("the tensor '{}' is not a map of dtype, shape and data_offsets", name_));
    }
  }

  void take_metadata(const JsonEvent& event) {
    if (event.kind == Kind::Key && event.depth == 2) {
      key_ = event.text;
    } else if (event.kind == Kind::Text && event.depth == 2) {
      header_.metadata.emplace_back(key_, event.text);
    } else if (event.depth == 2 && event.kind != Kind::MapEnd && event.kind != Kind::ListEnd) {
      refuse(fmt::format("the value of '{}' in '{}' is not text", key_, kMetadata));
    }
  }

  void take_field(const JsonEvent& event) {
    if (event.kind == Kind::Key) {
      key_ = event.text;
      return;
    }
    const bool list = event.kind == Kind::ListStart || event.kind == Kind::ListEnd;
    if (key_ == "dtype" && event.kind == Kind::Text) {
      type_text_ = event.text;
    } else if (key_ == "shape" && list) {
      shape_.given = true;
    } else if (key_ == "data_offsets" && list) {
      offsets_.given = true;
    } else if (event.kind != Kind::MapEnd && event.kind != Kind::ListEnd) {
      refuse(
          fmt::format("the tensor '{}' has '{}', which is none of dtype (text), shape and "
                      "data_offsets (lists of sizes)",
                      name_, key_));
    }
  }

  void take_number(const JsonEvent& event) {
    List* const list = key_ == "shape" ? &shape_ : key_ == "data_offsets" ? &offsets_ : nullptr;
    if (list == nullptr || event.depth != 3) {
      return;  // already refused with what it is in, or below
    }
    const std::optional<Count> size =
        event.kind == Kind::Number ? parse_size(event.text) : std::nullopt;
    if (!size && event.kind != Kind::ListEnd && event.kind != Kind::MapEnd) {
      refuse(
          fmt::format("the tensor '{}' has '{}' in its {}, which is not a size from 0 to 2^63 - 1",
                      name_, event.text, key_));
    }
    list->sizes.push_back(size.value_or(0));
  }

  void finish() {
    if (faults_ != faults_before_) {
      return;
    }
    const std::optional<SafetensorsType> type =
        type_text_ ? type_from_name(*type_text_) : std::nullopt;
    if (!type_text_ || !shape_.given || !offsets_.given) {
      refuse(fmt::format("the tensor '{}' has no {}", name_,
                         !type_text_     ? "dtype"
                         : !shape_.given ? "shape"
                                         : "data_offsets"));
    } else if (!type) {
      refuse(fmt::format("the tensor '{}' has the unknown dtype '{}'", name_, *type_text_),
             near_type(*type_text_));
    } else if (offsets_.sizes.size() != 2 || offsets_.sizes[0] > offsets_.sizes[1]) {
      refuse(fmt::format("the data_offsets of the tensor '{}' are not a begin and an end", name_));
    }
    if (faults_ != faults_before_) {
      return;
    }
    tensor_.type = *type;
    tensor_.shape = std::move(shape_.sizes);
    tensor_.begin = offsets_.sizes[0];
    tensor_.end = offsets_.sizes[1];
    check_size();
    header_.tensors.push_back(std::move(tensor_));
  }

  void check_size() {
    const std::optional<Count> bytes = shape_bytes(tensor_.shape, safetensors_bits(tensor_.type));
    const std::string what = fmt::format("the tensor '{}' of {} and shape {}", name_, *type_text_,
                                         shape_text(tensor_.shape));
    if (!bytes) {
      refuse(what + " is not a whole number of bytes below 2^63");
    } else if (*bytes != tensor_.end - tensor_.begin) {
      refuse(fmt::format("{} is {} bytes, but its data_offsets hold {}", what, *bytes,
                         tensor_.end - tensor_.begin));
    }
  }

  struct List {
    bool given = false;
    std::vector<Count> sizes;
  };
  std::shared_ptr<const hardware::SourceFile> file_;
  hardware::Diagnostics* diagnostics_ = nullptr;
  SafetensorsHeader header_;
  int faults_ = 0;
  int faults_before_ = 0;  ///< when the tensor under way began
  std::string name_;       ///< of the tensor under way, like all below
  std::string key_;
  SafetensorsTensor tensor_;
  std::optional<std::string> type_text_;
  List shape_;
  List offsets_;
};

}  // namespace

std::optional<SafetensorsHeader> parse_safetensors_header(std::string_view json,
                                                          const std::string& path,
                                                          hardware::Diagnostics& diagnostics) {
  HeaderBuilder builder(path, diagnostics);
  const auto take = [&](const JsonEvent& event) { return builder.take(event); };
  if (!hardware::scan_json(json, path, take, diagnostics) || builder.failed()) {
    return std::nullopt;
  }
  return builder.take_header();
}

}  // namespace fathom::model
