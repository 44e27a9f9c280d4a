#include "model/llm/import_gguf.h"

#include "hardware/base/file_text.h"
#include "model/llm/gguf_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace fathom::model {
namespace {

using hardware::Diagnostics;
using hardware::Mark;

Mark whole_file(const std::string& path) { return {hardware::make_source(path, {}), 0, 0}; }

/// The header of one file. Headers are some MiB long (the tokenizer), but how long is known only
/// at their end: more and more of the file is read until it is all there.
std::optional<GgufFile> read_part(const std::string& path, Diagnostics& diagnostics) {
  constexpr std::uint64_t kMebibyte = 1U << 20U;
  constexpr std::uint64_t kLongest = 256 * kMebibyte;
  for (std::uint64_t size = kMebibyte; size <= kLongest; size *= 4) {
    const auto start = hardware::read_file_start(path, size, diagnostics);
    if (!start) {
      return std::nullopt;
    }
    GgufCursor cursor(start->bytes, start->size);
    GgufFile file = parse_gguf_part(cursor);
    if (cursor.starved()) {
      continue;
    }
    for (const std::string& error : cursor.errors()) {
      diagnostics.error(whole_file(path), error);
    }
    if (!cursor.errors().empty()) {
      return std::nullopt;
    }
    file.path = path;
    return file;
  }
  diagnostics.error(whole_file(path),
                    fmt::format("the header does not end within {} MiB", kLongest / kMebibyte));
  return std::nullopt;
}

/// The path of part `index` (from 0) of a split file, from that of another part; empty where that
/// name is not of the form `<prefix>-00001-of-00003.gguf`.
std::string part_path(const std::string& path, Count index, Count parts) {
  constexpr std::size_t kDigits = 5;
  const std::string tail = fmt::format("-of-{:05}.gguf", parts);
  if (path.size() <= tail.size() + kDigits || !path.ends_with(tail)) {
    return {};
  }
  const std::size_t number = path.size() - tail.size() - kDigits;
  const bool digits = std::all_of(path.begin() + static_cast<std::ptrdiff_t>(number),
                                  path.begin() + static_cast<std::ptrdiff_t>(number + kDigits),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || path[number - 1] != '-') {
    return {};
  }
  return path.substr(0, number) + fmt::format("{:05}", index + 1) + tail;
}

/// The paths of all parts, or nothing and a diagnostic that names the missing ones.
std::optional<std::vector<std::string>> part_paths(const std::string& path, Count parts,
                                                   Diagnostics& diagnostics) {
  constexpr std::size_t kMaxNamed = 10;
  if (part_path(path, 0, parts).empty()) {
    diagnostics.error(
        whole_file(path),
        fmt::format("one of {} parts, but the name does not end in -00001-of-{:05}.gguf: "
                    "the other parts cannot be found",
                    parts, parts));
    return std::nullopt;
  }
  std::vector<std::string> paths;
  std::vector<std::string> missing;
  std::size_t absent = 0;
  for (Count i = 0; i < parts; ++i) {
    paths.push_back(part_path(path, i, parts));
    if (!hardware::is_file(paths.back()) && ++absent <= kMaxNamed) {
      missing.push_back(paths.back());
    }
  }
  if (absent > 0) {
    diagnostics.error(whole_file(path),
                      fmt::format("{} of {} parts are missing: {}{}", absent, parts,
                                  fmt::join(missing, ", "), absent > kMaxNamed ? ", ..." : ""));
    return std::nullopt;
  }
  return paths;
}

/// Adds the tensors of part `index` to those of the parts before.
bool append(GgufFile part, Count index, GgufFile& whole, Diagnostics& diagnostics) {
  if (part.integer("split.no") != index || part.integer("split.count") != whole.parts) {
    diagnostics.error(whole_file(part.path),
                      fmt::format("by its name part {} of {}, by 'split.no' and 'split.count' "
                                  "another",
                                  index + 1, whole.parts));
    return false;
  }
  whole.file_bytes += part.file_bytes;
  whole.data_bytes += part.data_bytes;
  for (GgufTensor& tensor : part.tensors) {
    tensor.part = index;
    whole.tensors.push_back(std::move(tensor));
  }
  return true;
}

std::optional<GgufFile> read_parts(const std::string& path, Count parts, Diagnostics& diagnostics) {
  const auto paths = part_paths(path, parts, diagnostics);
  if (!paths) {
    return std::nullopt;
  }
  std::optional<GgufFile> whole;
  bool good = true;
  for (Count i = 0; i < parts; ++i) {
    auto part = read_part(paths->at(static_cast<std::size_t>(i)), diagnostics);
    if (!part) {
      good = false;
      continue;
    }
    if (!whole) {
      whole = GgufFile{.path = path,
                       .version = part->version,
                       .parts = parts,
                       .alignment = part->alignment,
                       .metadata = part->metadata};
    }
    good = append(*std::move(part), i, *whole, diagnostics) && good;
  }
  return good ? whole : std::nullopt;
}

bool check_whole(const GgufFile& file, Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  names.reserve(file.tensors.size());
  for (const GgufTensor& tensor : file.tensors) {
    names.emplace_back(tensor.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    diagnostics.error(whole_file(file.path),
                      fmt::format("tensor '{}' is there twice", printable(*twice)));
    return false;
  }
  const auto wanted = file.integer("split.tensors.count");
  const auto tensors = static_cast<Count>(file.tensors.size());
  if (file.parts > 1 && wanted && *wanted != tensors) {
    diagnostics.error(
        whole_file(file.path),
        fmt::format("the parts hold {} tensors, 'split.tensors.count' is {}", tensors, *wanted));
    return false;
  }
  return true;
}

}  // namespace

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = std::find_if(metadata.begin(), metadata.end(),
                                  [&](const GgufEntry& entry) { return entry.key == key; });
  return found == metadata.end() ? nullptr : &found->value;
}

std::optional<Count> GgufFile::integer(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (const auto* whole = std::get_if<std::int64_t>(value)) {
    return *whole;
  }
  const auto* whole = std::get_if<std::uint64_t>(value);
  if (whole == nullptr || *whole > static_cast<std::uint64_t>(std::numeric_limits<Count>::max())) {
    return std::nullopt;
  }
  return static_cast<Count>(*whole);
}

std::string_view GgufFile::text(std::string_view key) const {
  const GgufValue* value = find(key);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::optional<GgufFile> read_gguf_header(const std::string& path, Diagnostics& diagnostics) {
  constexpr Count kMaxParts = 99'999;  // five digits in the name
  auto file = read_part(path, diagnostics);
  if (!file) {
    return std::nullopt;
  }
  const Count parts = file->integer("split.count").value_or(1);
  if (parts < 0 || parts > kMaxParts) {
    diagnostics.error(whole_file(path), fmt::format("'split.count' is {}", parts));
    return std::nullopt;
  }
  if (parts > 1) {
    file = read_parts(path, parts, diagnostics);
  }
  if (!file || !check_whole(*file, diagnostics)) {
    return std::nullopt;
  }
  return file;
}

}  // namespace fathom::model
