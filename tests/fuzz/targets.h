#pragma once

#include <array>
#include <string>
#include <string_view>

namespace fathom::test {

/// What a fuzz target found wrong with one input beside what the sanitizers see; empty = nothing.
using FuzzTarget = std::string (*)(std::string_view input);

/// A spec file: the tree, each reader of specs on it, and the round trip of a model.
std::string fuzz_spec_text(std::string_view input);

/// A config.json; behind a byte FF, which no JSON holds, its hf_quant_config.json. What is imported
/// must come back from its YAML.
std::string fuzz_hf_config(std::string_view input);

/// A .safetensors file; and a header behind 8 bytes that say how much data the file has.
std::string fuzz_safetensors_header(std::string_view input);

/// A model.safetensors.index.json.
std::string fuzz_safetensors_index(std::string_view input);

/// The first bytes of a GGUF file, as the whole of one and as the start of a larger one.
std::string fuzz_gguf_header(std::string_view input);

struct NamedFuzzTarget {
  std::string_view name;  ///< of the program, less `fuzz_`, and of the folder in tests/data/fuzz/
  FuzzTarget run = nullptr;
};

inline constexpr std::array<NamedFuzzTarget, 5> kFuzzTargets{{
    {"spec_text", fuzz_spec_text},
    {"hf_config", fuzz_hf_config},
    {"safetensors_header", fuzz_safetensors_header},
    {"safetensors_index", fuzz_safetensors_index},
    {"gguf_header", fuzz_gguf_header},
}};

}  // namespace fathom::test
