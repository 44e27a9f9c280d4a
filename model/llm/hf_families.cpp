#include "model/llm/hf_draft.h"

#include <array>

namespace fathom::model {
namespace {

constexpr std::string_view kDense =
    "hidden_size, num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim, "
    "intermediate_size, vocab_size, tie_word_embeddings";
constexpr std::string_view kMoe =
    "those of a dense model, num_experts, num_experts_per_tok, moe_intermediate_size";
constexpr std::string_view kLatent =
    "those of a mixture of experts, q_lora_rank, kv_lora_rank, qk_nope_head_dim, "
    "qk_rope_head_dim, v_head_dim";
constexpr std::string_view kHybrid =
    "those of a dense model, the shape of the recurrent mixer, which layers attend";

}  // namespace

const std::vector<HfFamily>& hf_families() {
  static const std::vector<HfFamily> kFamilies{
      {"llama granite baichuan yi Yi exaone", build_llama, kDense},
      {"mistral ministral ministral3", build_mistral, kDense},
      {"qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text", build_qwen2,
       kDense},
      {"qwen3 qwen3_vl_text", build_qwen3, kDense},
      {"internlm2 internlm3", build_internlm, kDense},
      {"seed_oss", build_seed_oss, kDense},
      {"smollm3", build_smollm3, kDense},
      {"glm glm4", build_glm4, kDense},
      {"chatglm", build_chatglm, kDense},
      {"olmo2 olmo3 olmoe", build_olmo, kDense},
      {"mimo", build_mimo, kDense},
      {"phi3", build_phi3, kDense},
      {"gemma", build_gemma, kDense},
      {"gemma2", build_gemma2, kDense},
      {"gemma3 gemma3_text", build_gemma3, kDense},
      {"gemma4 gemma4_text", build_gemma4, kDense},
      {"cohere cohere2", build_cohere, kDense},
      {"falcon RefinedWeb RefinedWebModel", build_falcon, kDense},
      {"nemotron-nas", build_nemotron_nas, kDense},
      {"mixtral", build_mixtral, kMoe},
      {"dbrx", build_dbrx, kMoe},
      {"grok-1 grok-2 grok", build_grok, kMoe},
      {"qwen2_moe qwen3_moe qwen3_vl_moe_text qwen3_omni_moe_text", build_qwen_moe, kMoe},
      {"phimoe", build_phimoe, kMoe},
      {"gpt_oss", build_gpt_oss, kMoe},
      {"hunyuan hunyuan_v1_moe", build_hunyuan, kMoe},
      {"ernie4_5_moe", build_ernie, kMoe},
      {"glm4_moe", build_glm4_moe, kMoe},
      {"dots1", build_dots, kMoe},
      {"llama4 llama4_text", build_llama4, kMoe},
      {"step3_text", build_step3, kMoe},
      {"step3p5", build_step35, kMoe},
      {"granitemoe", build_granite_moe, kMoe},
      {"mimo_v2_flash", build_mimo_v2, kMoe},
      {"minimax_m1 minimax minimax_text_01", build_minimax_m1, kHybrid},
      {"minimax_m2", build_minimax_m2, kMoe},
      {"minimax_m3", build_minimax_m3, kMoe},
      {"deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 glm_moe_dsa glm4_moe_lite", build_deepseek,
       kLatent},
      {"deepseek_v4", build_deepseek_v4, kLatent},
      {"longcat_flash", build_longcat, kLatent},
      {"mistral_native", build_mistral_native, kLatent},
      {"qwen3_next qwen3_5_text qwen3_5_moe_text qwen3_5 qwen3_5_moe", build_qwen_next, kHybrid},
      {"kimi_linear", build_kimi_linear, kHybrid},
      {"jamba", build_jamba, kHybrid},
      {"bamba", build_bamba, kHybrid},
      {"granitemoehybrid", build_granite_hybrid, kHybrid},
      {"nemotron_h", build_nemotron_h, kHybrid},
      // Known by name, and refused: what they add is not counted here.
      {"mllama mllama_text_model", nullptr,
       "those of a dense model, cross_attention_layers and the size of what those layers attend "
       "to"},
      {"gemma3n gemma3n_text", nullptr,
       "those of a dense model, altup_num_inputs, laurel_rank, num_kv_shared_layers, "
       "hidden_size_per_layer_input, intermediate_size of each layer"},
      {"phi4mm", nullptr, "those of a dense model, the ranks of vision_lora and speech_lora"},
      {"qwen", nullptr,
       "those of a dense model; its intermediate_size is twice the width of the FFN"},
      {"hunyuan_v1_dense exaone4 glm4v_text glm4v_moe_text", nullptr, kDense},
      {"starcoder2 gpt2 gpt_bigcode gpt_neox gptj opt bloom mpt phi stablelm nemotron", nullptr,
       "those of a dense model, which projections and norms have a bias, whether the FFN is gated"},
  };
  return kFamilies;
}

std::string_view type_of_class(std::string_view architecture) {
  struct Row {
    std::string_view architecture;
    std::string_view type;
  };
  static constexpr std::array<Row, 11> kRows{{{"LlamaForCausalLM", "llama"},
                                              {"YiForCausalLM", "yi"},
                                              {"MistralForCausalLM", "mistral"},
                                              {"MixtralForCausalLM", "mixtral"},
                                              {"Qwen2ForCausalLM", "qwen2"},
                                              {"Qwen3ForCausalLM", "qwen3"},
                                              {"Qwen3MoeForCausalLM", "qwen3_moe"},
                                              {"DeepseekV2ForCausalLM", "deepseek_v2"},
                                              {"DeepseekV3ForCausalLM", "deepseek_v3"},
                                              {"Grok1ForCausalLM", "grok-1"},
                                              {"Grok1ModelForCausalLM", "grok-1"}}};
  for (const Row& row : kRows) {
    if (row.architecture == architecture) {
      return row.type;
    }
  }
  return {};
}

}  // namespace fathom::model
