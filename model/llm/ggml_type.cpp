#include "model/llm/ggml_type.h"

#include <algorithm>
#include <array>

namespace fathom::model {
namespace {

/// Source: ggml.h (numbers) and ggml-common.h (block structures) of llama.cpp. Q8_1 and Q8_K are
/// for activations, Q1_0 and Q2_0 too new for a format of ours: a file may hold them all the same.
constexpr std::array<GgmlType, 35> kTypes{{
    {0, "F32", 1, 4, Format::Fp32},           {1, "F16", 1, 2, Format::Fp16},
    {2, "Q4_0", 32, 18, Format::Q4_0},        {3, "Q4_1", 32, 20, Format::Q4_1},
    {6, "Q5_0", 32, 22, Format::Q5_0},        {7, "Q5_1", 32, 24, Format::Q5_1},
    {8, "Q8_0", 32, 34, Format::Q8_0},        {9, "Q8_1", 32, 36, std::nullopt},
    {10, "Q2_K", 256, 84, Format::Q2K},       {11, "Q3_K", 256, 110, Format::Q3K},
    {12, "Q4_K", 256, 144, Format::Q4K},      {13, "Q5_K", 256, 176, Format::Q5K},
    {14, "Q6_K", 256, 210, Format::Q6K},      {15, "Q8_K", 256, 292, std::nullopt},
    {16, "IQ2_XXS", 256, 66, Format::Iq2Xxs}, {17, "IQ2_XS", 256, 74, Format::Iq2Xs},
    {18, "IQ3_XXS", 256, 98, Format::Iq3Xxs}, {19, "IQ1_S", 256, 50, Format::Iq1S},
    {20, "IQ4_NL", 32, 18, Format::Iq4Nl},    {21, "IQ3_S", 256, 110, Format::Iq3S},
    {22, "IQ2_S", 256, 82, Format::Iq2S},     {23, "IQ4_XS", 256, 136, Format::Iq4Xs},
    {24, "I8", 1, 1, std::nullopt},           {25, "I16", 1, 2, std::nullopt},
    {26, "I32", 1, 4, std::nullopt},          {27, "I64", 1, 8, std::nullopt},
    {28, "F64", 1, 8, std::nullopt},          {29, "IQ1_M", 256, 56, Format::Iq1M},
    {30, "BF16", 1, 2, Format::Bf16},         {34, "TQ1_0", 256, 54, Format::Tq1_0},
    {35, "TQ2_0", 256, 66, Format::Tq2_0},    {39, "MXFP4", 32, 17, Format::Mxfp4},
    {40, "NVFP4", 64, 36, Format::Nvfp4},     {41, "Q1_0", 128, 18, std::nullopt},
    {42, "Q2_0", 64, 18, std::nullopt},
}};

}  // namespace

const GgmlType* find_ggml_type(std::uint32_t id) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const GgmlType& type) { return type.id == id; });
  return found == kTypes.end() ? nullptr : &*found;
}

}  // namespace fathom::model
