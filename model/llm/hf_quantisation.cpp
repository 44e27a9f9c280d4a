#include "model/llm/hf_quantisation.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::model {
namespace {

using hardware::SpecNode;

constexpr Count kNvfp4Group = 16;
constexpr Count kMicroscaleGroup = 32;
constexpr Count kBlock = 128;

/// ModelOpt's names of a storage.
std::optional<Format> format_of_algo(const std::string& algo) {
  struct Row {
    std::string_view algo;
    Format format;
  };
  static constexpr std::array<Row, 14> kRows{{{"NVFP4", Format::Nvfp4},
                                              {"NVFP4_AWQ", Format::Nvfp4},
                                              {"W4A16_NVFP4", Format::Nvfp4Weight},
                                              {"FP8", Format::Fp8},
                                              {"FP8_PB_WO", Format::Fp8Block},
                                              {"FP8_BLOCK_SCALES", Format::Fp8Block},
                                              {"FP8_PER_CHANNEL_PER_TOKEN", Format::Fp8Channel},
                                              {"MXFP8", Format::Mxfp8},
                                              {"MXFP4", Format::Mxfp4},
                                              {"W4A8_MXFP4_FP8", Format::Mxfp4},
                                              {"W4A16_AWQ", Format::Int4G128},
                                              {"INT4_AWQ", Format::Int4G128},
                                              {"W4A8_AWQ", Format::Int4G128},
                                              {"W8A8_SQ_PER_CHANNEL", Format::Int8}}};
  for (const Row& row : kRows) {
    if (row.algo == algo) {
      return row.format;
    }
  }
  return std::nullopt;
}

std::optional<Format> integer_format(HfConfig& weights, Count bits, Count group) {
  constexpr Count kInt4 = 4;
  constexpr Count kInt8 = 8;
  if (bits == kInt8) {
    return Format::Int8;
  }
  if (bits == kInt4 && group == kMicroscaleGroup) {
    return Format::Int4G32;
  }
  if (bits == kInt4 && group == kBlock) {
    return Format::Int4G128;
  }
  weights.wrong(
      weights.root(),
      fmt::format("{}-bit integers in groups of {} are no format known here", bits, group),
      "known: 8 bits per channel, 4 bits in groups of 32 or 128");
  return std::nullopt;
}

void check_blocks(HfConfig& q, FieldNames names) {
  const SpecNode* node = q.find(names);
  if (node == nullptr || node->kind != SpecNode::Kind::List) {
    return;  // block_structure may also be a text such as "24:2" of sparse weights
  }
  const auto block = q.numbers(names);
  if (block && *block != std::vector<Count>{kBlock, kBlock}) {
    q.wrong(*node, "blocks other than 128 x 128 are not known here");
  }
}

/// True after so many faults that the rest would only repeat them.
bool gives_up(HfConfig& config) {
  constexpr std::size_t kMostFaults = 100;
  return config.diagnostics().all().size() >= kMostFaults;
}

/// The `weights` of a config group of compressed-tensors or ModelOpt.
std::optional<Format> format_of_weights(HfConfig weights, bool has_activations,
                                        const std::string& packing) {
  constexpr Count kFp8Bits = 8;
  const Count bits = weights.need({"num_bits"});
  const Count group = weights.may({"group_size"}, 0);
  if (weights.text({"type"}) != "float") {
    return integer_format(weights, bits, group);
  }
  if (bits == kFp8Bits) {
    const std::string strategy = weights.text({"strategy"});
    check_blocks(weights, {"block_structure"});
    return strategy == "channel"       ? Format::Fp8Channel
           : strategy == "block"       ? Format::Fp8Block
           : group == kMicroscaleGroup ? Format::Mxfp8
                                       : Format::Fp8;
  }
  if (group == kMicroscaleGroup || packing.starts_with("mxfp4")) {
    return Format::Mxfp4;
  }
  if (group == kNvfp4Group) {
    return has_activations ? Format::Nvfp4 : Format::Nvfp4Weight;
  }
  weights.wrong(weights.root(),
                fmt::format("{}-bit floats in groups of {} are no format known here", bits, group));
  return std::nullopt;
}

void add_config_groups(HfConfig& q, Quantisation& out) {
  const SpecNode* groups = q.find({"config_groups"});
  if (groups == nullptr || groups->kind != SpecNode::Kind::Map) {
    return;
  }
  for (const SpecNode::Entry& entry : groups->entries) {
    if (gives_up(q)) {
      return;
    }
    HfConfig group(entry.value, entry.value, q.diagnostics());
    std::string packing = group.text({"format"});
    packing = packing.empty() ? q.text({"format"}) : packing;
    const auto format =
        format_of_weights(group.inside({"weights"}), group.has({"input_activations"}), packing);
    if (!format) {
      continue;
    }
    for (const std::string& target :
         group.words({"targets"}).value_or(std::vector<std::string>{"Linear"})) {
      if (target == "Linear") {
        out.linear = format;
      } else {
        out.rules.push_back({target, *format});
      }
    }
  }
}

/// `quantized_layers` of a mixed export: pattern to algorithm.
void add_quantized_layers(HfConfig& q, Quantisation& out) {
  const SpecNode* layers = q.find({"quantized_layers"});
  if (layers == nullptr || layers->kind != SpecNode::Kind::Map) {
    return;
  }
  out.rules.clear();
  for (const SpecNode::Entry& entry : layers->entries) {
    if (gives_up(q)) {
      return;
    }
    HfConfig layer(entry.value, entry.value, q.diagnostics());
    const std::string algo = layer.text({"quant_algo"});
    if (const auto format = format_of_algo(algo)) {
      out.rules.push_back({entry.key, *format});
    } else {
      q.wrong(entry.value, fmt::format("quant_algo '{}' is not known here", algo));
    }
  }
}

void add_patterns(HfConfig& q, Quantisation& out) {
  if (out.method == "fp8" && !out.rules.empty()) {
    return;  // the exclusions of a mixed export are those of its list, not of FP8
  }
  for (const std::string_view field :
       {"ignore", "exclude_modules", "modules_to_not_convert", "ignored_layers"}) {
    const auto words = q.words({field});
    if (words) {
      out.excluded.insert(out.excluded.end(), words->begin(), words->end());
    }
  }
}

void read_kv_cache(HfConfig& q, Quantisation& out) {
  const std::string algo = q.text({"kv_cache_quant_algo"});
  if (algo == "FP8") {
    out.kv_cache = Format::Fp8;
  } else if (!algo.empty()) {
    q.wrong(*q.find({"kv_cache_quant_algo"}),
            fmt::format("kv_cache_quant_algo '{}' is not known here", algo), "known: FP8");
  }
  if (q.has({"kv_cache_scheme"})) {
    HfConfig scheme = q.inside({"kv_cache_scheme"});
    constexpr Count kFp8Bits = 8;
    if (scheme.need({"num_bits"}) == kFp8Bits && scheme.text({"type"}) == "float") {
      out.kv_cache = Format::Fp8;
    }
  }
}

void read_modelopt(HfConfig& q, Quantisation& out) {
  const std::string algo = q.text({"quant_algo"});
  if (const auto format = format_of_algo(algo)) {
    out.linear = format;
  } else if (!algo.empty() && algo != "MIXED_PRECISION") {
    q.wrong(*q.find({"quant_algo"}), fmt::format("quant_algo '{}' is not known here", algo));
  }
  if (algo.empty() || algo == "MIXED_PRECISION") {
    add_config_groups(q, out);
    if (q.has({"quantized_layers"})) {
      out.linear = std::nullopt;  // the list is complete
      add_quantized_layers(q, out);
    }
  }
  // The exports that list `exclude_modules` were made without MTP layers.
  out.drops_mtp = q.has({"exclude_modules"});
}

/// `dynamic` of GPTQ: "-:" and a regular expression leave modules out, "+:" (or nothing) gives
/// them other bits.
void add_dynamic(HfConfig& q, Quantisation& out) {
  const SpecNode* dynamic = q.find({"dynamic"});
  if (dynamic == nullptr || dynamic->kind != SpecNode::Kind::Map) {
    return;
  }
  for (const SpecNode::Entry& entry : dynamic->entries) {
    if (entry.key.starts_with("-:")) {
      out.excluded.push_back("re:" + entry.key.substr(2));
    } else {
      q.wrong(entry.value, fmt::format("'{}' of 'dynamic' is not handled", entry.key),
              "only exclusions ('-:') are read");
    }
  }
}

void read_packed_integers(HfConfig& q, Quantisation& out) {
  const Count bits = q.need({"bits", "w_bit"});
  if (q.text({"group_size", "q_group_size"}) == "-1") {
    q.wrong(*q.find({"group_size", "q_group_size"}),
            "one group for a whole row (group_size -1) is no format known here",
            "known: groups of 32 or 128");
    return;
  }
  const Count group = q.may({"group_size", "q_group_size"}, kBlock);
  out.linear = integer_format(q, bits, group);
  add_dynamic(q, out);
}

/// Mistral's own params.json: FP8 with one scale a tensor, or a scheme of compressed-tensors.
bool read_native(HfConfig& q, Quantisation& out) {
  const std::string format = q.text({"qformat_weight"});
  if (format != "fp8_e4m3") {
    return false;
  }
  out.method = "fp8";
  out.linear = Format::Fp8;
  // Mistral quantises the layers only.
  out.excluded.emplace_back("output");
  return true;
}

/// Method by method; false for an unknown one.
bool read_method(HfConfig& q, Quantisation& out) {
  const std::string& m = out.method;
  if (m.starts_with("modelopt")) {
    read_modelopt(q, out);
  } else if (m == "compressed-tensors") {
    add_config_groups(q, out);
  } else if (m == "fp8") {
    // A mixed export keeps FP8 but for the layers that it lists.
    out.linear = q.has({"weight_block_size"}) ? Format::Fp8Block : Format::Fp8;
    add_quantized_layers(q, out);
  } else if (m == "fbgemm_fp8") {
    out.linear = Format::Fp8Channel;
  } else if (m == "mxfp4") {
    out.linear = Format::Mxfp4;
    out.experts_only = true;
  } else if (m == "awq" || m == "gptq" || m == "auto-round" || m == "intel/auto-round") {
    read_packed_integers(q, out);
  } else {
    return false;
  }
  return true;
}

const SpecNode* field_of(const SpecNode& map, std::string_view name) {
  const SpecNode* node = map.kind == SpecNode::Kind::Map ? map.find(name) : nullptr;
  return node == nullptr || node->kind == SpecNode::Kind::Null ? nullptr : node;
}

/// Where the scheme stands: at the top, in the file beside, in the text part. An export leaves the
/// scheme of what it was made from in the text part, and the file beside is the export's own.
const SpecNode* quantisation_node(const HfConfig& config, const SpecNode* beside) {
  const SpecNode* top = nullptr;
  const SpecNode* inner = nullptr;
  for (const char* name : {"quantization_config", "compression_config", "quantization"}) {
    top = top == nullptr ? field_of(config.root(), name) : top;
    inner = inner == nullptr ? field_of(config.decoder(), name) : inner;
  }
  const bool file = beside != nullptr && beside->kind == SpecNode::Kind::Map;
  if (file && (top == nullptr || field_of(*top, "quant_algo") == nullptr)) {
    const SpecNode* within = field_of(*beside, "quantization");
    return within == nullptr ? beside : within;
  }
  return top == nullptr ? inner : top;
}

}  // namespace

std::optional<Quantisation> read_quantisation(HfConfig& config, const SpecNode* beside) {
  Quantisation out;
  const SpecNode* node = quantisation_node(config, beside);
  if (node == nullptr) {
    return out;
  }
  if (node->kind != SpecNode::Kind::Map) {
    config.wrong(*node, "'quantization_config' is no map");
    return std::nullopt;
  }
  HfConfig q(*node, *node, config.diagnostics());
  out.method = q.text({"quant_method"});
  if (out.method.empty() && q.has({"quant_algo"})) {
    out.method = "modelopt";
  }
  check_blocks(q, {"weight_block_size"});
  if (!read_method(q, out) && !read_native(q, out)) {
    config.wrong(
        *node,
        out.method.empty()
            ? std::string("the quantisation names no method known here ('quant_method')")
            : fmt::format("quant_method '{}' is not known here", out.method),
        "known: fp8, fbgemm_fp8, modelopt, compressed-tensors, awq, gptq, auto-round, mxfp4");
    return std::nullopt;
  }
  add_patterns(q, out);
  read_kv_cache(q, out);
  return out;
}

}  // namespace fathom::model
