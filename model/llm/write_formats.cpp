#include "model/llm/write_formats.h"

#include "model/llm/read_formats.h"
#include "model/llm/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fathom::model {
namespace {

/// How many parameters of each role are stored in each format.
using Stored = std::map<Role, std::map<Format, double>>;

void add(const std::vector<Tensor>& tensors, Count layers, Stored& out) {
  for (const Tensor& t : tensors) {
    out[t.role][t.format] += static_cast<double>(t.rows) * static_cast<double>(t.columns) *
                             static_cast<double>(t.count) * static_cast<double>(layers);
  }
}

Format most(const std::map<Format, double>& amounts) {
  return std::max_element(amounts.begin(), amounts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// The format of most of a group's linear weights; nothing where it has none.
template <class Belongs>
std::optional<Format> main_format(const Stored& stored, Belongs belongs) {
  std::map<Format, double> sum;
  for (const auto& [role, formats] : stored) {
    const RoleFacts& facts = role_facts(role);
    if (facts.source == FormatSource::Linear && belongs(facts)) {
      for (const auto& [format, amount] : formats) {
        sum[format] += amount;
      }
    }
  }
  return sum.empty() ? std::nullopt : std::optional<Format>(most(sum));
}

std::string entry(std::string_view key, Format format) {
  return fmt::format("{}: {}", key, hardware::format_name(format));
}

/// What `from` lacks to be what is stored; `from` becomes it.
std::vector<std::string> differences(const Stored& stored, Formats& from) {
  std::vector<std::string> out;
  for (const auto& [role, formats] : stored) {
    const Format format = most(formats);
    if (format_of(from, role) != format) {
      out.push_back(entry(role_name(role), format));
      set_format(from, role, format);
    }
  }
  return out;
}

Stored stored_by_mtp(const ModelSpec& model) {
  Stored out;
  for (const LayerKind& layer : model.mtp) {
    add(mtp_tensors(model, layer), layer.count, out);
  }
  return out;
}

}  // namespace

StatedFormats state_formats(const ModelSpec& model) {
  Stored stored;
  add(outer_tensors(model), 1, stored);
  for (const LayerKind& layer : model.layers) {
    add(layer_tensors(layer, model.hidden), layer.count, stored);
  }
  StatedFormats out;
  const Format small = format_of(model.formats, Role::FinalNorm);
  set_small_formats(out.read, small);
  out.lines.push_back(entry("norm", small));
  for (int i = 0; i < kGroupCount; ++i) {
    const auto group = static_cast<Group>(i);
    const auto format =
        main_format(stored, [group](const RoleFacts& facts) { return facts.group == group; });
    if (format && group != Group::Norm && group != Group::Mtp) {
      set_group_format(out.read, group, *format);
      out.lines.push_back(entry(group_name(group), *format));
    }
  }
  const std::vector<std::string> roles = differences(stored, out.read);
  out.lines.insert(out.lines.end(), roles.begin(), roles.end());
  out.read_by_mtp = out.read;
  if (!model.mtp.empty()) {
    const Format mtp = main_format(stored_by_mtp(model), follows_mtp).value_or(small);
    out.lines.push_back(entry("mtp", mtp));
    set_mtp_format(out.read_by_mtp, mtp);
  }
  out.lines.push_back(entry("kv_cache", model.kv_format));
  if (model.state_format != Format::Fp32) {
    out.lines.push_back(entry("state_cache", model.state_format));
  }
  return out;
}

std::vector<std::string> layer_formats(const ModelSpec& model, const LayerKind& layer,
                                       const StatedFormats& stated) {
  Stored own;
  add(layer_tensors(layer, model.hidden), 1, own);
  Formats inherited = stated.read;
  return differences(own, inherited);
}

std::vector<std::string> mtp_formats(const ModelSpec& model, const LayerKind& layer,
                                     const StatedFormats& stated) {
  Stored own;
  add(mtp_tensors(model, layer), 1, own);
  Formats inherited = stated.read_by_mtp;
  return differences(own, inherited);
}

}  // namespace fathom::model
