#include "hardware/base/foreign_words.h"

#include "hardware/base/decimal.h"
#include "hardware/base/suggest.h"
#include "hardware/base/unit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fathom::hardware {
namespace {

struct Foreign {
  std::string_view word;
  std::string_view ours;
};

constexpr std::array kForeign{
    Foreign{"hidden_size", "hidden"},
    Foreign{"d_model", "hidden"},
    Foreign{"vocab_size", "vocabulary"},
    Foreign{"max_position_embeddings", "max_context"},
    Foreign{"tie_word_embeddings", "tied_embeddings"},
    Foreign{"num_hidden_layers", "count"},
    Foreign{"num_layers", "count"},
    Foreign{"num_attention_heads", "heads"},
    Foreign{"num_heads", "heads"},
    Foreign{"num_key_value_heads", "kv_heads"},
    Foreign{"num_kv_heads", "kv_heads"},
    Foreign{"head_dim", "head"},
    Foreign{"v_head_dim", "value_head"},
    Foreign{"qk_nope_head_dim", "nope_head"},
    Foreign{"qk_rope_head_dim", "rope_head"},
    Foreign{"q_lora_rank", "query_rank"},
    Foreign{"kv_lora_rank", "latent_rank"},
    Foreign{"sliding_window", "window"},
    Foreign{"intermediate_size", "width"},
    Foreign{"moe_intermediate_size", "width"},
    Foreign{"num_experts", "experts"},
    Foreign{"n_routed_experts", "experts"},
    Foreign{"num_local_experts", "experts"},
    Foreign{"num_experts_per_tok", "top_k"},
    Foreign{"gpus", "gpus_per_node"},
    Foreign{"num_gpus", "gpus_per_node"},
    Foreign{"gpu", "accelerator"},
    Foreign{"p2p", "peer_to_peer"},
    Foreign{"peak", "dense_peak"},
    Foreign{"flops", "dense_peak"},
    Foreign{"size", "capacity"},
    Foreign{"allreduce", "ring"},
    Foreign{"bfloat16", "bf16"},
    Foreign{"float16", "fp16"},
    Foreign{"half", "fp16"},
    Foreign{"float32", "fp32"},
    Foreign{"float8", "fp8"},
    Foreign{"float8_e4m3fn", "fp8"},
    Foreign{"fp8_e4m3", "fp8"},
    Foreign{"fp4", "nvfp4"},
    Foreign{"int4", "int4-g128"},
    Foreign{"awq", "int4-g128"},
    Foreign{"gptq", "int4-g128"},
};

bool holds(const std::vector<std::string>& known, std::string_view word) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

/// "1,024" and "1_024" are 1024; empty where the text has no separators or is no number anyway.
std::string without_separators(std::string_view text) {
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c == ',' || c == '_' || c == '\'' || c == ' '; });
  return digits.size() < text.size() && parse_count(digits) ? digits : std::string();
}

}  // namespace

std::string our_word(std::string_view foreign, const std::vector<std::string>& known) {
  for (const Foreign& row : kForeign) {
    if (row.word == foreign && holds(known, row.ours)) {
      return std::string(row.ours);
    }
  }
  return {};
}

std::string did_you_mean_word(std::string_view word, const std::vector<std::string>& known) {
  const std::string ours = our_word(word, known);
  return ours.empty() ? did_you_mean(word, known) : fmt::format("did you mean '{}'?", ours);
}

std::string plain_number_help(std::string_view text) {
  if (const std::string digits = without_separators(text); !digits.empty()) {
    return "write " + digits;
  }
  constexpr std::array<std::pair<std::string_view, int>, 4> kEndings{
      {{"kK", 1}, {"mM", 2}, {"bBgG", 3}, {"tT", 4}}};
  const DecimalPrefix prefix = decimal_prefix(text);
  std::string_view ending = text.substr(std::min(prefix.length, text.size()));
  ending.remove_prefix(std::min(ending.find_first_not_of(' '), ending.size()));
  for (const auto& [letters, power] : kEndings) {
    if (!prefix.number || ending.size() != 1 || letters.find(ending[0]) == std::string_view::npos) {
      continue;
    }
    const double number = to_double(*prefix.number).value_or(0);
    const double binary = number * std::pow(1024.0, power);
    if (power < 3 && binary == std::floor(binary)) {
      // Both are meant by somebody: 4k tokens are 4096 to one and 4000 to another.
      return fmt::format("write {:.0f} or {:.0f}", binary, number * std::pow(1000.0, power));
    }
    return fmt::format("write {}e{}", text.substr(0, prefix.length), 3 * power);
  }
  return {};
}

}  // namespace fathom::hardware
