#include "cli/report/flags.h"

#include <algorithm>
#include <array>

namespace fathom::cli {
namespace {

constexpr std::string_view kAll;
constexpr std::string_view kEach = "plan predict fit";
constexpr std::string_view kSpeed = "plan predict";

// clang-format off
constexpr std::array kFlags{
    Flag{"--layout", "layout", kEach, "L", "attention=tp8,experts=ep8,pp=1 or a short form: tp8, ep8, dp8ep8, tp4pp2"},
    Flag{"--gpus", "gpus", "plan predict fit list", "N", "use the first N GPUs of the system"},
    Flag{"--engine", "engine", kEach, "E", "the serving engine, E or E@VERSION; fathom list engines names them"},
    Flag{"--weight-format", "weight_format", kEach, "F", "bf16, fp16, fp8, fp8-block, int8, nvfp4, mxfp4, int4; otherwise the checkpoint's own"},
    Flag{"--kv-format", "kv_format", kEach, "F", "of the KV cache: bf16, fp16, fp8; otherwise the engine's default"},
    Flag{"--phase", "phase", "predict", "P", "decode, prefill or serve; serve if --isl is given, else decode"},
    Flag{"--batch", "batch", kEach, "N", "sequences of the whole deployment in one step"},
    Flag{"--context", "context", "predict fit", "N", "tokens that each sequence already has in the cache"},
    Flag{"--new-tokens", "new_tokens", "predict fit", "N", "tokens per sequence in this step"},
    Flag{"--isl", "isl", kEach, "N", "mean input length in tokens"},
    Flag{"--osl", "osl", kEach, "N", "mean output length in tokens"},
    Flag{"--isl-spread", "isl_spread", kSpeed, "S", "of the input length: uniform, normal:CV, lognormal:CV"},
    Flag{"--osl-spread", "osl_spread", kSpeed, "S", "of the output length: uniform, normal:CV, lognormal:CV"},
    Flag{"--concurrency", "concurrency", kEach, "N", "requests always in flight, of the whole deployment"},
    Flag{"--rate", "rate", kSpeed, "R", "requests a second; the open-loop model is not built yet"},
    Flag{"--requests", "requests", kSpeed, "N", "requests that are all sent at time 0"},
    Flag{"--spec-tokens", "spec_tokens", kEach, "K", "drafted tokens a step"},
    Flag{"--spec-acceptance", "spec_acceptance", kSpeed, "R", "accepted over drafted tokens, 0 to 1"},
    Flag{"--cuda-graphs", "cuda_graphs", kEach, "on|off", "off: the host launches every kernel"},
    Flag{"--memory-fraction", "memory_fraction", kEach, "X", "of the usable memory that the engine takes, 0.01 to 1"},
    Flag{"--max-model-len", "max_model_len", kEach, "N", "longest sequence in tokens"},
    Flag{"--max-num-seqs", "max_num_seqs", kEach, "N", "most sequences at once"},
    Flag{"--max-batched-tokens", "max_batched_tokens", kEach, "N", "most tokens in a step"},
    Flag{"--power-limit", "power_limit_w", kSpeed, "'450 W'", "power limit of each GPU, with its unit (in a case file the column power_limit_w, bare)"},
    Flag{"--cases", "", "predict fit", "FILE", "a CSV file, one row a case; fathom help cases"},
    Flag{"--slo-ttft", "", "plan", "'2 s'", "target for the time to the first token, with its unit"},
    Flag{"--slo-tpot", "", "plan", "'50 ms'", "target for the time per output token, with its unit"},
    Flag{"--objective", "", "plan", "O", "throughput, user or ttft"},
    Flag{"--top", "", "plan", "N", "layouts to list"},
    Flag{"--explain", "", "fit", "", "print the formula with numbers put in"},
    Flag{"--format", "", kAll, "F", "text, json or csv"},
    Flag{"--name", "", "import", "ID", "the id of the imported model; otherwise from the file"},
    Flag{"--output", "", kAll, "FILE", "write the answer to a file"},
    Flag{"--quiet", "", kAll, "", "no warnings"},
    Flag{"--verbose", "", kAll, "", "every layout, every operator, sources in full"},
    Flag{"--config-path", "", kAll, "FOLDER", "a folder with models/, systems/ ... that is searched first; repeatable"},
    Flag{"--evidence", "", kAll, "E", "bound (datasheets only) or default"},
    Flag{"--set", "", kAll, "ROOT.PATH=VALUE", "change a spec: system.link.bandwidth=x2, accelerator.power.tdp='450 W'; repeatable; the roots are accelerator, system, model, engine, coefficients, workload"},
};
// clang-format on

}  // namespace

std::span<const Flag> all_flags() { return kFlags; }

const Flag* find_flag(std::string_view name) {
  const std::span<const Flag> flags = all_flags();
  const auto found =
      std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) { return flag.name == name; });
  return found == flags.end() ? nullptr : &*found;
}

const Flag* flag_of_column(std::string_view column) {
  const std::span<const Flag> flags = all_flags();
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) {
    return !flag.column.empty() && flag.column == column;
  });
  return found == flags.end() ? nullptr : &*found;
}

bool takes(const Flag& flag, std::string_view command) {
  std::string_view rest = flag.commands;
  if (rest.empty()) {
    return true;
  }
  while (!rest.empty()) {
    const auto end = rest.find(' ');
    if (rest.substr(0, end) == command) {
      return true;
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return false;
}

std::vector<std::string> flags_of(std::string_view command) {
  std::vector<std::string> names;
  for (const Flag& flag : all_flags()) {
    if (!flag.commands.empty() && takes(flag, command)) {
      names.emplace_back(flag.name);
    }
  }
  return names;
}

}  // namespace fathom::cli
