#pragma once

#include "cli/report/context.h"

#include <string>
#include <variant>
#include <vector>

namespace fathom::cli {

/// A layout and what it holds, or why not.
struct FitRow {
  model::Layout layout;
  std::variant<model::Ledger, model::Refusal> answer;
  std::size_t stages = 1;
};

/// The ledger of one layout: the answer, then the sum line by line. `explain` adds the formula
/// with numbers put in.
std::string fit_report(const model::Setup& setup, const model::Question& question,
                       const FitRow& row, bool explain, const ReportContext& context);

/// Every layout: fits or not and by how much.
std::string fit_table(const model::Setup& setup, const model::Question& question,
                      std::vector<FitRow> rows, const ReportContext& context);

}  // namespace fathom::cli
