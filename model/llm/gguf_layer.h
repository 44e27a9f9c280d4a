#pragma once

#include "model/llm/gguf_block.h"
#include "model/llm/gguf_fields.h"

#include <span>
#include <string_view>

namespace fathom::model {

/// What an architecture's tensors and metadata do not say, as llama.cpp has it.
struct GgufArchitecture {
  std::string_view name;  ///< general.architecture
  Count period = 0;       ///< every so many-th layer attends in full, the others in a window
  Count window = 0;       ///< where the file names none; 0 = then there are no windows
  bool window_needed = false;
  bool chunked = false;   ///< the window is a chunk
  bool parallel = false;  ///< attention and FFN read one norm
};

/// All architectures; source: llama.cpp, src/llama-arch.cpp and src/models.
std::span<const GgufArchitecture> gguf_architectures();

/// One block and what its builders read.
struct GgufLayer {
  GgufFields* fields = nullptr;
  GgufBlock* block = nullptr;
  const GgufArchitecture* architecture = nullptr;
  Count hidden = 0;
  Count index = 0;
};

// What the tensors of a block make it. Each takes its tensors.
Attention build_gguf_attention(const GgufLayer& layer);
Attention build_gguf_recurrent(const GgufLayer& layer);
Mlp build_gguf_mlp(const GgufLayer& layer);

}  // namespace fathom::model
