#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/file_text.h"
#include "hardware/base/quantity.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::model {

using hardware::Bytes;
using hardware::Count;

/// Element types of the safetensors format, named as in its files.
/// Source: github.com/huggingface/safetensors, safetensors/src/tensor.rs.
enum class SafetensorsType : std::uint8_t {
  Bool,
  U8,
  I8,
  F8E4m3,
  F8E5m2,
  F8E8m0,
  I16,
  U16,
  F16,
  Bf16,
  I32,
  U32,
  F32,
  F64,
  I64,
  U64,
  C64,
  F4,
  F6E2m3,
  F6E3m2,
};
inline constexpr int kSafetensorsTypeCount = 20;

/// As files write it: BF16, F8_E4M3 ...
std::string_view safetensors_type_name(SafetensorsType type);
/// Bits of one element. Types of 4 and 6 bits are packed.
int safetensors_bits(SafetensorsType type);

/// One tensor of a file; offsets count bytes from the end of the header.
struct SafetensorsTensor {
  std::string name;
  SafetensorsType type = SafetensorsType::Bool;
  std::vector<Count> shape;  ///< empty for a single number
  Count begin = 0;
  Count end = 0;

  [[nodiscard]] Bytes bytes() const { return Bytes(static_cast<double>(end - begin)); }
};

struct SafetensorsHeader {
  std::vector<SafetensorsTensor> tensors;                     ///< in the order of the data
  std::vector<std::pair<std::string, std::string>> metadata;  ///< __metadata__
};

/// Reads the header of a .safetensors file, and nothing of its data, whatever the size. Errors: too
/// short, a header longer than the file or than 100 MB, not JSON (places count from the header's
/// start), an unknown element type, sizes that are negative or too large, offsets that are not
/// shape times element size, tensors that overlap, lie outside the file or leave holes.
std::optional<SafetensorsHeader> read_safetensors_header(const std::string& path,
                                                         hardware::Diagnostics& diagnostics);

/// The same from memory: the first bytes of a file, at least all of its header.
std::optional<SafetensorsHeader> parse_safetensors_start(const hardware::FileStart& start,
                                                         const std::string& path,
                                                         hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
