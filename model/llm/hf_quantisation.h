#pragma once

#include "model/llm/hf_config.h"
#include "model/llm/hf_draft.h"

#include <optional>
#include <string>
#include <vector>

namespace fathom::model {

/// One rule of a quantised checkpoint: modules that match a pattern are stored in `format`.
struct QuantRule {
  std::string pattern;
  Format format = Format::Bf16;
};

/// How a checkpoint is quantised, as its config says.
struct Quantisation {
  std::string method;                 ///< fp8, modelopt, compressed-tensors, awq ...; empty = not
  std::optional<Format> linear;       ///< of every linear module that no rule or exclusion names
  std::vector<QuantRule> rules;       ///< first match wins, before `linear`
  std::vector<std::string> excluded;  ///< patterns of modules that stay in 16 bits
  bool experts_only = false;          ///< `linear` means the routed experts
  bool drops_mtp = false;             ///< the export leaves MTP layers out
  std::optional<Format> kv_cache;
};

/// Reads `quantization_config` (or `compression_config`) of the config, at the top or in its text
/// part, and `beside`: the hf_quant_config.json of ModelOpt, or null. Knows modelopt,
/// compressed-tensors, fp8 (per tensor and in blocks), fbgemm_fp8, awq, gptq, auto-round, mxfp4.
/// Errors: an unknown method, a width or group size that no format here has.
std::optional<Quantisation> read_quantisation(HfConfig& config, const hardware::SpecNode* beside);

/// The storage formats of all layers of a draft and of what stands outside them.
struct FormatSetting {
  std::vector<Formats> layers;
  Formats mtp{};
  Formats outer{};
  std::vector<std::string> notes;
};

/// Sets the formats; `base` is the checkpoint's 16-bit format. Nothing where there are so many
/// patterns for so many layers that it would take minutes.
std::optional<FormatSetting> set_formats(const HfDraft& draft, const Quantisation& quantisation,
                                         Format base);

/// Module names of a role in layer `index` of a draft ("layers.3.self_attn.q_proj"), most usual
/// first; empty where a role is never quantised.
std::vector<std::string> module_names(const ModuleNames& names, Role role,
                                      const std::string& layer);

}  // namespace fathom::model
