// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What learning may cost: a share of the time that it learns about. What one learner earns, others may spend,
// but for none does learning take more than a small share of its own calls' time.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace thalweg::tune {

/// What several learners earn and spend together. Theirs must be the same calls in the same order on all
/// ranks, so that all ranks hold it equal.
struct ExplorationBudget {
  double total_seconds = 0;
  double spent_seconds = 0;
};

/// One learner's part in an exploration budget.
class LearningBudget {
public:
  /// `exploration_budget` is borrowed for life; where it is null, the learner has one of its own.
  explicit LearningBudget(double share, ExplorationBudget* exploration_budget = nullptr)
      : share_(share), exploration_budget_(exploration_budget) {}

  /// Time in calls, whether they were measured or are taken to be like those that were.
  void add_time(double seconds) {
    total_ += seconds;
    if (exploration_budget_ != nullptr)
      exploration_budget_->total_seconds += seconds;
  }
  /// What would not have been spent without learning.
  void spend(double seconds) {
    spent_ += std::max(0.0, seconds);
    if (exploration_budget_ != nullptr)
      exploration_budget_->spent_seconds += std::max(0.0, seconds);
  }

  bool affords(double cost) const { return missing(cost) <= 0; }
  /// Calls of so many seconds until `cost` can be afforded, within bounds, so that agreed figures are looked
  /// at now and then and yet not all the time.
  std::uint32_t calls_until(double cost, double seconds_per_call) const {
    constexpr double lowest = 8;
    constexpr double limit = 4096;
    return static_cast<std::uint32_t>(
        std::clamp(std::ceil(missing(cost) / std::max(seconds_per_call, 1e-9)), lowest, limit));
  }

  /// Of this learner alone.
  double total_seconds() const { return total_; }
  double spent_seconds() const { return spent_; }

private:
  static constexpr double own_shares = 2.5; // that a learner may spend of its own time

  // Seconds of calls that have to come before that can be spent.
  double missing(double cost) const {
    const double own = (spent_ + cost) / (own_shares * share_) - total_;
    if (exploration_budget_ == nullptr)
      return std::max(own, (spent_ + cost) / share_ - total_);
    return std::max(own, (exploration_budget_->spent_seconds + cost) / share_ -
                             exploration_budget_->total_seconds);
  }

  double share_;
  ExplorationBudget* exploration_budget_;
  double total_ = 0;
  double spent_ = 0;
};

} // namespace thalweg::tune
