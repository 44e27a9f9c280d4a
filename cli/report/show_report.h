#pragma once

#include "cli/report/context.h"
#include "cli/report/document.h"
#include "hardware/base/spec_node.h"
#include "model/engine/engine.h"

#include <string>
#include <vector>

namespace fathom::cli {

/// "memory (capacity, bandwidth): configs/accelerators/x.yaml:5 (datasheet ...)": every `source` of
/// a spec, with the keys that it speaks for.
std::vector<std::string> spec_sources(const hardware::SpecNode& root);

/// Every `note` of a spec: "mtp: layer 78 is ...".
std::vector<std::string> spec_notes(const hardware::SpecNode& root);

/// One key that holds a value, as written.
struct SpecKey {
  std::string path;   ///< "memory.fraction"
  std::string value;  ///< "0.9"; an interval is "3.4 us to 6.8 us"
  bool interval = false;
};

/// All keys of a spec but `source` and `note`, in file order.
std::vector<SpecKey> spec_keys(const hardware::SpecNode& root);

/// The engine's keys as written, its notes and sources.
std::string engine_text(const model::EngineSpec& engine, const hardware::SpecNode& tree,
                        const ReportContext& context);
Document engine_document(const model::EngineSpec& engine, const ReportContext& context);

/// The keys of a kernel file as written, its notes and sources.
std::string kernels_text(const std::string& name, const hardware::SpecNode& tree,
                         const ReportContext& context);
Document kernels_document(const std::string& name, const hardware::SpecNode& tree,
                          const ReportContext& context);

/// A document of `fathom.show/1` with its first columns, sources and warnings.
Document show_document(const std::string& kind, const std::string& name,
                       const ReportContext& context);

}  // namespace fathom::cli
