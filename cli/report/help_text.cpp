#include "cli/report/help_text.h"

#include "cli/report/flags.h"
#include "cli/report/glossary.h"
#include "cli/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace fathom::cli {
namespace {

struct CommandHelp {
  std::string_view name;
  std::string_view usage;
  std::string_view answers;
  std::string_view details;
  std::string_view example;
};

constexpr std::array kCommands{
    CommandHelp{"plan", "plan MODEL SYSTEM",
                "which layouts fit, how fast each is, what limits each, which to take and why the "
                "runner-up lost",
                "Lengths and load: --isl --osl --concurrency, or --requests sent at once; without "
                "them ISL 1024, OSL 256 at concurrency 1 and at the most that fit. --objective "
                "throughput, user or ttft; --slo-ttft and --slo-tpot; --layout L to judge one; "
                "--gpus N; --top N. Exit status 1 when nothing fits or meets the targets.",
                "fathom plan glm-5-nvfp4 8x-rtx-pro-6000-se --isl 1024 --osl 256 --concurrency 64"},
    CommandHelp{"predict", "predict MODEL SYSTEM --layout L",
                "one layout in depth: each operator, each resource, shares, elasticities, power, "
                "clock",
                "--phase decode (with --batch --context), prefill (with --batch --isl or "
                "--new-tokens) or serve (with --isl --osl --concurrency); --spec-tokens, "
                "--spec-acceptance, --cuda-graphs on|off, --power-limit '450 W', --cases FILE.csv.",
                "fathom predict glm-5-nvfp4 8x-rtx-pro-6000-se --layout tp8 --batch 64 --context "
                "8192"},
    CommandHelp{"fit", "fit MODEL SYSTEM",
                "does it fit: the ledger per GPU, KV tokens, concurrency at a length",
                "Without --layout every layout. --engine E, --memory-fraction, --max-model-len, "
                "--max-num-seqs, --max-batched-tokens, --kv-format; --explain prints the formula "
                "with numbers put in; --cases FILE.csv. Exit status 1 when it does not fit.",
                "fathom fit glm-5-nvfp4 8x-rtx-pro-6000-se"},
    CommandHelp{"check", "check FILE...", "is a spec or a case file valid, and if not, where",
                "The kind is seen from the first-level keys (model, accelerator, system, engine, "
                "kernels) or the CSV header. Exit status 3 when a file is wrong.",
                "fathom check my-system.yaml"},
    CommandHelp{
        "import", "import FILE", "a foreign file as a spec",
        "FILE is a Hugging Face config.json (with hf_quant_config.json beside it), a Mistral "
        "params.json, a GGUF file, or the folder of a checkpoint; recognised by content. "
        "Text is a model spec in YAML; --output FILE keeps it. Exit status 1 when a field "
        "that is needed is missing, 3 when the file is not known.",
        "fathom import config.json --output my-model.yaml"},
    CommandHelp{"list", "list KIND", "what the library holds",
                "KIND is models, accelerators, systems, engines, kernels, or layouts MODEL SYSTEM "
                "for every layout, legal or why not.",
                "fathom list layouts glm-5-nvfp4 8x-rtx-pro-6000-se"},
    CommandHelp{
        "show", "show NAME", "one spec with derived figures and sources",
        "NAME is a model, an accelerator, a system, an engine or kernels, looked for in that "
        "order; KIND NAME picks one: fathom show system h200-sxm, fathom show kernels "
        "hopper.",
        "fathom show glm-5-nvfp4"},
    CommandHelp{"help", "help [TERM]", "what a command does or a word means", "",
                "fathom help link latency"},
};

struct Question {
  std::string_view question;
  std::string_view command;
};

constexpr std::array kQuestions{
    Question{"Does it fit?", "fathom fit glm-5-nvfp4 8x-rtx-pro-6000-se"},
    Question{"How fast is each layout?",
             "fathom plan glm-5-nvfp4 8x-rtx-pro-6000-se --isl 1024 --osl 256 --concurrency 64"},
    Question{
        "What limits one layout?",
        "fathom predict glm-5-nvfp4 8x-rtx-pro-6000-se --layout tp8 --batch 64 --context 8192"},
    Question{"What would help? (a link of twice the rate, say)",
             "fathom predict glm-5-nvfp4 8x-rtx-pro-6000-se --layout tp8 --batch 64 \\\n"
             "      --context 8192 --set system.link.bandwidth=x2"},
    Question{"Is my spec valid?", "fathom check my-system.yaml"},
};

constexpr std::array<std::string_view, 7> kAnnounced{"simulate",  "size",   "cost",    "compare",
                                                     "calibrate", "report", "diagnose"};

std::string paragraph(std::string_view text, int width) {
  return wrap("  " + std::string(text), width, 2) + "\n";
}

/// "plan, fit" for "plan fit".
std::string listed(std::string_view words) {
  std::string out;
  for (const char c : words) {
    out += c == ' ' ? ", " : std::string(1, c);
  }
  return out;
}

}  // namespace

std::string questions_text() {
  std::string out =
      "Fathom predicts how fast an LLM runs on a machine, and says what limits it.\n\n";
  for (const Question& q : kQuestions) {
    out += fmt::format("  {}\n    {}\n", q.question, q.command);
  }
  return out +
         "\nfathom list models and fathom list systems name what there is;\n"
         "fathom help lists the commands; fathom help TERM explains a word.\n";
}

std::string commands_text(int width) {
  std::string out = "commands\n";
  constexpr std::size_t kColumn = 35;
  for (const CommandHelp& command : kCommands) {
    out += wrap(fmt::format("  {:<33}{}", command.usage, command.answers), width,
                static_cast<int>(kColumn)) +
           "\n";
  }
  out += "\nflags of all commands\n";
  out += paragraph(
      "--format text|json|csv, --output FILE, --quiet, --verbose, --config-path "
      "FOLDER (repeatable), --evidence bound|default, --set ROOT.PATH=VALUE "
      "(repeatable; the roots are accelerator, system, model, engine, coefficients, "
      "workload)",
      width);
  out += "\nexit status\n";
  out += paragraph(
      "0 the answer is yes; 1 the answer is no; 2 wrong usage; 3 wrong spec or data; "
      "70 a fault of the program",
      width);
  out += "\nterms\n";
  out += paragraph(fmt::format("{}", fmt::join(glossary_terms(), ", ")), width);
  return out;
}

std::string command_text(std::string_view command, int width) {
  for (const CommandHelp& help : kCommands) {
    if (help.name == command) {
      std::string out = fmt::format("fathom {}\n", help.usage);
      out += paragraph(help.answers, width);
      out += help.details.empty() ? "" : paragraph(help.details, width);
      if (const auto flags = flags_of(command); !flags.empty()) {
        out += paragraph(
            fmt::format("takes {}; fathom help --FLAG explains one", fmt::join(flags, " ")), width);
      }
      return out + wrap(fmt::format("  for instance: {}", help.example), width, 16) + "\n";
    }
  }
  return {};
}

std::string term_text(std::string_view term, int width) {
  const GlossaryEntry* entry = find_term(term);
  return entry == nullptr ? std::string()
                          : wrap(fmt::format("{}: {}", entry->term, entry->text), width, 2) + "\n";
}

std::string flag_text(std::string_view flag, int width) {
  const Flag* found = flag.rfind("--", 0) == 0 ? find_flag(flag) : nullptr;
  if (found == nullptr) {
    return {};
  }
  const std::string value = found->value.empty() ? "" : fmt::format(" {}", found->value);
  std::string out = wrap(fmt::format("{}{}: {}", found->name, value, found->what), width, 2) + "\n";
  out += found->commands.empty() ? "  taken by all commands\n"
                                 : fmt::format("  taken by {}\n", listed(found->commands));
  return out + term_text(flag.substr(2), width);
}

bool is_announced(std::string_view command) {
  return std::find(kAnnounced.begin(), kAnnounced.end(), command) != kAnnounced.end();
}

std::vector<std::string> help_words() {
  std::vector<std::string> out;
  out.reserve(std::size(kCommands) + all_flags().size());
  for (const CommandHelp& command : kCommands) {
    out.emplace_back(command.name);
  }
  for (const Flag& flag : all_flags()) {
    out.emplace_back(flag.name);
  }
  const std::vector<std::string> terms = glossary_terms();
  out.insert(out.end(), terms.begin(), terms.end());
  return out;
}

}  // namespace fathom::cli
