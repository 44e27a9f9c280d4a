#pragma once

#include "model/ops/build_ops.h"

#include <cmath>

namespace fathom::model {

/// Activations and logits are 16-bit between kernels.
inline constexpr double kActivationBytes = 2;

inline double number(Count count) { return static_cast<double>(count); }

/// One GEMM of `tokens` rows with a rank's part of a tensor: 2*m*n*k FLOP, weights once,
/// inputs and outputs once.
hardware::Work gemm(const OpsContext& context, const LocalTensor& weight, double tokens);

/// Adds the weights, FLOP and outputs of a second tensor that the same kernel reads (fused QKV,
/// gate and up); the input is counted once.
void fuse(hardware::Work& work, const LocalTensor& weight, double tokens);

/// A run of small kernels that moves `elements` 16-bit values.
hardware::Work small(double kernels, double elements);

/// A message of the full tensor `bytes` among `ranks`.
hardware::Work message(hardware::Collective collective, Count ranks, double bytes);

/// True where a GEMM with this weight format wants its input quantised first.
bool quantises(const OpsContext& context, Format format);

/// Sum over the new tokens of a sequence of the positions each attends to:
/// sum_{i=1..q} min(P + i, limit); limit 0 = none. Fractions are interpolated.
double attended_pairs(double new_tokens, double context, double limit);

/// The same where attention restarts at each multiple of `chunk`.
double chunked_pairs(double new_tokens, double context, double chunk);

}  // namespace fathom::model
