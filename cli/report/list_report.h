#pragma once

#include "cli/report/document.h"
#include "cli/report/table.h"
#include "hardware/cost/coefficients.h"
#include "hardware/machine/system.h"
#include "model/engine/engine.h"
#include "model/layout/legality.h"
#include "model/llm/model_spec.h"

#include <optional>
#include <string>
#include <vector>

namespace fathom::cli {

/// A list for people and for programs: the same specs in the same order.
struct Listing {
  Table table;
  std::vector<Row> rows;
  std::string remark;  ///< a line below the table
};

Listing model_listing(const std::vector<model::ModelSpec>& models);
Listing accelerator_listing(const std::vector<hardware::AcceleratorSpec>& accelerators);
Listing system_listing(const std::vector<hardware::SystemSpec>& systems);
Listing engine_listing(const std::vector<model::EngineSpec>& engines);
Listing kernel_listing(const std::vector<hardware::Coefficients>& kernels);

/// A layout and why it is refused, if it is.
struct ListedLayout {
  model::Layout layout;
  std::optional<model::Illegal> illegal;
};

std::vector<Row> layout_rows(const std::vector<ListedLayout>& layouts, bool moe);
/// Legal layouts, then the refused ones with the reason.
std::string layout_text(const std::vector<ListedLayout>& layouts, bool moe, int width);

}  // namespace fathom::cli
