#include "model/llm/read_formats.h"

#include "hardware/base/map_reader.h"

namespace fathom::model {

using hardware::Diagnostics;
using hardware::MapReader;
using hardware::SpecNode;

FormatsRead read_formats(const SpecNode& node, Formats& formats, Diagnostics& diagnostics) {
  MapReader r(node, "formats", diagnostics);
  FormatsRead out;
  for (int i = 0; i < kGroupCount; ++i) {
    const auto group = static_cast<Group>(i);
    const std::string_view name = group_name(group);
    out.present.at(static_cast<std::size_t>(i)) = r.has(name);
    const auto format = r.optional_format(name);
    if (!format) {
      continue;
    }
    if (group == Group::Norm) {
      set_small_formats(formats, *format);
    } else if (group == Group::Mtp) {
      out.mtp = format;
    } else if (group == Group::Hyper) {  // FP32 unless named: no role of it follows a group
      for (const Role role : {Role::HyperHead, Role::HyperMix, Role::HyperBias}) {
        set_format(formats, role, *format);
      }
    } else {
      set_group_format(formats, group, *format);
    }
  }
  for (int i = 0; i < kRoleCount; ++i) {
    const RoleFacts& facts = role_facts(static_cast<Role>(i));
    if (facts.name == group_name(facts.group)) {
      continue;  // the group is this one role
    }
    if (const auto format = r.optional_format(facts.name)) {
      set_format(formats, facts.role, *format);
    }
  }
  out.names_kv_cache = r.has("kv_cache");
  out.kv_cache = r.optional_format("kv_cache");
  out.state_cache = r.optional_format("state_cache");
  r.finish();
  return out;
}

bool follows_mtp(const RoleFacts& facts) {
  const bool outside = facts.group == Group::Embedding || facts.group == Group::LmHead ||
                       facts.role == Role::PerLayerEmbedding ||
                       facts.role == Role::PerLayerProjection;
  // The router of an MTP layer stays in the main model's format, as in the checkpoints read.
  return facts.source == FormatSource::Linear && !outside && facts.group != Group::Router;
}

void set_mtp_format(Formats& formats, Format format) {
  for (int i = 0; i < kRoleCount; ++i) {
    const RoleFacts& facts = role_facts(static_cast<Role>(i));
    if (follows_mtp(facts)) {
      set_format(formats, facts.role, format);
    }
  }
}

}  // namespace fathom::model
