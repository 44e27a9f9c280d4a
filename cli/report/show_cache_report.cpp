#include "cli/report/show_cache_report.h"

#include "cli/report/format_quantity.h"
#include "cli/report/table.h"
#include "model/llm/parameter_count.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using hardware::Bytes;
using hardware::Count;
using hardware::Format;
using model::ModelSpec;

std::string whole(Count count) { return show_number(static_cast<double>(count)); }
std::string byte_count(Bytes bytes) { return show_number(bytes.base()) + " B"; }

std::string size_text(double bytes) {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  return bytes < kGib ? show_kib(bytes) : show_gib(bytes);
}

bool is_latent(const ModelSpec& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const model::LayerKind& layer) {
    return std::holds_alternative<model::LatentAttention>(layer.attention);
  });
}

/// Elements of one row; compressed entries count by their share of a token, rounded down.
Count cache_elements(const model::Attention& attention) {
  if (const auto* grouped = std::get_if<model::GroupedAttention>(&attention)) {
    return grouped->shared_kv ? 0 : grouped->kv_heads * (grouped->head + grouped->value_head);
  }
  if (const auto* latent = std::get_if<model::LatentAttention>(&attention)) {
    return latent->latent_rank + latent->rope_head;
  }
  const auto* compressed = std::get_if<model::CompressedAttention>(&attention);
  return compressed != nullptr && compressed->ratio > 0 ? compressed->head / compressed->ratio : 0;
}

std::string tokens_text(const ModelSpec& model) {
  Table table({"format", is_latent(model) ? "latent" : "K and V", "index keys", "together", ""},
              {false, true, true, true, false});
  const auto add = [&](Format format) {
    const model::KvRow row = model::kv_bytes_per_token(model, format);
    table.add({std::string(hardware::format_name(format)), byte_count(row.cache),
               byte_count(row.index), byte_count(row.total()),
               format == model.kv_format ? "the model's default" : ""});
  };
  for (const Format format : {Format::Bf16, Format::Fp8}) {
    add(format);
  }
  if (model.kv_format != Format::Bf16 && model.kv_format != Format::Fp8) {
    add(model.kv_format);
  }
  if (is_latent(model)) {
    const std::string plain = whole(kv_elements_per_token(model)) + " B";
    table.add({"fp8, latent alone", plain, "", plain, "1 byte an element, no scales"});
  }
  std::string out = "KV cache per token, whole model at TP1\n" + table.text();
  const Bytes beyond = model::kv_bytes_beyond_windows(model, model.kv_format);
  if (beyond.base() < model::kv_bytes_per_token(model, model.kv_format).total().base()) {
    out += fmt::format("  beyond every window a token adds {} ({})\n", byte_count(beyond),
                       hardware::format_name(model.kv_format));
  }
  const Bytes state = model::state_bytes_per_sequence(model);
  if (state.base() > 0) {
    out += fmt::format("  state of a sequence, whatever its length: {} ({})\n", byte_count(state),
                       size_text(state.base()));
  }
  const Bytes ring = model::ring_bytes_per_sequence(model, model.kv_format);
  if (ring.base() > 0) {
    out += fmt::format("  window of a sequence, of a fixed size: {} ({})\n", byte_count(ring),
                       size_text(ring.base()));
  }
  return out;
}

double sequence_bytes(const ModelSpec& model, Format format, Count tokens) {
  return model::cache_of_sequence(model, format, static_cast<double>(tokens)).base();
}

std::vector<Count> shown_contexts(const ModelSpec& model) {
  std::vector<Count> out;
  for (const Count tokens : {1024, 8192, 32768, 131072}) {
    if (model.max_context == 0 || tokens < model.max_context) {
      out.push_back(tokens);
    }
  }
  if (model.max_context > 0) {
    out.push_back(model.max_context);
  }
  return out;
}

std::string sequences_text(const ModelSpec& model) {
  Table table({"tokens", "bf16", "fp8"}, {true, true, true});
  for (const Count tokens : shown_contexts(model)) {
    table.add({whole(tokens), size_text(sequence_bytes(model, Format::Bf16, tokens)),
               size_text(sequence_bytes(model, Format::Fp8, tokens))});
  }
  return "KV cache per sequence, whole model at TP1\n" + table.text();
}

}  // namespace

Count kv_elements_per_token(const ModelSpec& model) {
  // One byte an element and no scales: a plain FP8 row counts its elements.
  Count sum = 0;
  for (const model::LayerKind& layer : model.layers) {
    sum += layer.count * cache_elements(layer.attention);
  }
  return sum;
}

std::string cache_text(const ModelSpec& model) {
  return tokens_text(model) + "\n" + sequences_text(model);
}

Row cache_columns(const ModelSpec& model) {
  const model::KvRow kv = model::kv_bytes_per_token(model, model.kv_format);
  const auto total = [&](Format format) {
    return model::kv_bytes_per_token(model, format).total().base();
  };
  Row columns;
  columns.push_back({"kv_format", std::string(hardware::format_name(model.kv_format))});
  columns.push_back({"kv_bytes_per_token", kv.total().base()});
  columns.push_back({"kv_cache_bytes_per_token", kv.cache.base()});
  columns.push_back({"kv_index_bytes_per_token", kv.index.base()});
  columns.push_back({"kv_bytes_per_token_bf16", total(Format::Bf16)});
  columns.push_back({"kv_bytes_per_token_fp8", total(Format::Fp8)});
  columns.push_back({"kv_elements_per_token", kv_elements_per_token(model)});
  columns.push_back({"kv_bytes_per_token_beyond_windows",
                     model::kv_bytes_beyond_windows(model, model.kv_format).base()});
  columns.push_back({"state_bytes_per_sequence", model::state_bytes_per_sequence(model).base()});
  columns.push_back(
      {"window_bytes_per_sequence", model::ring_bytes_per_sequence(model, model.kv_format).base()});
  return columns;
}

std::vector<Row> sequence_rows(const ModelSpec& model) {
  std::vector<Row> rows;
  for (const Count tokens : shown_contexts(model)) {
    rows.push_back({{"tokens", tokens},
                    {"bf16_bytes", sequence_bytes(model, Format::Bf16, tokens)},
                    {"fp8_bytes", sequence_bytes(model, Format::Fp8, tokens)}});
  }
  return rows;
}

}  // namespace fathom::cli
