#include "model/llm/gguf_part.h"

#include "hardware/base/utf8.h"
#include "model/llm/gguf_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace fathom::model {
namespace {

constexpr std::uint64_t kMaxItems = 1'000'000;  ///< of tensors and of keys; the largest have 2,000
constexpr std::uint64_t kMaxKey = 65'535;       ///< of the specification
constexpr std::uint64_t kMaxDimensions = 4;
constexpr std::size_t kMaxErrors = 20;  ///< a file with more wrong tensors is wrong as a whole
/// Far more than any file holds; block bytes times this fit in 64 bits.
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 52U;

/// A count or offset that fits in 64 bits with a sign, else the largest, which no file holds.
Count bounded(std::uint64_t value) {
  return static_cast<Count>(std::min<std::uint64_t>(value, std::numeric_limits<Count>::max()));
}

void check_magic(GgufCursor& cursor) {
  constexpr std::uint64_t kMagic = 0x46554747;    // "GGUF", lowest byte first
  constexpr std::uint64_t kPointer = 0x73726576;  // "vers", of "version https://git-lfs..."
  const std::uint64_t magic = cursor.number(sizeof(std::uint32_t), "the magic number");
  if (!cursor.failed() && magic != kMagic) {
    cursor.fail(
        fmt::format("not a GGUF file: the number at byte 0 is {:08x}, not {:08x} ('GGUF'){}", magic,
                    kMagic, magic == kPointer ? "; it looks like a Git LFS pointer" : ""));
  }
}

int parse_version(GgufCursor& cursor) {
  constexpr std::uint64_t kLowHalf = 0xffff;
  const std::uint64_t version = cursor.number(sizeof(std::uint32_t), "the version");
  if (cursor.failed()) {
    return 0;
  }
  if (version == 2 || version == 3) {
    return static_cast<int>(version);
  }
  if (version != 0 && (version & kLowHalf) == 0) {
    cursor.fail("big-endian at byte 4; only little-endian files are read");
  } else {
    cursor.fail(fmt::format("GGUF version {} at byte 4; versions 2 and 3 are read", version));
  }
  return 0;
}

std::uint64_t parse_item_count(GgufCursor& cursor, std::string_view what) {
  const std::uint64_t at = cursor.at();
  const std::uint64_t count = cursor.number(sizeof(std::uint64_t), what);
  if (count > kMaxItems) {
    cursor.fail(fmt::format("{} is {} at byte {}; more than {} are not believed", what, count, at,
                            kMaxItems));
    return 0;
  }
  return count;
}

void parse_metadata(GgufCursor& cursor, std::uint64_t count, GgufFile& file) {
  for (std::uint64_t i = 0; i < count && !cursor.failed(); ++i) {
    const std::uint64_t at = cursor.at();
    const std::string_view key = cursor.text(fmt::format("key {} of {}", i + 1, count));
    if (key.size() > kMaxKey) {
      cursor.fail(fmt::format("key {} at byte {} has {} bytes; at most {} are allowed", i + 1, at,
                              key.size(), kMaxKey));
    }
    if (!cursor.failed()) {
      file.metadata.push_back({std::string(key), parse_gguf_value(cursor, printable(key))});
    }
  }
}

void check_keys(GgufCursor& cursor, const GgufFile& file) {
  std::vector<std::string_view> keys;
  keys.reserve(file.metadata.size());
  for (const GgufEntry& entry : file.metadata) {
    keys.emplace_back(entry.key);
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) {
    cursor.fail(fmt::format("key '{}' stands twice in the metadata", printable(*twice)));
  }
}

void set_alignment(GgufCursor& cursor, GgufFile& file) {
  if (file.find("general.alignment") == nullptr) {
    return;
  }
  const Count alignment = file.integer("general.alignment").value_or(0);
  if (alignment <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    cursor.fail("'general.alignment' is no power of two");
    return;
  }
  file.alignment = alignment;
}

/// Elements and bytes from shape and type; an error where they do not go together.
void size_tensor(GgufCursor& cursor, GgufTensor& tensor) {
  std::uint64_t elements = 1;
  for (const Count dimension : tensor.dimensions) {
    const auto width = static_cast<std::uint64_t>(dimension);
    if (width != 0 && elements > kMaxElements / width) {
      cursor.complain(
          fmt::format("tensor '{}' has dimensions {}: more elements than any file holds",
                      printable(tensor.name), fmt::join(tensor.dimensions, " x ")));
      return;
    }
    elements *= width;
  }
  const Count row = tensor.dimensions.empty() ? 1 : tensor.dimensions.front();
  if (row % tensor.type.elements != 0) {
    cursor.complain(fmt::format("tensor '{}' has rows of {} elements, no multiple of the {} of {}",
                                printable(tensor.name), row, tensor.type.elements,
                                tensor.type.name));
    return;
  }
  tensor.elements = static_cast<Count>(elements);
  tensor.bytes = tensor.elements / tensor.type.elements * tensor.type.bytes;
}

void parse_tensor(GgufCursor& cursor, GgufFile& file, const std::string& what) {
  GgufTensor tensor;
  tensor.name = cursor.text("the name of " + what);
  const std::string name = "tensor '" + printable(tensor.name) + "'";
  std::uint64_t at = cursor.at();
  const std::uint64_t dimensions =
      cursor.number(sizeof(std::uint32_t), "the dimension count of " + name);
  if (dimensions > kMaxDimensions) {
    cursor.fail(fmt::format("{} has {} dimensions at byte {}; at most {} are allowed", name,
                            dimensions, at, kMaxDimensions));
  }
  for (std::uint64_t i = 0; i < dimensions && !cursor.failed(); ++i) {
    tensor.dimensions.push_back(
        bounded(cursor.number(sizeof(std::uint64_t), "the dimensions of " + name)));
  }
  at = cursor.at();
  const std::uint64_t id = cursor.number(sizeof(std::uint32_t), "the type of " + name);
  tensor.offset = bounded(cursor.number(sizeof(std::uint64_t), "the offset of " + name));
  if (cursor.failed()) {
    return;
  }
  if (const GgmlType* type = find_ggml_type(static_cast<std::uint32_t>(id))) {
    tensor.type = *type;
    size_tensor(cursor, tensor);
  } else {
    cursor.complain(fmt::format("{} has ggml type {} at byte {}, which is unknown", name, id, at));
  }
  if (tensor.offset % file.alignment != 0) {
    cursor.complain(fmt::format("{} has offset {}, no multiple of the alignment {}", name,
                                tensor.offset, file.alignment));
  }
  file.tensors.push_back(std::move(tensor));
}

/// The data begins at the next multiple of the alignment after the header.
Count data_begin(const GgufCursor& cursor, Count alignment) {
  const auto header = static_cast<Count>(cursor.at());
  return (header + alignment - 1) / alignment * alignment;
}

void check_ends(GgufCursor& cursor, const GgufFile& file) {
  const auto room = file.file_bytes - data_begin(cursor, file.alignment);
  const auto short_of = [&](const GgufTensor& tensor) {
    return tensor.bytes > 0 && tensor.offset > room - tensor.bytes;
  };
  const auto cut = std::count_if(file.tensors.begin(), file.tensors.end(), short_of);
  if (cut == 0) {
    return;
  }
  const auto last = std::max_element(
      file.tensors.begin(), file.tensors.end(), [](const GgufTensor& a, const GgufTensor& b) {
        return a.offset / 2 + a.bytes / 2 < b.offset / 2 + b.bytes / 2;  // halves: no overflow
      });
  const std::uint64_t missing = static_cast<std::uint64_t>(last->offset) +
                                static_cast<std::uint64_t>(last->bytes) -
                                static_cast<std::uint64_t>(room);
  cursor.complain(fmt::format(
      "the file has {} bytes, {} are missing of the data of {} tensors, the last '{}': is the "
      "download complete?",
      file.file_bytes, missing, cut, printable(last->name)));
}

void check_overlaps(GgufCursor& cursor, const GgufFile& file) {
  std::vector<const GgufTensor*> tensors;
  for (const GgufTensor& tensor : file.tensors) {
    if (tensor.bytes > 0) {
      tensors.push_back(&tensor);
    }
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const GgufTensor* a, const GgufTensor* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const GgufTensor& before = *tensors[i - 1];
    const GgufTensor& after = *tensors[i];
    if (after.offset - before.offset < before.bytes) {
      cursor.complain(
          fmt::format("tensors '{}' and '{}' overlap: offset {} with {} bytes, offset {}",
                      printable(before.name), printable(after.name), before.offset, before.bytes,
                      after.offset));
      return;
    }
  }
}

}  // namespace

std::string printable(std::string_view name, std::size_t most) {
  constexpr char kFirstPrintable = ' ';
  constexpr char kDelete = 0x7f;
  const std::string_view shown = name.substr(0, most);
  std::string out;
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t length = hardware::utf8_length(shown, at);
    const char c = shown[at];
    const bool control = (c >= 0 && c < kFirstPrintable) || c == kDelete;
    out += length == 0 || control ? std::string_view("?") : shown.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  return name.size() > most ? out + "..." : out;
}

GgufFile parse_gguf_part(GgufCursor& cursor) {
  GgufFile file;
  file.file_bytes = bounded(cursor.file_bytes());
  check_magic(cursor);
  file.version = parse_version(cursor);
  const std::uint64_t tensors = parse_item_count(cursor, "the number of tensors");
  const std::uint64_t keys = parse_item_count(cursor, "the number of metadata keys");
  parse_metadata(cursor, keys, file);
  if (!cursor.failed()) {
    check_keys(cursor, file);
    set_alignment(cursor, file);
  }
  for (std::uint64_t i = 0; i < tensors && !cursor.failed() && cursor.errors().size() < kMaxErrors;
       ++i) {
    parse_tensor(cursor, file, fmt::format("tensor {} of {}", i + 1, tensors));
  }
  if (!cursor.failed() && cursor.errors().empty()) {
    check_ends(cursor, file);
    check_overlaps(cursor, file);
  }
  if (!cursor.failed() && cursor.errors().empty()) {  // then the sum is less than the file
    for (const GgufTensor& tensor : file.tensors) {
      file.data_bytes += tensor.bytes;
    }
  }
  return file;
}

}  // namespace fathom::model
