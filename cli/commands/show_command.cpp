#include "cli/commands/common.h"
#include "cli/commands/config_folders.h"
#include "cli/commands/reduce_ladder.h"
#include "cli/commands/spec_kind.h"
#include "cli/report/show_accelerator_report.h"
#include "cli/report/show_model_report.h"
#include "cli/report/show_report.h"
#include "cli/report/show_system_report.h"
#include "hardware/base/suggest.h"
#include "model/llm/import_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace fathom::cli {
namespace {

using hardware::Diagnostics;
using hardware::SpecNode;

constexpr std::array<SpecKind, 5> kShown{SpecKind::Model, SpecKind::Accelerator, SpecKind::System,
                                         SpecKind::Engine, SpecKind::Kernels};

/// A spec for people or for programs.
struct Shown {
  std::string text;
  Document document;
};

/// What is asked for and what it is read with.
struct Request {
  std::string name;
  const Arguments* arguments = nullptr;
  SpecLibrary* library = nullptr;
};

/// The tree of a file of the library, or of the file that was named.
const SpecNode* tree_of(const Request& request, SpecKind kind, const std::string& id) {
  // A model may also be a folder or an alias: the file that was read is the one that is cited.
  const std::string path = kind == SpecKind::Model ? request.library->resolve_model(request.name)
                           : is_file(request.name) ? request.name
                                                   : request.library->find(kind_folder(kind), id);
  Diagnostics seen;  // the reader has reported them
  return path.empty() ? nullptr : request.library->tree(path, kind_root(kind), seen);
}

ReportContext context_of(const Request& request, const SpecNode* tree) {
  ReportContext context;
  context.evidence = evidence_name(request.arguments->evidence);
  context.width = request.arguments->width;
  context.verbose = true;  // origins in full: they are what is asked for
  if (tree != nullptr) {
    context.sources = spec_sources(*tree);
    context.notes = spec_notes(*tree);
  }
  for (const RootedOverride& change : request.arguments->overrides) {
    context.notes.push_back("--set " + change.change.written);
  }
  return context;
}

std::optional<Shown> show_model(const Request& request, Diagnostics& diagnostics) {
  const model::ModelSpec* model = request.library->model(request.name, diagnostics);
  if (model == nullptr) {
    return std::nullopt;
  }
  const ReportContext context = context_of(request, tree_of(request, SpecKind::Model, model->id));
  return Shown{model_text(*model, context), model_document(*model, context)};
}

std::optional<Shown> show_accelerator(const Request& request, Diagnostics& diagnostics) {
  const hardware::AcceleratorSpec* found =
      request.library->accelerator({request.name, {}, {}}, diagnostics);
  if (found == nullptr) {
    return std::nullopt;
  }
  const SpecNode* tree = tree_of(request, SpecKind::Accelerator, found->id);
  ReportContext context = context_of(request, tree);
  for (const SpecKey& key : tree == nullptr ? std::vector<SpecKey>() : spec_keys(*tree)) {
    if (key.interval) {
      context.notes.push_back(
          fmt::format("{} is an interval, {}; its middle is shown", key.path, key.value));
    }
  }
  return Shown{accelerator_text(*found, context), accelerator_document(*found, context)};
}

std::optional<Shown> show_system(const Request& request, Diagnostics& diagnostics) {
  const SystemSet* set = request.library->system(request.name, diagnostics);
  if (set == nullptr) {
    return std::nullopt;
  }
  const bool bound = request.arguments->evidence == Evidence::Bound;
  const auto bound_coefficients = hardware::Coefficients::bound();
  const hardware::Coefficients* coefficients =
      bound ? &bound_coefficients
            : request.library->coefficients(set->point.accelerator.architecture, diagnostics);
  if (coefficients == nullptr) {
    return std::nullopt;
  }
  const ReportContext context =
      context_of(request, tree_of(request, SpecKind::System, set->point.id));
  const SystemView view{set->point, set->slow, set->fast, price_ladder(*set, *coefficients)};
  return Shown{system_text(view, context), system_document(view, context)};
}

std::optional<Shown> show_engine(const Request& request, Diagnostics& diagnostics) {
  const model::EngineSpec* engine = request.library->engine(request.name, diagnostics);
  const SpecNode* tree =
      engine == nullptr ? nullptr : tree_of(request, SpecKind::Engine, engine->id);
  if (tree == nullptr) {
    return std::nullopt;
  }
  const ReportContext context = context_of(request, tree);
  return Shown{engine_text(*engine, *tree, context), engine_document(*engine, context)};
}

std::optional<Shown> show_kernels(const Request& request, Diagnostics& diagnostics) {
  const hardware::Coefficients* kernels = request.library->coefficients(request.name, diagnostics);
  const SpecNode* tree =
      kernels == nullptr ? nullptr : tree_of(request, SpecKind::Kernels, request.name);
  if (tree == nullptr) {
    return std::nullopt;
  }
  const ReportContext context = context_of(request, tree);
  return Shown{kernels_text(kernels->name, *tree, context),
               kernels_document(kernels->name, *tree, context)};
}

std::optional<Shown> show_as(SpecKind kind, const Request& request, Diagnostics& diagnostics) {
  switch (kind) {
    case SpecKind::Model:
      return show_model(request, diagnostics);
    case SpecKind::Accelerator:
      return show_accelerator(request, diagnostics);
    case SpecKind::System:
      return show_system(request, diagnostics);
    case SpecKind::Engine:
      return show_engine(request, diagnostics);
    case SpecKind::Kernels:
      return show_kernels(request, diagnostics);
  }
  return std::nullopt;
}

/// True where all that is wrong is that nothing of that kind has the name.
bool is_unknown(SpecKind kind, const Diagnostics& diagnostics) {
  const std::string start =
      fmt::format("unknown {} '", kind == SpecKind::Kernels ? "kernel file" : kind_name(kind));
  return diagnostics.all().size() == 1 && diagnostics.all().front().message.rfind(start, 0) == 0;
}

Answer unknown_name(const Request& request) {
  std::vector<std::string> names;
  for (const SpecKind kind : kShown) {
    const auto more = request.library->list(kind_folder(kind));
    names.insert(names.end(), more.begin(), more.end());
  }
  Diagnostics diagnostics;
  diagnostics.error(
      {},
      fmt::format("unknown name '{}': no model, accelerator, system, engine or kernels",
                  request.name),
      fmt::format("the nearest are {}; fathom list models, systems ... lists them",
                  fmt::join(hardware::nearest_names(request.name, names, 3), ", ")));
  return spec_failure(diagnostics);
}

Answer render(const Shown& shown, OutputFormat format) {
  Answer out;
  const auto& tables = shown.document.tables;
  const bool only_rows = shown.document.columns.size() == 2 && tables.size() == 1;
  if (format == OutputFormat::Csv && only_rows) {
    out.out = csv_report(tables.front().second);  // beside them there are kind and name only
    return out;
  }
  out.out = format == OutputFormat::Text ? shown.text : render_document(shown.document, format);
  return out;
}

/// The kind of a file that was named; nothing where its keys do not tell.
std::optional<SpecKind> kind_of_file(const Request& request) {
  Diagnostics ignored;  // the reader of the kind, or `check`, reports them
  SpecLibrary plain({}, {});
  const SpecNode* tree = plain.tree(request.name, "", ignored);
  return tree == nullptr ? std::nullopt : kind_of(*tree);
}

Answer search(const std::vector<SpecKind>& kinds, const Request& request) {
  for (const SpecKind kind : kinds) {
    Diagnostics diagnostics;
    if (const auto shown = show_as(kind, request, diagnostics)) {
      return render(*shown, request.arguments->format);
    }
    if (!is_unknown(kind, diagnostics) || kinds.size() == 1) {
      return spec_failure(diagnostics);
    }
  }
  return unknown_name(request);
}

std::optional<SpecKind> shown_kind(const std::string& word) {
  for (const SpecKind kind : kShown) {
    if (word == kind_name(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

}  // namespace

Answer run_show(const Arguments& arguments) {
  const auto& names = arguments.positional;
  if (names.empty() || names.size() > 2) {
    return failure(ExitStatus::Usage,
                   "show takes NAME or KIND NAME, for instance: fathom show glm-5-nvfp4, fathom "
                   "show system 8x-h200-sxm");
  }
  SpecLibrary library(arguments.config_paths, arguments.overrides);
  const Request request{names.back(), &arguments, &library};
  if (names.size() == 2) {
    const auto kind = shown_kind(names[0]);
    if (!kind) {
      const std::string hint =
          hardware::did_you_mean(names[0], {"model", "accelerator", "system", "engine", "kernels"});
      return failure(ExitStatus::Usage,
                     fmt::format("'{}' is none of model, accelerator, system, engine, kernels{}",
                                 names[0], hint.empty() ? "" : "; " + hint));
    }
    return search({*kind}, request);
  }
  if (model::recognise_model(request.name) != model::ForeignModel::None) {
    return search({SpecKind::Model}, request);  // what its importer misses is said
  }
  if (is_file(request.name)) {
    const auto kind = kind_of_file(request);
    return kind ? search({*kind}, request)
                : failure(ExitStatus::Spec, fmt::format("'{0}' is no spec that can be read; fathom "
                                                        "check {0} says why",
                                                        request.name));
  }
  return search({kShown.begin(), kShown.end()}, request);
}

}  // namespace fathom::cli
