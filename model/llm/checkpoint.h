#pragma once

#include "model/llm/import_safetensors.h"
#include "model/llm/tensor_class.h"

#include <array>

namespace fathom::model {

/// Where the size of a checkpoint is from.
enum class SizeSource : std::uint8_t {
  Headers,       ///< all files are there: the sum of their tensors
  Index,         ///< some are missing: the total_size of the index
  PresentFiles,  ///< some are missing and the index has no size: of those that are there
};

/// Tensors of one class.
struct TensorClassSum {
  Count tensors = 0;
  Bytes bytes;  ///< of the files that are there

  friend bool operator==(const TensorClassSum&, const TensorClassSum&) = default;
};

/// What the safetensors files of a folder say of a model.
struct Checkpoint {
  Bytes total;
  SizeSource total_from = SizeSource::Headers;
  Count tensors = 0;                                         ///< of the index, else of the files
  std::array<Bytes, kSafetensorsTypeCount> bytes_by_type{};  ///< of the files that are there
  std::array<TensorClassSum, kTensorClassCount> classes{};
  std::optional<Count> largest_layer;   ///< N of `layers.N.` outside vision towers and `mtp.`
  bool has_lm_head = false;             ///< else the embedding serves (or the head is missing)
  bool has_embedding_in_layer = false;  ///< a copy, as in the MTP layer of DeepSeek-V3
  bool has_mtp_prefix = false;          ///< a name begins with `mtp.`
  std::vector<std::string> files;       ///< that are there
  std::vector<std::string> missing;     ///< named by the index or by "-00001-of-00004"

  [[nodiscard]] const TensorClassSum& of(TensorClass tensor_class) const;
};

/// Reads the index of a folder, where there is one, and the headers of the files that are there;
/// never their data. Without an index, model.safetensors where it is there, else all .safetensors
/// files. Warnings: total_size is not the sum of all headers; tensors of a file that the index does
/// not name there, or the reverse. Errors: neither index nor file; those of
/// read_safetensors_index and read_safetensors_header.
std::optional<Checkpoint> read_checkpoint(const std::string& folder,
                                          hardware::Diagnostics& diagnostics);

}  // namespace fathom::model
