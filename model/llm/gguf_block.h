#pragma once

#include "model/llm/import_gguf.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::model {

/// A tensor and the roles that its weights have; several where projections are stored as one.
struct GgufClaim {
  const GgufTensor* tensor = nullptr;
  std::vector<Role> roles;
  bool scale = false;  ///< a scale beside the weights: bytes, but no format and no parameters
};

/// The tensors of one block (`blk.3.`), or those outside the blocks, by the rest of their names.
/// Builders take what they know; what nobody takes is reported.
class GgufBlock {
 public:
  void add(std::string_view name, const GgufTensor& tensor);

  /// The tensor `stem.weight`, else the one of that whole name; null where there is none.
  [[nodiscard]] const GgufTensor* find(std::string_view stem) const;
  [[nodiscard]] bool has(std::string_view stem) const { return find(stem) != nullptr; }
  /// Output features, input features and elements of `find(stem)`; 1 where there is none. At most
  /// 1e9 each: no sum of products of two can overflow.
  [[nodiscard]] Count rows(std::string_view stem) const;
  [[nodiscard]] Count columns(std::string_view stem) const;
  [[nodiscard]] Count matrices(std::string_view stem) const;
  [[nodiscard]] Count elements(std::string_view stem) const;

  /// Gives `find(stem)` and its scales their roles, unless it is taken; false where there is none.
  bool take(std::string_view stem, std::initializer_list<Role> roles);
  bool take(std::string_view stem, Role role) { return take(stem, {role}); }
  /// The same of all that begin so: "ffn_up." of files with a tensor for each expert.
  Count take_all(std::string_view start, Role role);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::vector<std::string> free_names() const;
  [[nodiscard]] std::vector<const GgufTensor*> free_tensors() const;
  [[nodiscard]] const std::vector<GgufClaim>& claims() const { return claims_; }

 private:
  struct Entry {
    std::string name;
    const GgufTensor* tensor = nullptr;
    bool taken = false;
  };
  bool take_exact(std::string_view name, const GgufClaim& claim);

  std::vector<Entry> entries_;
  std::vector<GgufClaim> claims_;
};

/// The tensors of a file, block by block.
struct GgufBlocks {
  std::vector<GgufBlock> blocks;
  GgufBlock outer;  ///< with those of blocks that the model does not count
};

GgufBlocks split_blocks(const GgufFile& file, Count blocks);

}  // namespace fathom::model
