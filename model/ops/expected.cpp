#include "model/ops/build_ops.h"

#include <algorithm>
#include <cmath>

namespace fathom::model {
namespace {

/// Normal score of the largest of n: Blom's plotting position through the logistic-free rational
/// inverse below. Source: G. Blom, Statistical Estimates and Transformed Beta-Variables (1958).
double blom_score(double n) {
  const double p = (n - 0.375) / (n + 0.25);
  // Upper-tail inverse of the normal distribution, Abramowitz and Stegun 26.2.23, |error| < 4.5e-4.
  const double t = std::sqrt(-2.0 * std::log(1.0 - p));
  const double numerator = 2.515517 + t * (0.802853 + t * 0.010328);
  const double denominator = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return t - numerator / denominator;
}

/// C(a, k) / C(b, k) for a < b without large numbers.
double choose_ratio(double a, double b, double k) {
  double ratio = 1;
  for (double i = 0; i < k; i += 1) {
    ratio *= std::max(0.0, a - i) / (b - i);
  }
  return ratio;
}

}  // namespace

double distinct_experts(double experts, double top_k, double tokens) {
  if (tokens <= 0) {
    return 0;
  }
  if (top_k >= experts) {
    return experts;
  }
  return -experts * std::expm1(tokens * std::log1p(-top_k / experts));
}

double fullest_over_mean(double mean, double sigma, double ranks) {
  if (ranks <= 1 || mean <= 0) {
    return 1;
  }
  return std::min(ranks, 1 + blom_score(ranks) * sigma / mean);
}

double exchange_bytes_per_token(double hidden, double experts, double top_k, double ranks,
                                double dispatch_bytes, double combine_bytes,
                                ExchangeConvention convention) {
  const double copy = hidden * (dispatch_bytes + combine_bytes) / ranks;
  switch (convention) {
    case ExchangeConvention::WithSelfSends:
      return copy * top_k;
    case ExchangeConvention::OffRank:
      return copy * top_k * (ranks - 1) / ranks;
    case ExchangeConvention::Deduplicated:
      return copy * (ranks - 1) * (1 - choose_ratio(experts - experts / ranks, experts, top_k));
  }
  return 0;
}

double all_reduce_bytes_per_token(double hidden, double ranks, double element_bytes) {
  return 2 * (ranks - 1) / ranks * hidden * element_bytes;
}

}  // namespace fathom::model
