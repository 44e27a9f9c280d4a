#include "model/llm/checkpoint.h"

#include "hardware/base/file_text.h"
#include "model/llm/safetensors_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace fathom::model {
namespace {

using hardware::Diagnostics;

constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kSingleName = "model.safetensors";
constexpr std::string_view kExtension = ".safetensors";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string join(const std::string& folder, std::string_view file) {
  return fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", file);
}

void warn(const std::string& path, std::string message, Diagnostics& diagnostics) {
  diagnostics.warning({hardware::make_source(path, {}), 0, 0}, std::move(message));
}

/// N of the first `layers.N.`, and what comes behind it.
struct InLayer {
  Count layer = 0;
  std::string_view rest;
};

std::optional<InLayer> in_layer(std::string_view name) {
  constexpr std::string_view kLayers = "layers.";
  const std::size_t at = name.find(kLayers);
  if (at == std::string_view::npos || (at > 0 && name[at - 1] != '.')) {
    return std::nullopt;
  }
  const std::string_view tail = name.substr(at + kLayers.size());
  InLayer found;
  const char* const end = tail.data() + tail.size();
  const auto [behind, error] = std::from_chars(tail.data(), end, found.layer);
  if (error != std::errc() || behind == end || *behind != '.' || found.layer < 0) {
    return std::nullopt;
  }
  found.rest = tail.substr(static_cast<std::size_t>(behind - tail.data()) + 1);
  return found;
}

/// Counts names into a checkpoint. Names that differ in digits alone are of one class, so few are
/// really classified: 200,000 names have some fifty patterns.
class NameCounter {
 public:
  TensorClass class_of(std::string_view name) {
    pattern_.clear();
    for (const char c : name) {
      if (!is_digit(c)) {
        pattern_ += c;
      } else if (pattern_.empty() || pattern_.back() != '0') {
        pattern_ += '0';
      }
    }
    const auto found = classes_.find(pattern_);
    return found != classes_.end() ? found->second
                                   : classes_.emplace(pattern_, tensor_class(name)).first->second;
  }

  void count(std::string_view name, Checkpoint& checkpoint) {
    const TensorClass kind = class_of(name);
    ++checkpoint.tensors;
    ++checkpoint.classes.at(static_cast<std::size_t>(kind)).tensors;
    checkpoint.has_lm_head = checkpoint.has_lm_head || kind == TensorClass::LmHead;
    const bool mtp = name.starts_with("mtp.");
    checkpoint.has_mtp_prefix = checkpoint.has_mtp_prefix || mtp;
    const std::optional<InLayer> at = in_layer(name);
    if (at && !mtp && kind != TensorClass::Multimodal) {
      checkpoint.largest_layer = std::max(checkpoint.largest_layer.value_or(0), at->layer);
      checkpoint.has_embedding_in_layer =
          checkpoint.has_embedding_in_layer || at->rest.starts_with("embed_tokens");
    }
  }

 private:
  std::string pattern_;
  std::unordered_map<std::string, TensorClass> classes_;
};

/// The files of "model-00001-of-00004.safetensors", or nothing where the name is not of that form.
std::vector<std::string> shard_names(std::string_view name) {
  constexpr std::size_t kDigits = 5;
  constexpr std::string_view kOf = "-of-";
  const std::size_t tail = kDigits + kOf.size() + kDigits + kExtension.size();
  if (name.size() <= tail || name.substr(name.size() - tail + kDigits, kOf.size()) != kOf) {
    return {};
  }
  const std::string_view head = name.substr(0, name.size() - tail);
  const std::string_view number = name.substr(name.size() - kDigits - kExtension.size(), kDigits);
  int count = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + kDigits, count);
  std::vector<std::string> names;
  if (parsed.ec == std::errc() && parsed.ptr == number.data() + kDigits) {
    for (int i = 1; i <= count; ++i) {
      names.push_back(fmt::format("{}{:05}-of-{:05}{}", head, i, count, kExtension));
    }
  }
  return names;
}

/// The files of a checkpoint without an index, whether there or not.
std::vector<std::string> files_without_index(const std::vector<std::string>& present) {
  if (std::binary_search(present.begin(), present.end(), kSingleName)) {
    return {std::string(kSingleName)};
  }
  std::vector<std::string> files;
  for (const std::string& name : present) {
    if (!name.ends_with(kExtension)) {
      continue;
    }
    files.push_back(name);
    // Files of one set name the same others: asked for once, by its first that is there.
    const std::vector<std::string> others = shard_names(name);
    const bool first = std::none_of(files.begin(), files.end() - 1, [&](const std::string& file) {
      return std::find(others.begin(), others.end(), file) != others.end();
    });
    if (first) {
      files.insert(files.end(), others.begin(), others.end());
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

/// One reading of a folder.
struct Reading {
  std::string folder;
  std::optional<SafetensorsIndex> index;
  Checkpoint checkpoint;
  NameCounter names;
  std::unordered_map<std::string_view, std::uint32_t> file_of;  ///< of the index
  std::vector<Count> named;  ///< tensors that the index has, by file
};

void count_index(Reading& reading) {
  const SafetensorsIndex& index = *reading.index;
  reading.named.resize(index.files.size());
  for (std::size_t i = 0; i < index.entries.size(); ++i) {
    reading.names.count(index.name(i), reading.checkpoint);
    ++reading.named.at(index.entries[i].file);
  }
}

/// Made for the first file that is there: an index alone needs none.
void map_index(Reading& reading) {
  const SafetensorsIndex& index = *reading.index;
  reading.file_of.reserve(index.entries.size());
  for (std::size_t i = 0; i < index.entries.size(); ++i) {
    reading.file_of.emplace(index.name(i), index.entries[i].file);
  }
}

/// Warns of tensors that the index and the header of a file place differently.
void compare_with_index(Reading& reading, const std::string& file, const SafetensorsHeader& header,
                        Diagnostics& diagnostics) {
  if (reading.file_of.empty()) {
    map_index(reading);
  }
  const auto& files = reading.index->files;
  const auto number =
      static_cast<std::size_t>(std::find(files.begin(), files.end(), file) - files.begin());
  Count known = 0;
  std::string_view unknown;
  for (const SafetensorsTensor& tensor : header.tensors) {
    const auto found = reading.file_of.find(tensor.name);
    if (found != reading.file_of.end() && found->second == number) {
      ++known;
    } else if (unknown.empty()) {
      unknown = tensor.name;
    }
  }
  const std::string path = join(reading.folder, file);
  if (const Count more = static_cast<Count>(header.tensors.size()) - known; more > 0) {
    warn(path,
         fmt::format("{} tensors that the index does not place here, first '{}'", more, unknown),
         diagnostics);
  }
  if (const Count fewer = reading.named.at(number) - known; fewer > 0) {
    warn(path, fmt::format("{} tensors that the index places here are not in it", fewer),
         diagnostics);
  }
}

bool add_file(Reading& reading, const std::string& file, Diagnostics& diagnostics) {
  const auto header = read_safetensors_header(join(reading.folder, file), diagnostics);
  if (!header) {
    return false;
  }
  Checkpoint& checkpoint = reading.checkpoint;
  for (const SafetensorsTensor& tensor : header->tensors) {
    if (!reading.index) {
      reading.names.count(tensor.name, checkpoint);
    }
    const auto kind = static_cast<std::size_t>(reading.names.class_of(tensor.name));
    checkpoint.classes.at(kind).bytes += tensor.bytes();
    checkpoint.bytes_by_type.at(static_cast<std::size_t>(tensor.type)) += tensor.bytes();
    checkpoint.total += tensor.bytes();
  }
  checkpoint.files.push_back(file);
  if (reading.index) {
    compare_with_index(reading, file, *header, diagnostics);
  }
  return true;
}

/// Decides which size counts: all headers, else the index, else what is there.
void settle_total(Reading& reading, Diagnostics& diagnostics) {
  Checkpoint& checkpoint = reading.checkpoint;
  const std::optional<Bytes> said =
      reading.index ? reading.index->total_size : std::optional<Bytes>();
  if (checkpoint.missing.empty()) {
    checkpoint.total_from = SizeSource::Headers;
    if (said && *said != checkpoint.total) {
      warn(join(reading.folder, kIndexName),
           fmt::format("'total_size' is {:.0f}, but the tensors of the files are {:.0f} bytes",
                       said->base(), checkpoint.total.base()),
           diagnostics);
    }
  } else if (said) {
    checkpoint.total_from = SizeSource::Index;
    checkpoint.total = *said;
  } else {
    checkpoint.total_from = SizeSource::PresentFiles;
  }
}

}  // namespace

const TensorClassSum& Checkpoint::of(TensorClass tensor_class) const {
  return classes.at(static_cast<std::size_t>(tensor_class));
}

std::optional<Checkpoint> read_checkpoint(const std::string& folder, Diagnostics& diagnostics) {
  const auto present = hardware::list_files(folder, diagnostics);
  if (!present) {
    return std::nullopt;
  }
  const auto is_present = [&](std::string_view name) {
    return std::binary_search(present->begin(), present->end(), name);
  };
  Reading reading;
  reading.folder = folder;
  if (is_present(kIndexName)) {
    reading.index = read_safetensors_index(join(folder, kIndexName), diagnostics);
    if (!reading.index) {
      return std::nullopt;
    }
    count_index(reading);
  }
  const std::vector<std::string> files =
      reading.index ? reading.index->files : files_without_index(*present);
  if (files.empty()) {
    diagnostics.error(
        {hardware::make_source(folder, {}), 0, 0},
        fmt::format("neither {} nor a {} file in this folder", kIndexName, kExtension));
    return std::nullopt;
  }
  bool whole = true;
  for (const std::string& file : files) {
    if (is_present(file)) {
      whole = add_file(reading, file, diagnostics) && whole;
    } else {
      reading.checkpoint.missing.push_back(file);
    }
  }
  settle_total(reading, diagnostics);
  return whole ? std::optional(std::move(reading.checkpoint)) : std::nullopt;
}

}  // namespace fathom::model
