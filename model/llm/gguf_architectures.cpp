#include "model/llm/gguf_layer.h"

#include <array>

namespace fathom::model {
namespace {

constexpr std::array<GgufArchitecture, 54> kArchitectures{{
    {.name = "llama"},
    {.name = "mistral"},
    {.name = "mistral3"},
    {.name = "llama4", .period = 4, .window = 8192, .chunked = true},
    {.name = "qwen2"},
    {.name = "qwen2vl"},
    {.name = "qwen2moe"},
    {.name = "qwen3"},
    {.name = "qwen3vl"},
    {.name = "qwen3moe"},
    {.name = "qwen3vlmoe"},
    {.name = "qwen3next"},
    {.name = "qwen35"},
    {.name = "qwen35moe"},
    {.name = "gemma"},
    {.name = "gemma2", .period = 2, .window = 4096},
    {.name = "gemma3", .period = 6},
    {.name = "gemma4", .window_needed = true},
    {.name = "phi3"},
    {.name = "deepseek"},
    {.name = "deepseek2"},
    {.name = "deepseek32"},
    {.name = "glm-dsa"},
    {.name = "glm4"},
    {.name = "glm4moe"},
    {.name = "gpt-oss", .period = 2, .window_needed = true},
    {.name = "command-r", .parallel = true},
    {.name = "cohere2", .period = 4, .window_needed = true, .parallel = true},
    {.name = "falcon", .parallel = true},
    {.name = "granite"},
    {.name = "granitemoe"},
    {.name = "granitehybrid"},
    {.name = "nemotron"},
    {.name = "nemotron_h"},
    {.name = "nemotron_h_moe"},
    {.name = "jamba"},
    {.name = "olmo2", .period = 4},
    {.name = "olmoe"},
    {.name = "dbrx"},
    {.name = "internlm2"},
    {.name = "starcoder2"},
    {.name = "exaone"},
    {.name = "exaone4", .period = 4},
    {.name = "dots1"},
    {.name = "ernie4_5"},
    {.name = "ernie4_5-moe"},
    {.name = "hunyuan-dense"},
    {.name = "hunyuan-moe"},
    {.name = "seed_oss"},
    {.name = "smollm3"},
    {.name = "arcee"},
    {.name = "minimax-m2"},
    {.name = "mimo2", .window_needed = true},
    {.name = "kimi-linear"},
}};

}  // namespace

std::span<const GgufArchitecture> gguf_architectures() { return kArchitectures; }

}  // namespace fathom::model
