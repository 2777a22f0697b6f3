// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/evidence.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace thalweg::evidence {

namespace {

// Logarithms of likelihood ratios, and where they decide.
const double per_win = std::log(Limits::wins_of_better / Limits::wins_of_equals);
const double per_loss = std::log((1 - Limits::wins_of_better) / (1 - Limits::wins_of_equals));
const double surely = std::log((1 - Limits::error_missed) / Limits::error_faster);
const double hardly = std::log(Limits::error_missed / (1 - Limits::error_faster));

/// Student's t for 3, 4, … rounds: by chance alone the mean is above it once in two hundred times.
constexpr std::array t_min = {9.92, 5.84, 4.60};
constexpr std::size_t t_rounds_min = 3;

/// How surely the candidate is faster, of few rounds: the mean logarithm over its standard error.
double t_of(std::span<const double> ratios) {
  constexpr double ratio_min = 1e-3;
  double sum = 0;
  double squares = 0;
  for (const double ratio : ratios) {
    const double log = std::log(std::max(ratio, ratio_min));
    sum += log;
    squares += log * log;
  }
  const auto count = static_cast<double>(ratios.size());
  const double variance = std::max(0.0, (squares - sum * sum / count) / (count - 1));
  return sum / count / (std::max(Limits::spread_min, std::sqrt(variance)) / std::sqrt(count));
}

/// Rounds that there must be so that so many losses are outweighed.
constexpr int rounds_needed(int losses) {
  return Limits::rounds_without_loss + Limits::rounds_per_loss * losses;
}

} // namespace

void SequentialTest::add(double incumbent_seconds, double candidate_seconds) {
  constexpr double grain_seconds = 1e-9;
  ratios_.push_back(std::max(incumbent_seconds, grain_seconds) / std::max(candidate_seconds, grain_seconds));
  if (ratios_.back() <= 1)
    ++losses_;
}

double SequentialTest::ratio() const {
  return median(ratios_);
}

bool SequentialTest::is_far_slower() const {
  return !ratios_.empty() && losses_ == ratios_.size() && ratio() * Limits::far_slower < 1;
}

Decision SequentialTest::decision() const {
  if (ratios_.empty())
    return Decision::open;
  if (is_far_slower())
    return Decision::surely_not;
  const std::size_t pairs = ratios_.size();
  const double lowest = std::ranges::min(ratios_);
  if ((pairs >= Limits::pairs_far_faster && lowest >= Limits::far_faster) ||
      (pairs >= Limits::pairs_decisive && lowest >= Limits::decisive))
    return Decision::surely_faster;
  const double evidence =
      static_cast<double>(pairs - losses_) * per_win + static_cast<double>(losses_) * per_loss;
  if (evidence >= surely)
    return ratio() >= gain_ ? Decision::surely_faster : Decision::surely_not;
  return evidence <= hardly || pairs == Limits::pairs_max ? Decision::surely_not : Decision::open;
}

Decision decide_rounds(std::span<const double> ratios) {
  const auto rounds = static_cast<int>(ratios.size());
  const int losses = rounds - wins(ratios);
  if (losses > Limits::losses_max)
    return Decision::surely_not;
  const std::size_t few = ratios.size() - t_rounds_min;
  const bool is_clear =
      ratios.size() >= t_rounds_min && few < t_min.size() && std::abs(t_of(ratios)) > t_min[few];
  if (rounds < rounds_needed(losses) && !is_clear)
    return Decision::open;
  return median(ratios) >= Limits::gain ? Decision::surely_faster : Decision::surely_not;
}

int rounds_max() {
  return rounds_needed(Limits::losses_max);
}

int wins(std::span<const double> ratios) {
  return static_cast<int>(std::ranges::count_if(ratios, [](double ratio) { return ratio > 1; }));
}

Decision decide_minima(double incumbent_seconds, double candidate_seconds) {
  return candidate_seconds * Limits::gain < incumbent_seconds ? Decision::surely_faster
                                                              : Decision::surely_not;
}

bool pays(const Change& change, double hysteresis) {
  THALWEG_ASSERT(normal, hysteresis >= 0);
  return hysteresis * change.cost_seconds + change.after_seconds < change.before_seconds;
}

double median(std::span<const double> values) {
  if (values.empty())
    return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const std::size_t middle = sorted.size() / 2;
  std::ranges::sort(sorted);
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double typical(std::span<const double> values) {
  constexpr std::size_t few = 8;
  constexpr double longest = 8; // medians
  const double middle = median(values);
  if (values.size() < few)
    return middle;
  double sum = 0;
  for (const double value : values)
    sum += std::min(value, longest * middle);
  return sum / static_cast<double>(values.size());
}

} // namespace thalweg::evidence
