#pragma once

// What learning may cost: a share of the time that it learns about.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace thalweg::tune {

/// What several learners earn and spend together. Theirs must be the same calls in the same order on all
/// ranks, so that all ranks hold it equal.
struct ExplorationBudget {
  double advance_seconds = 0; ///< may be spent before it is earned: once, it is too little to matter
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

  bool affords(double cost) const {
    const ExplorationBudget held = exploration_budget();
    return held.spent_seconds + cost <= share_ * held.total_seconds + held.advance_seconds;
  }
  /// Calls of so many seconds until `cost` can be afforded, within bounds, so that agreed figures are looked
  /// at now and then and yet not all the time.
  std::uint32_t calls_until(double cost, double seconds_per_call) const {
    constexpr double lowest = 8;
    constexpr double limit = 4096;
    const ExplorationBudget held = exploration_budget();
    const double missing = (held.spent_seconds + cost - held.advance_seconds) / share_ - held.total_seconds;
    return static_cast<std::uint32_t>(
        std::clamp(std::ceil(missing / std::max(seconds_per_call, 1e-9)), lowest, limit));
  }

  /// Of this learner alone.
  double total_seconds() const { return total_; }
  double spent_seconds() const { return spent_; }

private:
  ExplorationBudget exploration_budget() const {
    return exploration_budget_ == nullptr ? ExplorationBudget{0, total_, spent_} : *exploration_budget_;
  }

  double share_;
  ExplorationBudget* exploration_budget_;
  double total_ = 0;
  double spent_ = 0;
};

} // namespace thalweg::tune
