#pragma once

#include "model/predict/predict.h"

#include <string>
#include <vector>

namespace fathom::cli {

/// What a report needs beside the result: names, evidence, notes and sources.
struct ReportContext {
  std::string model;
  std::string system;
  bool moe = false;
  std::string evidence;  ///< bound, default, calibrated:NAME
  std::vector<std::string> notes;
  std::vector<std::string> sources;
  int width = 100;
  bool verbose = false;
};

/// What was assumed, a sentence each. Defaults that were taken are all here.
std::vector<std::string> assumptions(const model::Setup& setup, const model::Question& question,
                                     const ReportContext& context);

/// "assumes: ..." and "sources: ..." wrapped to the width.
std::string footer(const std::vector<std::string>& assumed, const ReportContext& context);

}  // namespace fathom::cli
