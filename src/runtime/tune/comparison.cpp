// SPDX-License-Identifier: BSD-3-Clause
#include "tune/comparison.hpp"

#include <algorithm>

namespace thalweg::tune {

namespace {

// Wald's sequential test (Annals of Mathematical Statistics 16, 1945) of "wins half of the pairs" against
// "wins three of four", with errors of 1 in 20 and 1 in 10: logarithms of likelihood ratios.
constexpr double per_win = 0.405;   // ln(0.75 / 0.5)
constexpr double per_loss = -0.693; // ln(0.25 / 0.5)
constexpr double surely = 2.89;     // ln((1 - 0.1) / 0.05)
constexpr double hardly = -2.25;    // ln(0.1 / (1 - 0.05))
// Where it stays open for so long, the difference is not worth more pairs.
constexpr std::size_t max_pairs = 48;
constexpr double far_slower = 1.5;
// Nor does it take more pairs where all of so many are won by so much.
constexpr std::size_t pairs_far_faster = 4;
constexpr double far_faster = 1.25;
constexpr std::size_t pairs_decisive = 2;

} // namespace

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  const std::size_t middle = values.size() / 2;
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double typical(std::span<const double> values) {
  constexpr std::size_t few = 8;
  constexpr double longest = 8; // medians
  const double middle = median({values.begin(), values.end()});
  if (values.size() < few)
    return middle;
  double sum = 0;
  for (const double value : values)
    sum += std::min(value, longest * middle);
  return sum / static_cast<double>(values.size());
}

void Comparison::add(double incumbent, double candidate) {
  // The clock's grain: what takes no time at all is not faster than itself.
  const double floor = 1e-9;
  ratios_.push_back(std::max(incumbent, floor) / std::max(candidate, floor));
  if (ratios_.back() <= 1)
    ++losses_;
}

double Comparison::ratio() const {
  return median(ratios_);
}

ComparisonState Comparison::verdict() const {
  if (ratios_.empty())
    return ComparisonState::open;
  const std::size_t pairs = ratios_.size();
  const bool has_won = losses_ < pairs;
  if (!has_won && ratio() * far_slower < 1)
    return ComparisonState::far_off;
  const double lowest = std::ranges::min(ratios_);
  if ((pairs >= pairs_far_faster && lowest >= far_faster) || (pairs >= pairs_decisive && lowest >= decisive))
    return ComparisonState::faster;
  const double evidence =
      static_cast<double>(pairs - losses_) * per_win + static_cast<double>(losses_) * per_loss;
  if (evidence >= surely)
    return ratio() >= worth_ ? ComparisonState::faster : ComparisonState::no_gain;
  return evidence <= hardly || pairs == max_pairs ? ComparisonState::no_gain : ComparisonState::open;
}

} // namespace thalweg::tune
