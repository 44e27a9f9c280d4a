#include "cli/report/show_model_report.h"

#include "cli/report/block_text.h"
#include "cli/report/format_quantity.h"
#include "cli/report/show_cache_report.h"
#include "cli/report/show_report.h"
#include "cli/report/table.h"
#include "cli/report/trap_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using hardware::Bytes;
using hardware::Count;
using hardware::Format;
using model::Census;
using model::Group;
using model::GroupCensus;
using model::ModelSpec;

std::string whole(Count count) { return show_number(static_cast<double>(count)); }
std::string gigabytes(Bytes bytes) { return fmt::format("{:.1f} GB", bytes.base() / 1e9); }

using FormatBytes = std::vector<std::pair<Format, double>>;

/// Formats that hold anything, most bytes first.
FormatBytes by_bytes(const std::array<Bytes, hardware::kFormatCount>& bytes) {
  FormatBytes out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes.at(i).base() > 0) {
      out.emplace_back(static_cast<Format>(i), bytes.at(i).base());
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

/// Without the MTP layers.
std::array<Bytes, hardware::kFormatCount> bytes_by_format(const Census& census) {
  std::array<Bytes, hardware::kFormatCount> sum{};
  for (std::size_t g = 0; g < census.groups.size(); ++g) {
    if (static_cast<Group>(g) != Group::Mtp) {
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum.at(i) += census.groups.at(g).bytes_by_format.at(i);
      }
    }
  }
  return sum;
}

std::string join_names(const FormatBytes& formats) {
  std::vector<std::string> names;
  for (const auto& [format, bytes] : formats) {
    names.emplace_back(hardware::format_name(format));
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

void add_line(std::string& out, const ReportContext& context, const char* name,
              const std::string& text) {
  out += wrap(fmt::format("  {:<14}{}", name, text), context.width, 16) + "\n";
}

/// Layer kinds, then each kind of attention once.
void add_shapes(const ModelSpec& model, const ReportContext& context, std::string& out) {
  const char* name = "layers";
  for (const model::LayerKind& layer : model.layers) {
    const bool named = model.layers.size() > 1 && !layer.name.empty();
    add_line(
        out, context, name,
        fmt::format("{}{} x {}", named ? layer.name + ": " : "", layer.count, mlp_text(layer.mlp)));
    name = "";
  }
  std::vector<model::Attention> seen;
  for (const model::LayerKind& layer : model.layers) {
    if (std::find(seen.begin(), seen.end(), layer.attention) == seen.end()) {
      add_line(out, context, seen.empty() ? "attention" : "", attention_text(layer.attention));
      seen.push_back(layer.attention);
    }
  }
  add_line(
      out, context, "hidden",
      fmt::format(
          "{}; vocabulary {}, context up to {}{}", whole(model.hidden), whole(model.vocabulary),
          model.max_context > 0 ? whole(model.max_context) : "any length stated by the user",
          model.tied_embeddings ? ", embedding and head tied" : ""));
}

bool is_16_bit(Format format) { return hardware::numeric_format(format).payload_bits >= 16; }

/// What a quantised checkpoint leaves in 16 bits or more.
std::string unquantised_text(const Census& census) {
  std::vector<std::string> names;
  Count parameters = 0;
  Bytes bytes;
  bool any_quantised = false;
  for (std::size_t i = 0; i < census.groups.size(); ++i) {
    const GroupCensus& group = census.groups.at(i);
    const auto formats = by_bytes(group.bytes_by_format);
    if (formats.empty() || static_cast<Group>(i) == Group::Mtp) {
      continue;
    }
    if (!is_16_bit(formats.front().first)) {
      any_quantised = true;
      continue;
    }
    names.emplace_back(model::group_name(static_cast<Group>(i)));
    parameters += group.parameters;
    bytes += group.bytes;
  }
  if (!any_quantised) {
    return "nothing is quantised";
  }
  return fmt::format("{}: {} parameters, {} ({} of the bytes)", fmt::join(names, ", "),
                     show_count(static_cast<double>(parameters)), gigabytes(bytes),
                     show_percent(bytes / census.weight_bytes));
}

/// Everything that the checkpoint stores, its MTP layers included: what its files hold where that
/// is known, else what the shapes give.
Bytes checkpoint_bytes(const ModelSpec& model, const Census& census) {
  if (model.checkpoint_bytes.base() > 0) {
    return model.checkpoint_bytes;
  }
  return census.weight_bytes + (model.mtp_in_checkpoint ? census.mtp_bytes : Bytes());
}

/// "; 464.8 GB with the MTP layers", where the checkpoint holds some.
std::string with_mtp_text(const ModelSpec& model, const Census& census) {
  if (model.checkpoint_bytes.base() > 0) {
    return fmt::format("; the files hold {}", gigabytes(model.checkpoint_bytes));
  }
  return model.mtp.empty() || !model.mtp_in_checkpoint
             ? std::string()
             : fmt::format("; {} with MTP", gigabytes(checkpoint_bytes(model, census)));
}

std::string counts_text(const ModelSpec& model, const Census& census,
                        const ReportContext& context) {
  std::string out = "parameters\n";
  const auto both = [](Count count) {
    return fmt::format("{} ({})", whole(count), show_count(static_cast<double>(count)));
  };
  add_line(out, context, "total", both(census.total) + ", without MTP");
  add_line(out, context, "active",
           both(census.active_no_input_embedding) + " a token, without the input embedding");
  add_line(out, context, "", both(census.active_all) + " with every parameter it touches");
  add_line(out, context, "", both(census.active_no_embeddings) + " without embedding and head");
  if (!model.mtp.empty()) {
    add_line(out, context, "MTP",
             fmt::format("{}, {}, {}", both(census.mtp), gigabytes(census.mtp_bytes),
                         model.mtp_in_checkpoint ? "in the checkpoint" : "not in the checkpoint"));
  }
  return out;
}

std::string groups_text(const Census& census) {
  Table table({"group", "parameters", "GB", "share", "format"}, {false, true, true, true, false});
  for (std::size_t i = 0; i < census.groups.size(); ++i) {
    const GroupCensus& group = census.groups.at(i);
    if (group.parameters > 0) {
      const bool mtp = static_cast<Group>(i) == Group::Mtp;
      table.add({std::string(model::group_name(static_cast<Group>(i))), whole(group.parameters),
                 fmt::format("{:.2f}", group.bytes.base() / 1e9),
                 mtp ? "" : fmt::format("{:.1f} %", 100 * (group.bytes / census.weight_bytes)),
                 formats_name(group)});
    }
  }
  return "weights by group (share of the bytes without MTP)\n" + table.text();
}

std::string traps_text(const ModelSpec& model, const ReportContext& context) {
  std::string out;
  for (const model::Trap& trap : model::find_traps(model)) {
    out += wrap("  " + trap_text(trap), context.width, 4) + "\n";
  }
  return out.empty() ? out : "what is easily got wrong\n" + out + "\n";
}

std::vector<Row> trap_rows(const ModelSpec& model) {
  std::vector<Row> rows;
  for (const model::Trap& trap : model::find_traps(model)) {
    rows.push_back({{"trap", trap_text(trap)}});
  }
  return rows;
}

std::vector<std::string> model_assumptions(const ModelSpec& model) {
  std::vector<std::string> out{"counts derived from the shapes; published totals are checked"};
  if (!model.mtp.empty()) {
    out.emplace_back("KV and shares without the MTP layer");
  }
  out.emplace_back("KV of all heads once; a latent cache is held by every tensor-parallel rank");
  return out;
}

/// The format of most of a group's bytes: a router's bias in FP32 does not make it an FP32 group.
Format main_format(const GroupCensus& group) {
  return by_bytes(group.bytes_by_format).front().first;
}

std::vector<Row> group_rows(const Census& census) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < census.groups.size(); ++i) {
    const GroupCensus& group = census.groups.at(i);
    if (group.parameters > 0) {
      rows.push_back({{"name", std::string(model::group_name(static_cast<Group>(i)))},
                      {"parameters", group.parameters},
                      {"bytes", group.bytes.base()},
                      {"format", std::string(hardware::format_name(main_format(group)))},
                      {"formats", formats_name(group)}});
    }
  }
  return rows;
}

}  // namespace

std::string formats_name(const GroupCensus& group) {
  return join_names(by_bytes(group.bytes_by_format));
}

std::string formats_name(const Census& census) {
  return join_names(by_bytes(bytes_by_format(census)));
}

std::string formats_text(const Census& census) {
  constexpr double kShown = 0.005;  // below that it would read 0 %
  std::vector<std::string> parts;
  for (const auto& [format, bytes] : by_bytes(bytes_by_format(census))) {
    const double share = bytes / census.weight_bytes.base();
    if (share >= kShown) {
      parts.push_back(fmt::format("{} {}", hardware::format_name(format), show_percent(share)));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string model_text(const ModelSpec& model, const ReportContext& context) {
  const Census census = model::take_census(model);
  std::string out = fmt::format("{}{}: {} parameters, {} active\n", model.id,
                                model.hugging_face.empty() ? "" : " (" + model.hugging_face + ")",
                                show_count(static_cast<double>(census.total)),
                                show_count(static_cast<double>(census.active_no_input_embedding)));
  add_line(out, context, "weights",
           fmt::format("{} ({}){}: {}", gigabytes(census.weight_bytes),
                       show_gib(census.weight_bytes.base()), with_mtp_text(model, census),
                       formats_text(census)));
  add_line(out, context, "unquantised", unquantised_text(census));
  add_shapes(model, context, out);
  for (const std::string& part :
       {counts_text(model, census, context), groups_text(census), cache_text(model)}) {
    out += "\n" + part;
  }
  return out + "\n" + traps_text(model, context) + footer(model_assumptions(model), context);
}

Document model_document(const ModelSpec& model, const ReportContext& context) {
  const Census census = model::take_census(model);
  Document document = show_document("model", model.id, context);
  const Row counts{{"hugging_face", text_or_blank(model.hugging_face)},
                   {"parameters_total", census.total},
                   {"parameters_active", census.active_no_input_embedding},
                   {"parameters_active_all", census.active_all},
                   {"parameters_active_no_embeddings", census.active_no_embeddings},
                   {"parameters_mtp", census.mtp},
                   {"weight_bytes", checkpoint_bytes(model, census).base()},
                   {"weight_bytes_without_mtp", census.weight_bytes.base()},
                   {"mtp_bytes", census.mtp_bytes.base()},
                   {"formats", formats_name(census)},
                   {"layers", model.layer_count()},
                   {"hidden", model.hidden},
                   {"vocabulary", model.vocabulary},
                   {"max_context", model.max_context}};
  document.columns.insert(document.columns.end(), counts.begin(), counts.end());
  const Row cache = cache_columns(model);
  document.columns.insert(document.columns.end(), cache.begin(), cache.end());
  document.tables.emplace_back("groups", group_rows(census));
  document.tables.emplace_back("kv_per_sequence", sequence_rows(model));
  document.tables.emplace_back("traps", trap_rows(model));
  document.assumptions = model_assumptions(model);
  return document;
}

}  // namespace fathom::cli
