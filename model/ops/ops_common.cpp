#include "model/ops/ops_common.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {

using hardware::Bytes;
using hardware::Collective;
using hardware::Flop;
using hardware::KernelClass;
using hardware::Work;

Work gemm(const OpsContext& context, const LocalTensor& weight, double tokens) {
  Work work;
  work.kernel_class = KernelClass::Gemm;
  work.format = weight.format;
  work.arithmetic = context.arithmetic[static_cast<std::size_t>(weight.format)];
  work.rows = tokens;
  work.kernels = 1;
  work.activation_bytes = Bytes(tokens * number(weight.columns) * kActivationBytes);
  fuse(work, weight, tokens);
  return work;
}

void fuse(Work& work, const LocalTensor& weight, double tokens) {
  const double outputs = number(weight.rows) * number(weight.count);
  work.weight_bytes += weight.bytes;
  work.flop += Flop(2 * tokens * outputs * number(weight.columns));
  work.activation_bytes += Bytes(tokens * outputs * kActivationBytes);
}

Work small(double kernels, double elements) {
  Work work;
  work.kernel_class = KernelClass::Elementwise;
  work.kernels = kernels;
  work.activation_bytes = Bytes(elements * kActivationBytes);
  return work;
}

Work message(Collective collective, Count ranks, double bytes) {
  Work work;
  work.kernels = 1;
  work.collective = collective;
  work.ranks = static_cast<int>(ranks);
  work.message = Bytes(bytes);
  return work;
}

bool quantises(const OpsContext& context, Format format) {
  const auto arithmetic = context.arithmetic[static_cast<std::size_t>(format)];
  return arithmetic != hardware::Arithmetic::Bf16 && arithmetic != hardware::Arithmetic::Fp32;
}

double chunked_pairs(double new_tokens, double context, double chunk) {
  // Sum over positions p = P+1 .. P+q of ((p - 1) mod chunk) + 1, from whole chunks and a rest.
  const auto up_to = [chunk](double position) {
    const double whole = std::floor(position / chunk);
    const double rest = position - whole * chunk;
    return whole * chunk * (chunk + 1) / 2 + rest * (rest + 1) / 2;
  };
  return up_to(context + new_tokens) - up_to(context);
}

double attended_pairs(double new_tokens, double context, double limit) {
  const double q = new_tokens;
  const double full = q * context + q * (q + 1) / 2;
  if (limit <= 0 || context + q <= limit) {
    return full;
  }
  // Whole tokens that see fewer than the limit: at a fractional context the next sees the limit.
  const double growing = std::floor(std::clamp(limit - context, 0.0, q));
  return growing * context + growing * (growing + 1) / 2 + (q - growing) * limit;
}

}  // namespace fathom::model
