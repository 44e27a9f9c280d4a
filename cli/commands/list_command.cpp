#include "cli/commands/common.h"
#include "cli/commands/unknown_name.h"
#include "cli/report/list_report.h"
#include "hardware/base/suggest.h"
#include "model/layout/enumerate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using hardware::Diagnostics;

const std::vector<std::string>& list_kinds() {
  static const std::vector<std::string> kinds{"models",  "accelerators", "systems",
                                              "engines", "kernels",      "layouts"};
  return kinds;
}

/// All specs of a folder that can be read; the others leave diagnostics.
template <typename Spec, typename Read>
std::vector<Spec> read_all(const SpecLibrary& library, const std::string& kind, Read read) {
  std::vector<Spec> specs;
  for (const std::string& id : library.list(kind)) {
    if (std::optional<Spec> spec = read(id)) {
      specs.push_back(*std::move(spec));
    }
  }
  return specs;
}

template <typename Spec>
std::optional<Spec> copy(const Spec* spec) {
  return spec == nullptr ? std::nullopt : std::optional<Spec>(*spec);
}

Listing read_listing(const std::string& kind, SpecLibrary& library, Diagnostics& diagnostics) {
  if (kind == "models") {
    return model_listing(read_all<model::ModelSpec>(library, kind, [&](const std::string& id) {
      return copy(library.model(id, diagnostics));
    }));
  }
  if (kind == "accelerators") {
    return accelerator_listing(
        read_all<hardware::AcceleratorSpec>(library, kind, [&](const std::string& id) {
          return copy(library.accelerator({id, {}, {}}, diagnostics));
        }));
  }
  if (kind == "systems") {
    return system_listing(read_all<hardware::SystemSpec>(library, kind, [&](const std::string& id) {
      const SystemSet* set = library.system(id, diagnostics);
      return set == nullptr ? std::nullopt : std::optional(set->point);
    }));
  }
  if (kind == "engines") {
    return engine_listing(read_all<model::EngineSpec>(library, kind, [&](const std::string& id) {
      return copy(library.engine(id, diagnostics));
    }));
  }
  return kernel_listing(read_all<hardware::Coefficients>(library, kind, [&](const std::string& id) {
    return copy(library.coefficients(id, diagnostics));
  }));
}

Document list_document(const std::string& kind, std::vector<Row> rows) {
  Document document;
  document.schema = "fathom.list/1";
  document.columns = {{"kind", kind}, {"count", static_cast<hardware::Count>(rows.size())}};
  document.tables.emplace_back(kind, std::move(rows));
  return document;
}

std::string render_rows(const std::string& kind, std::vector<Row> rows, OutputFormat format) {
  return format == OutputFormat::Csv ? csv_report(rows)
                                     : json_report(list_document(kind, std::move(rows)));
}

Answer list_specs(const std::string& kind, const Arguments& arguments) {
  SpecLibrary library(arguments.config_paths, arguments.overrides);
  Diagnostics diagnostics;
  if (library.folders().empty()) {
    report_no_library(library, diagnostics);
    return spec_failure(diagnostics);
  }
  Listing listing = read_listing(kind, library, diagnostics);
  Answer out;
  if (!diagnostics.all().empty()) {
    out.error = hardware::render(diagnostics);
    out.status = diagnostics.has_errors() ? ExitStatus::Spec : ExitStatus::Yes;
  }
  if (arguments.format != OutputFormat::Text) {
    out.out = render_rows(kind, std::move(listing.rows), arguments.format);
  } else if (listing.table.empty() && out.error.empty()) {
    out.out = fmt::format("no {} in {}\n", kind, fmt::join(library.folders(), ", "));
  } else if (!listing.table.empty()) {
    out.out = listing.table.text() + wrap(listing.remark, arguments.width, 0) + "\n";
  }
  return out;
}

Answer list_layouts(const Arguments& arguments) {
  Inputs inputs = arguments.inputs;
  if (arguments.positional.size() != 3) {
    return failure(ExitStatus::Usage,
                   "list layouts takes MODEL SYSTEM, for instance: fathom list layouts "
                   "glm-5-nvfp4 8x-rtx-pro-6000-se");
  }
  inputs["model"] = arguments.positional[1];
  inputs["system"] = arguments.positional[2];
  SpecLibrary library(arguments.config_paths, arguments.overrides);
  Diagnostics diagnostics;
  const BuildResult built =
      build_scenario(inputs, arguments.evidence, library, diagnostics, NamedBy::Flag);
  if (diagnostics.has_errors()) {
    return spec_failure(diagnostics);
  }
  if (!built.scenario) {
    return failure(ExitStatus::Usage, built.error);
  }
  const model::Setup& setup = built.scenario->setup;
  const bool moe = setup.model.is_moe();
  std::vector<ListedLayout> layouts;
  for (const model::Layout& layout : model::enumerate_layouts(setup.model, setup.system.gpus)) {
    layouts.push_back({layout, model::check_legal(setup.model, layout, setup.system.gpus)});
  }
  Answer out;
  if (arguments.format == OutputFormat::Text) {
    out.out = fmt::format("layouts of {} on {} GPUs of {}\n\n", setup.model.id, setup.system.gpus,
                          built.scenario->system_name) +
              layout_text(layouts, moe, arguments.width);
  } else {
    out.out = render_rows("layouts", layout_rows(layouts, moe), arguments.format);
  }
  return out;
}

}  // namespace

Answer run_list(const Arguments& arguments) {
  const auto& names = arguments.positional;
  const std::string kinds = fmt::format("{}", fmt::join(list_kinds(), ", "));
  if (names.empty()) {
    return failure(ExitStatus::Usage, "list takes one of " + kinds);
  }
  if (std::find(list_kinds().begin(), list_kinds().end(), names[0]) == list_kinds().end()) {
    const std::string hint = hardware::did_you_mean(names[0], list_kinds());
    return failure(ExitStatus::Usage,
                   fmt::format("cannot list '{}'; {}", names[0],
                               hint.empty() ? "it takes one of " + kinds : hint));
  }
  if (names[0] == "layouts") {
    return list_layouts(arguments);
  }
  if (names.size() > 1) {
    return failure(ExitStatus::Usage, fmt::format("'{}' is one name too many; list {} takes none",
                                                  names[1], names[0]));
  }
  return list_specs(names[0], arguments);
}

}  // namespace fathom::cli
