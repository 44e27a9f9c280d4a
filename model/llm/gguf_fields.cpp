#include "model/llm/gguf_fields.h"

#include <fmt/format.h>

namespace fathom::model {
namespace {

constexpr Count kMost = 1'000'000'000;

/// Entry `layer` of a list, or nothing.
std::optional<Count> entry_of(const GgufArray& list, Count layer) {
  const auto at = static_cast<std::size_t>(layer);
  if (at >= list.numbers.size() || !(list.numbers[at] >= 0 && list.numbers[at] <= kMost)) {
    return std::nullopt;
  }
  return static_cast<Count>(list.numbers[at]);
}

}  // namespace

GgufFields::GgufFields(const GgufFile& file, hardware::Diagnostics& diagnostics)
    : file_(&file), diagnostics_(&diagnostics), architecture_(file.text("general.architecture")) {}

std::string GgufFields::full(std::string_view key) const {
  return fmt::format("{}.{}", architecture_, key);
}

bool GgufFields::has(std::string_view key) const { return file_->find(full(key)) != nullptr; }

Count GgufFields::list_length(std::string_view key) const {
  const GgufValue* value = file_->find(full(key));
  const auto* list = value == nullptr ? nullptr : std::get_if<GgufArray>(value);
  return list == nullptr ? 0 : list->count;
}

void GgufFields::error(const std::string& message, const std::string& help) {
  if (reported_.insert(message).second) {
    diagnostics_->error({hardware::make_source(file_->path, {}), 0, 0}, message, help);
  }
}

Count GgufFields::may_at(std::string_view key, Count layer, Count absent) {
  const GgufValue* value = file_->find(full(key));
  if (value == nullptr) {
    return absent;
  }
  const auto* list = std::get_if<GgufArray>(value);
  const auto* truth = std::get_if<bool>(value);
  const std::optional<Count> number = list != nullptr    ? entry_of(*list, layer)
                                      : truth != nullptr ? std::optional<Count>(*truth ? 1 : 0)
                                                         : file_->integer(full(key));
  if (!number || *number < 0 || *number > kMost) {
    error(list != nullptr
              ? fmt::format("'{}' has no number for layer {}", full(key), layer)
              : fmt::format("'{}' is not a whole number from 0 to {}", full(key), kMost));
    return absent;
  }
  return *number;
}

Count GgufFields::need_at(std::string_view key, Count layer) {
  if (!has(key)) {
    error(fmt::format("missing field '{}'", full(key)));
    return 1;
  }
  const Count number = may_at(key, layer, 1);
  if (number < 1) {
    error(list_length(key) > 0
              ? fmt::format("'{}' is 0 for layer {}, whose tensors need it", full(key), layer)
              : fmt::format("'{}' is 0", full(key)));
    return 1;
  }
  return number;
}

}  // namespace fathom::model
