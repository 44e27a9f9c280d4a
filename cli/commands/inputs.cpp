#include "cli/commands/inputs.h"

namespace fathom::cli {

const std::vector<std::string>& input_columns() {
  static const std::vector<std::string> columns{"id",
                                                "model",
                                                "system",
                                                "gpus",
                                                "layout",
                                                "engine",
                                                "engine_version",
                                                "weight_format",
                                                "kv_format",
                                                "phase",
                                                "batch",
                                                "context",
                                                "new_tokens",
                                                "isl",
                                                "osl",
                                                "isl_spread",
                                                "osl_spread",
                                                "concurrency",
                                                "rate",
                                                "requests",
                                                "spec_tokens",
                                                "spec_acceptance",
                                                "cuda_graphs",
                                                "memory_fraction",
                                                "max_model_len",
                                                "max_num_seqs",
                                                "max_batched_tokens",
                                                "power_limit_w"};
  return columns;
}

std::string input(const Inputs& inputs, std::string_view column) {
  const auto found = inputs.find(column);
  return found == inputs.end() ? std::string() : found->second;
}

}  // namespace fathom::cli
