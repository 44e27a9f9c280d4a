#pragma once

#include "hardware/base/diagnostics.h"
#include "model/llm/ggml_type.h"
#include "model/llm/model_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom::model {

/// The types of metadata values, by their numbers in the file.
enum class GgufValueType : std::uint8_t {
  Uint8,
  Int8,
  Uint16,
  Int16,
  Uint32,
  Int32,
  Float32,
  Bool,
  Text,
  Array,
  Uint64,
  Int64,
  Float64,
};

/// An array of metadata. The entries are kept for numbers and truths (as 0 and 1), at most 4096;
/// of texts (a tokenizer has 250,000), of arrays and of longer ones only how many there are.
struct GgufArray {
  GgufValueType element = GgufValueType::Uint8;
  Count count = 0;
  std::vector<double> numbers;  ///< `count` of them, or none

  friend bool operator==(const GgufArray&, const GgufArray&) = default;
};

using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string, GgufArray>;

struct GgufEntry {
  std::string key;
  GgufValue value;
};

/// One tensor. The dimensions are in the order of ggml: the first is the row length, whose elements
/// are neighbours (the input features of a linear layer); PyTorch and Safetensors write them the
/// other way round. Experts are the last of three.
struct GgufTensor {
  std::string name;
  std::vector<Count> dimensions;
  GgmlType type;
  Count offset = 0;  ///< from the beginning of the data of its part
  Count elements = 0;
  Count bytes = 0;
  Count part = 0;  ///< of a split file, from 0
};

/// What the header of a GGUF file says; of a split file, the tensors of all parts and the metadata
/// of the first, which has the model's.
struct GgufFile {
  std::string path;  ///< as given
  int version = 0;
  Count parts = 1;
  Count alignment = 32;
  Count file_bytes = 0;  ///< of all parts
  Count data_bytes = 0;  ///< of all tensors, without padding
  std::vector<GgufEntry> metadata;
  std::vector<GgufTensor> tensors;

  /// The value of a key, or null.
  [[nodiscard]] const GgufValue* find(std::string_view key) const;
  /// The value of a key that is an integer of any width and fits, or nothing.
  [[nodiscard]] std::optional<Count> integer(std::string_view key) const;
  /// The text of a key, or empty.
  [[nodiscard]] std::string_view text(std::string_view key) const;
};

/// Reads the header of a GGUF file of version 2 or 3, little-endian, and of its siblings where it
/// is one part of a split file (`model-00001-of-00003.gguf`; any part may be given). The data is
/// never read, but the file must be long enough to hold it.
/// Source: docs/gguf.md of ggml; block sizes: ggml-common.h.
std::optional<GgufFile> read_gguf_header(const std::string& path,
                                         hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
