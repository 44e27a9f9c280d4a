#include "cli/commands/common.h"
#include "cli/commands/config_folders.h"
#include "cli/commands/spec_kind.h"
#include "cli/report/format_quantity.h"
#include "cli/report/show_system_report.h"
#include "hardware/base/csv_reader.h"
#include "hardware/base/spec_reader.h"
#include "model/engine/read_engine.h"
#include "model/llm/import_model.h"
#include "model/llm/parameter_count.h"
#include "model/llm/read_model.h"
#include "model/llm/write_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using hardware::Diagnostic;
using hardware::Diagnostics;
using hardware::SpecNode;

/// One file and what came of it.
struct Checked {
  std::string file;
  std::string kind;
  std::string summary;  ///< "glm-5-nvfp4, 743.9 B parameters"
  bool valid = false;
  Diagnostics diagnostics;
};

std::string check_model(const SpecNode& tree, Diagnostics& diagnostics) {
  const auto model = model::read_model(tree, diagnostics);
  return model ? fmt::format("{}, {} parameters", model->id,
                             show_count(static_cast<double>(model::take_census(*model).total)))
               : std::string();
}

std::string check_accelerator(const SpecNode& tree, const SpecLibrary& library,
                              Diagnostics& diagnostics) {
  const auto spec = hardware::read_accelerator(tree, diagnostics);
  if (!spec) {
    return {};
  }
  if (library.find("kernels", spec->architecture).empty()) {
    diagnostics.warning(tree.find("architecture")->mark,
                        fmt::format("no kernel file for architecture '{}', so nothing can be "
                                    "predicted for it",
                                    spec->architecture),
                        fmt::format("write kernels/{}.yaml, or use one of {}", spec->architecture,
                                    fmt::join(library.list("kernels"), ", ")));
  }
  return fmt::format("{}, {} usable, {}", spec->id,
                     show_gib((spec->capacity - spec->reserved).base()),
                     show_rate(spec->bandwidth.base()));
}

/// With its accelerator, which may lie in the same folder.
std::string check_system(const SpecNode& tree, const std::string& folder, SpecLibrary& library,
                         Diagnostics& diagnostics) {
  const auto id = hardware::accelerator_of(tree, diagnostics);
  if (!id) {
    return {};
  }
  const hardware::AcceleratorSpec* accelerator =
      library.accelerator({*id, tree.find("accelerator")->mark, folder}, diagnostics);
  if (accelerator == nullptr) {
    return {};
  }
  const auto system =
      hardware::read_system(tree, *accelerator, 0, hardware::IntervalEnd::Point, diagnostics);
  return system ? fmt::format("{}, {} x {}, {}", system->id, system->gpus_per_node,
                              system->accelerator.id, link_name(system->link.kind))
                : std::string();
}

std::string check_engine(const SpecNode& tree, Diagnostics& diagnostics) {
  const auto engine = model::read_engine(tree, diagnostics);
  return engine ? fmt::format("{}, memory fraction {}", engine->id, engine->memory_fraction)
                : std::string();
}

std::string check_kernels(const SpecNode& tree, Diagnostics& diagnostics) {
  const auto kernels = hardware::read_coefficients(tree, diagnostics);
  return kernels ? fmt::format("{}, each term within a factor of {}", kernels->name,
                               kernels->term_uncertainty)
                 : std::string();
}

std::string check_as(SpecKind kind, const SpecNode& tree, const std::string& folder,
                     SpecLibrary& library, Diagnostics& diagnostics) {
  switch (kind) {
    case SpecKind::Model:
      return check_model(tree, diagnostics);
    case SpecKind::Accelerator:
      return check_accelerator(tree, library, diagnostics);
    case SpecKind::System:
      return check_system(tree, folder, library, diagnostics);
    case SpecKind::Engine:
      return check_engine(tree, diagnostics);
    case SpecKind::Kernels:
      return check_kernels(tree, diagnostics);
  }
  return {};
}

/// `--set` changes the specs of its root.
bool apply_overrides(const Arguments& arguments, SpecKind kind, SpecNode& tree,
                     Diagnostics& diagnostics) {
  bool sound = true;
  for (const RootedOverride& change : arguments.overrides) {
    if (change.root == kind_root(kind)) {
      sound = hardware::apply_override(tree, change.change, diagnostics) && sound;
    }
  }
  return sound;
}

void check_spec(const std::string& text, const Arguments& arguments, Checked& out) {
  auto tree = hardware::read_spec_text(text, out.file, out.diagnostics);
  if (!tree) {
    return;
  }
  const auto kind = kind_of(*tree);
  if (!kind) {
    refuse_kind(*tree, out.diagnostics);
    return;
  }
  out.kind = kind_name(*kind);
  if (apply_overrides(arguments, *kind, *tree, out.diagnostics)) {
    // Fresh for each file: the library reports a wrong accelerator once only.
    SpecLibrary library(arguments.config_paths, arguments.overrides);
    out.summary = check_as(*kind, *tree, folder_of(out.file), library, out.diagnostics);
  }
}

bool has_column(const hardware::CsvTable& table, const std::string& name) {
  return std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
}

void check_csv(const std::string& text, Checked& out) {
  out.kind = "cases";
  const auto table = hardware::read_csv_text(text, out.file, out.diagnostics);
  if (!table) {
    return;
  }
  if (table->columns == std::vector<std::string>{"name", "file"}) {
    out.kind = "names";
    out.summary = fmt::format("with {} aliases of models", table->rows.size());
    return;
  }
  check_case_columns(*table, out.diagnostics);
  for (const char* column : {"model", "system"}) {
    if (!has_column(*table, column)) {
      out.diagnostics.warning({table->file, 1, 1}, fmt::format("no column '{}'", column),
                              "name it on the command line, or add the column");
    }
  }
  out.summary =
      fmt::format("with {} row{}", table->rows.size(), table->rows.size() == 1 ? "" : "s");
}

/// By the name, or for standard input by a first line that only a table has.
bool is_csv(const std::string& file, const std::string& text) {
  constexpr std::string_view kEnding = ".csv";
  if (file.size() >= kEnding.size() && file.substr(file.size() - kEnding.size()) == kEnding) {
    return true;
  }
  const std::string line = text.substr(0, text.find('\n'));
  return line.find(',') != std::string::npos && line.find_first_of(":{[#") == std::string::npos;
}

/// A config.json or GGUF file is valid where the spec that it becomes is.
void check_foreign(const Arguments& arguments, Checked& out) {
  out.kind = "model";
  const auto imported = model::import_model(out.file, out.diagnostics);
  if (!imported) {
    return;
  }
  check_spec(model::write_model(*imported), arguments, out);
}

Checked check_file(const std::string& file, const Arguments& arguments) {
  Checked out;
  out.file = file;
  if (file != "-" && model::recognise_model(file) != model::ForeignModel::None) {
    check_foreign(arguments, out);
    out.valid = !out.diagnostics.has_errors();
    return out;
  }
  const auto text = hardware::read_file_text(file, out.diagnostics);
  if (text && is_csv(file, *text)) {
    check_csv(*text, out);
  } else if (text) {
    check_spec(*text, arguments, out);
  }
  out.valid = text && !out.diagnostics.has_errors();
  return out;
}

Row diagnostic_row(const Diagnostic& diagnostic) {
  const hardware::Mark& mark = diagnostic.mark;
  const auto place = [](int at) { return at > 0 ? Cell{hardware::Count{at}} : Cell{}; };
  const bool error = diagnostic.severity == Diagnostic::Severity::Error;
  return {{"file", mark.file ? text_or_blank(mark.file->name) : Cell{}},
          {"line", place(mark.line)},
          {"column", place(mark.column)},
          {"severity", std::string(error ? "error" : "warning")},
          {"message", diagnostic.message},
          {"help", text_or_blank(diagnostic.help)}};
}

Row file_row(const Checked& checked) {
  return {{"file", checked.file},
          {"valid", checked.valid},
          {"kind", text_or_blank(checked.kind)},
          {"summary", text_or_blank(checked.valid ? checked.summary : std::string())}};
}

std::string render(const std::vector<Checked>& all, bool valid, OutputFormat format) {
  if (format == OutputFormat::Text) {
    std::string out;
    for (const Checked& checked : all) {
      if (checked.valid) {
        out += fmt::format("{}: ok ({} {})\n", checked.file, checked.kind, checked.summary);
      }
    }
    return out;
  }
  std::vector<Row> files;
  std::vector<Row> diagnostics;
  for (const Checked& checked : all) {
    files.push_back(file_row(checked));
    for (const Diagnostic& diagnostic : checked.diagnostics.all()) {
      diagnostics.push_back(diagnostic_row(diagnostic));
    }
  }
  if (format == OutputFormat::Csv) {
    return csv_report(files);
  }
  Document document;
  document.schema = "fathom.check/1";
  document.columns = {{"valid", valid}};
  document.tables.emplace_back("files", std::move(files));
  document.tables.emplace_back("diagnostics", std::move(diagnostics));
  return json_report(document);
}

}  // namespace

Answer run_check(const Arguments& arguments) {
  if (arguments.positional.empty()) {
    return failure(ExitStatus::Usage,
                   "check takes FILE..., for instance: fathom check my-system.yaml");
  }
  std::vector<Checked> all;
  Answer out;
  for (const std::string& file : arguments.positional) {
    all.push_back(check_file(file, arguments));
    out.error += hardware::render(all.back().diagnostics);
    out.status = all.back().valid ? out.status : ExitStatus::Spec;
  }
  out.out = render(all, out.status == ExitStatus::Yes, arguments.format);
  return out;
}

}  // namespace fathom::cli
