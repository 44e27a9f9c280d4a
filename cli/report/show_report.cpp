#include "cli/report/show_report.h"

#include "cli/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using hardware::SpecNode;

bool is_remark(const std::string& key) { return key == "source" || key == "note"; }

/// "{value: 96 GiB, source: ...}" and "{low: ..., high: ...}" stand for one number.
bool is_number_map(const SpecNode& node) {
  return node.kind == SpecNode::Kind::Map &&
         (node.find("value") != nullptr || node.find("low") != nullptr);
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

std::string text_at(const SpecNode& map, std::string_view key) {
  const SpecNode* found = map.find(key);
  return found == nullptr ? std::string() : found->text;
}

bool has_source(const SpecNode& node) {
  return node.find("source") != nullptr ||
         std::any_of(node.items.begin(), node.items.end(), has_source) ||
         std::any_of(node.entries.begin(), node.entries.end(),
                     [](const SpecNode::Entry& entry) { return has_source(entry.value); });
}

/// The keys of a map that a `source` of that map speaks for.
std::vector<std::string> covered_keys(const SpecNode& map) {
  std::vector<std::string> keys;
  for (const SpecNode::Entry& entry : map.entries) {
    if (!is_remark(entry.key) && !has_source(entry.value)) {
      keys.push_back(entry.key);
    }
  }
  return keys;
}

std::string place(const hardware::Mark& mark) {
  return mark.file ? fmt::format("{}:{}", mark.file->name, mark.line) : std::string("?");
}

std::string covered(const SpecNode& map, const std::string& path) {
  if (path.empty()) {
    return "all else";
  }
  if (is_number_map(map)) {
    return path;
  }
  const std::vector<std::string> keys = covered_keys(map);
  return keys.empty() ? path : fmt::format("{} ({})", path, fmt::join(keys, ", "));
}

void collect_sources(const SpecNode& node, const std::string& path, const hardware::Mark& mark,
                     std::vector<std::string>& out) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    collect_sources(node.items[i], below(path, fmt::format("{}", i)), node.items[i].mark, out);
  }
  for (const SpecNode::Entry& entry : node.entries) {
    if (entry.key == "source") {
      out.push_back(fmt::format("{}: {} ({})", covered(node, path),
                                place(path.empty() ? entry.key_mark : mark), entry.value.text));
    } else {
      collect_sources(entry.value, below(path, entry.key), entry.key_mark, out);
    }
  }
}

void collect_notes(const SpecNode& node, const std::string& path, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    collect_notes(node.items[i], below(path, fmt::format("{}", i)), out);
  }
  for (const SpecNode::Entry& entry : node.entries) {
    if (entry.key == "note") {
      out.push_back(path.empty() ? entry.value.text : path + ": " + entry.value.text);
    } else {
      collect_notes(entry.value, below(path, entry.key), out);
    }
  }
}

void collect_keys(const SpecNode& node, const std::string& path, std::vector<SpecKey>& out) {
  if (is_number_map(node)) {
    const std::string value = text_at(node, "value");
    const bool interval = value.empty();
    out.push_back(
        {path, interval ? text_at(node, "low") + " to " + text_at(node, "high") : value, interval});
    return;
  }
  if (node.kind == SpecNode::Kind::Scalar) {
    out.push_back({path, node.text, false});
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    collect_keys(node.items[i], below(path, fmt::format("{}", i)), out);
  }
  for (const SpecNode::Entry& entry : node.entries) {
    if (!is_remark(entry.key)) {
      collect_keys(entry.value, below(path, entry.key), out);
    }
  }
}

const char* collectives_name(model::CustomCollectives policy) {
  switch (policy) {
    case model::CustomCollectives::Library:
      return "library";
    case model::CustomCollectives::Nvlink:
      return "nvlink";
    case model::CustomCollectives::PeerToPeer:
      return "peer-to-peer";
  }
  return "";
}

/// What the numbers of an engine mean, said once.
const std::vector<std::string>& engine_assumptions() {
  static const std::vector<std::string> lines{
      "kernels: small kernels per layer beside GEMMs, attention core and collectives",
      "passes: reads and writes of 16-bit activations in tokens x width",
      "memory: fraction of the usable memory, context and graphs per GPU"};
  return lines;
}

const std::vector<std::string>& kernel_assumptions() {
  static const std::vector<std::string> lines{
      "one kernel takes fixed + (t_compute^p + t_memory^p)^(1/p), p = smooth_exponent",
      "efficiencies are shares of the datasheet's dense peak and memory bandwidth at max_clock"};
  return lines;
}

/// Every key with its value as written but the first, which names the spec.
std::string key_table(const SpecNode& tree, const std::string& first) {
  Table table({"key", "value"});
  for (const SpecKey& key : spec_keys(tree)) {
    if (key.path != first) {
      table.add({key.path, key.value});
    }
  }
  return table.text();
}

}  // namespace

std::vector<std::string> spec_sources(const SpecNode& root) {
  std::vector<std::string> out;
  collect_sources(root, {}, root.mark, out);
  return out;
}

std::vector<std::string> spec_notes(const SpecNode& root) {
  std::vector<std::string> out;
  collect_notes(root, {}, out);
  return out;
}

std::vector<SpecKey> spec_keys(const SpecNode& root) {
  std::vector<SpecKey> out;
  collect_keys(root, {}, out);
  return out;
}

Document show_document(const std::string& kind, const std::string& name,
                       const ReportContext& context) {
  Document document;
  document.schema = "fathom.show/1";
  document.columns = {{"kind", kind}, {"name", name}};
  document.sources = context.sources;
  document.warnings = context.notes;
  return document;
}

std::string engine_text(const model::EngineSpec& engine, const SpecNode& tree,
                        const ReportContext& context) {
  return fmt::format("engine {}\n\n", engine.id) + key_table(tree, "engine") + "\n" +
         footer(engine_assumptions(), context);
}

std::string kernels_text(const std::string& name, const SpecNode& tree,
                         const ReportContext& context) {
  return fmt::format("kernels {}\n\n", name) + key_table(tree, "kernels") + "\n" +
         footer(kernel_assumptions(), context);
}

Document kernels_document(const std::string& name, const SpecNode& tree,
                          const ReportContext& context) {
  Document document = show_document("kernels", name, context);
  std::vector<Row> keys;
  for (const SpecKey& key : spec_keys(tree)) {
    if (key.path != "kernels") {
      keys.push_back({{"key", key.path}, {"value", key.value}});
    }
  }
  document.tables.emplace_back("keys", std::move(keys));
  document.assumptions = kernel_assumptions();
  return document;
}

Document engine_document(const model::EngineSpec& engine, const ReportContext& context) {
  Document document = show_document("engine", engine.id, context);
  const auto& k = engine.kernels;
  const auto& p = engine.passes;
  const Row keys{
      {"kernels_attention", k.attention},
      {"kernels_latent", k.latent},
      {"kernels_indexer", k.indexer},
      {"kernels_dense_ffn", k.dense_ffn},
      {"kernels_moe", k.moe},
      {"kernels_quantise", k.quantise},
      {"kernels_step", k.step},
      {"passes_attention", p.attention},
      {"passes_dense_ffn", p.dense_ffn},
      {"passes_ffn_width", p.ffn_width},
      {"passes_moe", p.moe},
      {"passes_moe_width", p.moe_width},
      {"split_kv_kernels", engine.split_kv_kernels},
      {"all_gather_logits", engine.all_gather_logits},
      {"prefill_graphs", engine.prefill_graphs},
      {"host_per_kernel_s", engine.host_per_kernel.base()},
      {"host_per_step_s", engine.host_per_step.base()},
      {"host_per_sequence_s", engine.host_per_sequence.base()},
      {"host_overlap", engine.host_overlap},
      {"custom_collectives", std::string(collectives_name(engine.custom_collectives))},
      {"memory_fraction", engine.memory_fraction},
      {"context_bytes", engine.context_bytes.base()},
      {"graphs_bytes", engine.graphs_bytes.base()},
      {"max_batched_tokens", engine.max_batched_tokens},
      {"kv_block_tokens", engine.kv_block_tokens},
      {"kv_format",
       engine.kv_format ? std::string(hardware::format_name(*engine.kv_format)) : "model"}};
  document.columns.insert(document.columns.end(), keys.begin(), keys.end());
  document.assumptions = engine_assumptions();
  return document;
}

}  // namespace fathom::cli
