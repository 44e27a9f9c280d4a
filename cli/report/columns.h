#pragma once

#include "cli/report/document.h"
#include "model/predict/predict.h"

#include <string>
#include <vector>

namespace fathom::cli {

/// The answer columns of predict, in their order. Notes are joined by "; ".
Row predict_columns(const model::Prediction& prediction, const std::string& evidence,
                    const std::vector<std::string>& notes);

/// The same columns, blank, with the reason in `error`.
Row refused_predict_columns(const std::string& error);

/// The answer columns of fit.
Row fit_columns(const model::Ledger& ledger, std::size_t stages,
                const std::vector<std::string>& notes);
Row refused_fit_columns(const std::string& error);

/// One row an operator, for JSON.
std::vector<Row> operator_rows(const std::vector<model::PricedOperator>& operators);

/// The elasticities by resource name.
Row elasticity_columns(const model::Elasticities& elasticities);

/// "memory bandwidth"; the limiter alone, as the columns hold it.
std::string limiter_name(const model::Limiter& limiter);

}  // namespace fathom::cli
