#include "model/llm/gguf_match.h"

#include "model/llm/gguf_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace fathom::model {
namespace {

/// What a file holds of a role.
struct Stored {
  std::set<Format> formats;
  double bytes = 0;
};

std::map<Role, Stored> stored_roles(const GgufBlock& block, GgufFields& fields) {
  std::map<Role, Stored> out;
  for (const GgufClaim& claim : block.claims()) {
    const GgufTensor& tensor = *claim.tensor;
    for (const Role role : claim.roles) {
      Stored& stored = out[role];
      stored.bytes += static_cast<double>(tensor.bytes);
      if (claim.scale) {
        continue;
      }
      if (tensor.type.format) {
        stored.formats.insert(*tensor.type.format);
      } else {
        fields.error(fmt::format("tensor '{}' is stored as {}, which has no format here",
                                 printable(tensor.name), tensor.type.name));
      }
    }
  }
  return out;
}

double bytes_in(Tensor tensor, Format format) {
  tensor.format = format;
  return tensor.bytes().base();
}

Format nearest_format(const Tensor& tensor, const Stored& stored) {
  const auto away = [&](Format format) {
    return std::abs(bytes_in(tensor, format) - stored.bytes);
  };
  return *std::min_element(stored.formats.begin(), stored.formats.end(),
                           [&](Format a, Format b) { return away(a) < away(b); });
}

/// Roles that one tensor holds together are counted under the first of them.
std::map<Role, Role> leaders(const GgufBlock& block) {
  std::map<Role, Role> out;
  for (const GgufClaim& claim : block.claims()) {
    for (const Role role : claim.roles) {
      out.try_emplace(role, claim.roles.front());
    }
  }
  for (const GgufClaim& claim : block.claims()) {
    if (claim.roles.size() > 1) {
      for (const Role role : claim.roles) {
        out[role] = claim.roles.front();
      }
    }
  }
  return out;
}

/// The model's side less the file's, by leading role.
std::map<Role, GgufDifference> balance(const GgufBlock& block, const std::vector<Tensor>& tensors,
                                       const Formats& formats) {
  const std::map<Role, Role> leader = leaders(block);
  std::map<Role, GgufDifference> out;
  for (const Tensor& tensor : tensors) {
    const auto found = leader.find(tensor.role);
    GgufDifference& d = out[found == leader.end() ? tensor.role : found->second];
    d.bytes += bytes_in(tensor, format_of(formats, tensor.role));
    d.parameters += tensor.parameters();
  }
  for (const GgufClaim& claim : block.claims()) {
    GgufDifference& d = out[leader.at(claim.roles.front())];
    d.bytes -= static_cast<double>(claim.tensor->bytes);
    d.parameters -= claim.scale ? 0 : claim.tensor->elements;
  }
  return out;
}

std::string cause(Role role, const Stored& stored, const GgufDifference& d, Format taken) {
  if (d.parameters == 0 && stored.formats.size() > 1) {
    std::vector<std::string_view> names;
    for (const Format format : stored.formats) {
      names.push_back(hardware::format_name(format));
    }
    return fmt::format("{} is stored as {} and taken as {}", role_name(role),
                       fmt::join(names, " and "), hardware::format_name(taken));
  }
  return d.parameters == 0
             ? fmt::format("{} is stored with other scales", role_name(role))
             : fmt::format("{} has another shape than the metadata give", role_name(role));
}

void add(GgufDifference& sum, const GgufDifference& d) {
  sum.places += 1;
  sum.parameters += d.parameters;
  sum.bytes += d.bytes;
}

}  // namespace

Formats match_formats(const std::string& place, const GgufBlock& block,
                      const std::vector<Tensor>& tensors, GgufFields& fields,
                      GgufDifferences& differences) {
  Formats formats{};
  formats.fill(Format::Fp16);  // of roles that the block does not have
  std::map<Role, Stored> stored = stored_roles(block, fields);
  for (const Tensor& tensor : tensors) {
    const Stored& own = stored[tensor.role];
    if (!own.formats.empty()) {
      set_format(formats, tensor.role, nearest_format(tensor, own));
    } else if (own.bytes == 0 && tensor.parameters() > 0) {
      fields.error(fmt::format("{} has no tensor for {}", place, role_name(tensor.role)));
    }
  }
  for (const auto& [role, d] : balance(block, tensors, formats)) {
    if (d.bytes != 0 || d.parameters != 0) {
      add(differences[cause(role, stored[role], d, format_of(formats, role))], d);
    }
  }
  const std::vector<std::string> names = block.free_names();
  const std::vector<const GgufTensor*> free = block.free_tensors();
  for (std::size_t i = 0; i < free.size(); ++i) {
    add(differences[fmt::format("no role holds {}", printable(names[i]))],
        {1, -free[i]->elements, -static_cast<double>(free[i]->bytes)});
  }
  return formats;
}

}  // namespace fathom::model
