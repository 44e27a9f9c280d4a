#include "model/llm/gguf_block.h"

#include <algorithm>
#include <charconv>

namespace fathom::model {
namespace {

constexpr Count kMost = 1'000'000'000;

Count dimension(const GgufTensor* tensor, std::size_t at) {
  return tensor == nullptr || at >= tensor->dimensions.size()
             ? 1
             : std::clamp<Count>(tensor->dimensions[at], 1, kMost);
}

}  // namespace

void GgufBlock::add(std::string_view name, const GgufTensor& tensor) {
  entries_.push_back({std::string(name), &tensor, false});
}

const GgufTensor* GgufBlock::find(std::string_view stem) const {
  const std::string weight = std::string(stem) + ".weight";
  for (const std::string_view name : {std::string_view(weight), stem}) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    if (found != entries_.end()) {
      return found->tensor;
    }
  }
  return nullptr;
}

Count GgufBlock::columns(std::string_view stem) const { return dimension(find(stem), 0); }
Count GgufBlock::rows(std::string_view stem) const { return dimension(find(stem), 1); }
Count GgufBlock::matrices(std::string_view stem) const { return dimension(find(stem), 2); }

Count GgufBlock::elements(std::string_view stem) const {
  const GgufTensor* tensor = find(stem);
  return tensor == nullptr ? 1 : tensor->elements;
}

bool GgufBlock::take_exact(std::string_view name, const GgufClaim& claim) {
  for (Entry& entry : entries_) {
    if (entry.name == name && !entry.taken) {
      entry.taken = true;
      claims_.push_back({entry.tensor, claim.roles, claim.scale});
      return true;
    }
  }
  return false;
}

bool GgufBlock::take(std::string_view stem, std::initializer_list<Role> roles) {
  const std::string base(stem);
  const GgufClaim claim{.roles = roles};
  const GgufClaim scale{.roles = roles, .scale = true};
  if (!take_exact(base + ".weight", claim) && !take_exact(base, claim)) {
    return false;
  }
  take_exact(base + ".scale", scale);
  take_exact(base + ".input_scale", scale);
  return true;
}

Count GgufBlock::take_all(std::string_view start, Role role) {
  Count count = 0;
  for (Entry& entry : entries_) {
    if (entry.name.starts_with(start) && !entry.taken) {
      entry.taken = true;
      claims_.push_back({entry.tensor, {role}});
      ++count;
    }
  }
  return count;
}

std::vector<std::string> GgufBlock::free_names() const {
  std::vector<std::string> out;
  for (const Entry& entry : entries_) {
    if (!entry.taken) {
      out.push_back(entry.name);
    }
  }
  return out;
}

std::vector<const GgufTensor*> GgufBlock::free_tensors() const {
  std::vector<const GgufTensor*> out;
  for (const Entry& entry : entries_) {
    if (!entry.taken) {
      out.push_back(entry.tensor);
    }
  }
  return out;
}

GgufBlocks split_blocks(const GgufFile& file, Count blocks) {
  constexpr std::string_view kStart = "blk.";
  GgufBlocks out;
  out.blocks.resize(static_cast<std::size_t>(blocks));
  for (const GgufTensor& tensor : file.tensors) {
    const std::string_view name = tensor.name;
    Count index = -1;
    const char* end = name.data() + name.size();
    const char* rest = end;
    if (name.starts_with(kStart)) {
      rest = std::from_chars(name.data() + kStart.size(), end, index).ptr;
    }
    const bool known = rest != end && *rest == '.' && index >= 0 && index < blocks;
    if (known) {
      const auto from = static_cast<std::size_t>(rest - name.data()) + 1;
      out.blocks[static_cast<std::size_t>(index)].add(name.substr(from), tensor);
    } else {
      out.outer.add(name, tensor);
    }
  }
  return out;
}

}  // namespace fathom::model
