#include "model/llm/write_model.h"

#include "model/llm/block_keys.h"
#include "model/llm/layer_order.h"
#include "model/llm/write_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fathom::model {
namespace {

/// The text in quotes. The reader refuses many open brackets, in quotes too: but for a few they are
/// written as escapes.
std::string always_quoted(const std::string& text) {
  constexpr unsigned char kDelete = 0x7f;
  constexpr int kMostBrackets = 8;
  int brackets = 0;
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    brackets += c == '[' || c == '{' ? 1 : 0;
    const bool bracket = (c == '[' || c == '{') && brackets > kMostBrackets;
    if (byte < ' ' || byte == kDelete || bracket) {
      out += fmt::format("\\x{:02x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "\"";
}

/// A scalar that YAML might read as something else is quoted.
std::string quoted(const std::string& text) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;_-/()+*'%=";
  const bool letter = !text.empty() && ((text.front() >= 'a' && text.front() <= 'z') ||
                                        (text.front() >= 'A' && text.front() <= 'Z'));
  const bool word = text == "true" || text == "false" || text == "null" || text == "none" ||
                    text == "yes" || text == "no" || text == "on" || text == "off";
  if (letter && !word && text.find_first_not_of(kPlain) == std::string::npos &&
      text.back() != ' ') {
    return text;
  }
  return always_quoted(text);
}

/// Writes the keys of a block in flow style, optional ones only where they differ from absent.
class KeyWriter {
 public:
  void put(std::string_view key, const std::string& value) {
    out_ += fmt::format("{}{}: {}", out_.empty() ? "" : ", ", key, value);
  }
  void need(std::string_view key, const Count& value) { put(key, std::to_string(value)); }
  void need(std::string_view key, const bool& value) { put(key, value ? "true" : "false"); }
  void may(std::string_view key, const Count& value, Count absent) {
    if (value != absent) {
      put(key, std::to_string(value));
    }
  }
  void may(std::string_view key, const bool& value) {
    if (value) {
      put(key, "true");
    }
  }
  void may_true(std::string_view key, const bool& value) {
    if (!value) {
      put(key, "false");
    }
  }
  void none(std::string_view key, const Count& value) {
    put(key, value == 0 ? "none" : std::to_string(value));
  }
  template <class E, std::size_t N>
  void choice(std::string_view key, const E& value, const std::array<std::string_view, N>& words) {
    put(key, std::string(words.at(static_cast<std::size_t>(value))));
  }
  template <class E, std::size_t N>
  void may_choice(std::string_view key, const E& value,
                  const std::array<std::string_view, N>& words) {
    if (static_cast<std::size_t>(value) != 0) {
      choice(key, value, words);
    }
  }
  template <class Block>
  void child(std::string_view key, std::optional<Block>& value) {
    if (value) {
      KeyWriter inner;
      visit_keys(*value, inner);
      put(key, "{" + inner.text() + "}");
    }
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  std::string out_;
};

template <class Variant, std::size_t N>
std::string block_text(const Variant& variant, const std::array<std::string_view, N>& kinds) {
  KeyWriter writer;
  writer.put("kind", std::string(kinds.at(variant.index())));
  std::visit([&writer](auto block) { visit_keys(block, writer); }, variant);
  return "{" + writer.text() + "}";
}

std::string attention_map(const Attention& a) { return block_text(a, kAttentionKinds); }
std::string mlp_map(const Mlp& f) { return block_text(f, kMlpKinds); }

/// A text that grows line by line.
struct Lines {
  std::string out;
  void line(const std::string& text) { out += text + "\n"; }
};

void write_head(const ImportedModel& model, Lines& t) {
  const ModelSpec& m = model.spec;
  t.line("model: " + quoted(m.id));
  if (!m.hugging_face.empty()) {
    t.line("hugging_face: " + quoted(m.hugging_face));
  }
  t.line("source: " + quoted(model.source));
  std::string note;
  for (const std::string& one : model.notes) {
    note += (note.empty() ? "" : "; ") + one;
  }
  if (!note.empty()) {
    std::replace(note.begin(), note.end(), '"', '\'');
    std::replace(note.begin(), note.end(), '\\', '/');
    t.line("note: " + always_quoted(note));
  }
  t.line(fmt::format("hidden: {}", m.hidden));
  t.line(fmt::format("vocabulary: {}", m.vocabulary));
  t.line("max_context: " + (m.max_context > 0 ? std::to_string(m.max_context) : "none"));
  t.line(fmt::format("tied_embeddings: {}", m.tied_embeddings));
  if (m.checkpoint_bytes.base() > 0) {
    t.line(fmt::format("checkpoint_bytes: {:.0f}", m.checkpoint_bytes.base()));
  }
  if (m.lm_head_bias) {
    t.line("lm_head_bias: true");
  }
  if (m.per_layer_embedding) {
    t.line(fmt::format("per_layer_embedding: {{vocabulary: {}, width: {}}}",
                       m.per_layer_embedding->vocabulary, m.per_layer_embedding->width));
  }
}

/// `{a: b, c: d}`.
std::string flow(const std::vector<std::string>& entries) {
  std::string out;
  for (const std::string& entry : entries) {
    out += (out.empty() ? "" : ", ") + entry;
  }
  return "{" + out + "}";
}

/// The keys of one layer kind, a line each; `lead` begins the first ("  - ") and as many spaces the
/// others.
class LayerWriter {
 public:
  LayerWriter(Lines& lines, std::string lead) : lines_(&lines), lead_(std::move(lead)) {}

  void put(const std::string& text) {
    lines_->line(lead_ + text);
    lead_.assign(lead_.size(), ' ');
  }

  void shapes(const LayerKind& layer, bool with_attention) {
    if (!layer.name.empty()) {
      put("name: " + quoted(layer.name));
    }
    put(fmt::format("count: {}", layer.count));
    if (with_attention) {
      put("attention: " + attention_map(layer.attention));
    }
    put("ffn: " + mlp_map(layer.mlp));
  }

  void extras(const LayerKind& layer) {
    if (layer.norms != 2) {
      put(fmt::format("norms: {}", layer.norms));
    }
    for (const auto& [key, value] :
         {std::pair{"norm_bias", layer.norm_bias}, std::pair{"parallel", layer.parallel},
          std::pair{"scalar", layer.scalar}}) {
      if (value) {
        put(fmt::format("{}: true", key));
      }
    }
    for (const auto& [key, value] : {std::pair{"hyper_streams", layer.hyper_streams},
                                     std::pair{"per_layer_width", layer.per_layer_width}}) {
      if (value > 0) {
        put(fmt::format("{}: {}", key, value));
      }
    }
  }

  void formats(const std::vector<std::string>& entries) {
    if (!entries.empty()) {
      put("formats: " + flow(entries));
    }
  }

 private:
  Lines* lines_;
  std::string lead_;
};

/// True where all layers attend alike, so that the model says it once.
bool one_attention(const ModelSpec& m) {
  const auto same = [&m](const LayerKind& layer) {
    return layer.attention == m.layers.front().attention;
  };
  return std::all_of(m.layers.begin(), m.layers.end(), same) &&
         std::all_of(m.mtp.begin(), m.mtp.end(), same);
}

void write_layers(const ModelSpec& m, const StatedFormats& formats, Lines& t) {
  const bool shared = one_attention(m);
  t.line("");
  if (shared) {
    t.line("attention: " + attention_map(m.layers.front().attention));
    t.line("");
  }
  t.line("layers:");
  for (const LayerKind& layer : m.layers) {
    LayerWriter writer(t, "  - ");
    writer.shapes(layer, !shared);
    writer.extras(layer);
    writer.formats(layer_formats(m, layer, formats));
  }
  if (!m.order.empty()) {
    std::vector<std::string> names;
    for (const LayerKind& layer : m.layers) {
      names.push_back(layer.name);
    }
    t.line("order: " + always_quoted(print_order(m.order, names)));
  }
  for (const LayerKind& layer : m.mtp) {
    t.line("");
    t.line("mtp:");
    LayerWriter writer(t, "  ");
    writer.shapes(layer, !shared);
    writer.put(fmt::format("in_checkpoint: {}", m.mtp_in_checkpoint));
    writer.put(fmt::format("shared_embedding: {}", m.mtp_shared_embedding));
    writer.extras(layer);
    writer.formats(mtp_formats(m, layer, formats));
  }
}

void write_published(const ImportedModel& model, Lines& t) {
  if (!model.total && !model.active && !model.weight_bytes) {
    return;
  }
  t.line("");
  t.line("published:");
  if (model.total) {
    t.line(fmt::format("  total_parameters: {{value: {}, counts: {}}}", model.total->value,
                       model.total->counts));
  }
  if (model.active) {
    t.line(fmt::format("  active_parameters: {{value: {}, counts: {}}}", model.active->value,
                       model.active->counts));
  }
  if (model.weight_bytes) {
    t.line("  weight_bytes: " + *model.weight_bytes);
  }
  t.line("  source: " + quoted(model.claims_source));
}

}  // namespace

std::string write_model(const ImportedModel& model) {
  const StatedFormats formats = state_formats(model.spec);
  Lines t;
  write_head(model, t);
  write_layers(model.spec, formats, t);
  t.line("");
  t.line("formats:");
  for (const std::string& entry : formats.lines) {
    t.line("  " + entry);
  }
  write_published(model, t);
  return t.out;
}

}  // namespace fathom::model
