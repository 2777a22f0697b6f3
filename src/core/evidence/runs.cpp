// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/runs.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::evidence {

namespace {

double mean_logarithm(std::span<const double> seconds) {
  double sum = 0;
  for (const double one : seconds) {
    THALWEG_ASSERT(normal, one > 0);
    sum += std::log(one);
  }
  return sum / static_cast<double>(seconds.size());
}

double squares(std::span<const double> seconds, double mean) {
  double sum = 0;
  for (const double one : seconds)
    sum += (std::log(one) - mean) * (std::log(one) - mean);
  return sum;
}

/// How much faster the candidate is, as a logarithm, and the standard error of that.
struct Difference {
  double mean;
  double error;
};

Difference difference(std::span<const double> incumbent, std::span<const double> candidate) {
  const auto before = static_cast<double>(incumbent.size());
  const auto after = static_cast<double>(candidate.size());
  const double mean_before = mean_logarithm(incumbent);
  const double mean_after = mean_logarithm(candidate);
  const double freedom = before + after - 2;
  const double spread =
      freedom < 1
          ? RunLimits::spread_unknown
          : std::max(RunLimits::spread_min,
                     std::sqrt((squares(incumbent, mean_before) + squares(candidate, mean_after)) / freedom));
  return {mean_before - mean_after, spread * std::sqrt(1 / before + 1 / after)};
}

} // namespace

Decision decide_runs(std::span<const double> incumbent, std::span<const double> candidate) {
  if (incumbent.empty() || candidate.empty())
    return Decision::open;
  const auto [mean, error] = difference(incumbent, candidate);
  if (mean >= std::log(Limits::gain) && mean >= RunLimits::errors_decisive * error)
    return Decision::surely_faster;
  const bool is_over = incumbent.size() + candidate.size() >= RunLimits::runs_max;
  return is_over || -mean >= RunLimits::errors_decisive * error ? Decision::surely_not : Decision::open;
}

bool candidate_is_next(std::span<const double> incumbent, std::span<const double> candidate) {
  if (candidate.empty())
    return true;
  if (incumbent.empty())
    return false;
  const auto [mean, error] = difference(incumbent, candidate);
  if (std::abs(mean) < error)
    return candidate.size() <= incumbent.size();
  const bool is_faster = mean > 0;
  const std::size_t faster = is_faster ? candidate.size() : incumbent.size();
  const std::size_t slower = is_faster ? incumbent.size() : candidate.size();
  return (faster < RunLimits::faster_per_slower * slower) == is_faster;
}

} // namespace thalweg::evidence
