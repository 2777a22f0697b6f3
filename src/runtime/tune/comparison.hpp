// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which of two is faster, from measurements taken in pairs, one after the other: a sequential sign test.
// Nothing is assumed of how times are distributed, and a disturbance that lasts longer than a pair disturbs
// both.

#include <cstddef>
#include <span>
#include <vector>

namespace thalweg::tune {

enum class ComparisonState {
  open,    // more pairs are needed
  faster,  // the candidate is surely faster, and by enough
  no_gain, // it is not
  far_off, // the first pairs say that it is much slower
};

class Comparison {
public:
  /// Two pairs in which the candidate is so many times as fast are enough.
  static constexpr double decisive = 3;

  /// `worth`: how many times faster the candidate must be to be worth a change.
  explicit Comparison(double worth = 1.03) : worth_(worth) {}

  /// A pair's times; seconds.
  void add(double incumbent, double candidate);
  ComparisonState verdict() const;

  std::size_t pairs() const { return ratios_.size(); }
  /// The median of incumbent / candidate; 0 before the first pair.
  double ratio() const;

private:
  double worth_;
  std::size_t losses_ = 0;
  std::vector<double> ratios_; // incumbent / candidate
};

/// The middle one, or the mean of the middle two; 0 of nothing.
double median(std::vector<double> values);

/// What one of them takes: of few the median; of more the mean, for where ranks share cores a call may be
/// long and let the next ones be short, but disturbances from elsewhere count for no more than such a call.
double typical(std::span<const double> values);

} // namespace thalweg::tune
