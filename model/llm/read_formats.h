#pragma once

#include "hardware/base/diagnostics.h"
#include "hardware/base/spec_node.h"
#include "model/llm/roles.h"

#include <array>
#include <optional>

namespace fathom::model {

/// What a `formats:` map says beside the formats themselves.
struct FormatsRead {
  std::array<bool, kGroupCount> present{};  ///< groups that are named
  std::optional<Format> mtp;                ///< of the linear roles of MTP layers
  std::optional<Format> kv_cache;
  std::optional<Format> state_cache;
  bool names_kv_cache = false;  ///< the key is there, right or wrong
};

/// Reads groups first, then roles, which win: `{attention: bf16, output: nvfp4}`. `formats` keeps
/// what the map does not name.
FormatsRead read_formats(const hardware::SpecNode& node, Formats& formats,
                         hardware::Diagnostics& diagnostics);

/// True for roles whose format the group `mtp` sets in an MTP layer: linear ones of its blocks.
bool follows_mtp(const RoleFacts& facts);

/// Gives the linear roles of an MTP layer one format.
void set_mtp_format(Formats& formats, Format format);

}  // namespace fathom::model
