#pragma once

// What learning may cost: a share of the time that it learns about.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace thalweg::tune {

class LearningBudget {
public:
  explicit LearningBudget(double share) : share_(share) {}

  /// Time in calls, whether they were measured or are taken to be like those that were.
  void add_time(double seconds) { total_ += seconds; }
  /// What would not have been spent without learning.
  void spend(double seconds) { spent_ += std::max(0.0, seconds); }

  bool affords(double cost) const { return spent_ + cost <= share_ * total_; }
  /// Calls of so many seconds until `cost` can be afforded, within bounds, so that agreed figures are looked
  /// at now and then and yet not all the time.
  std::uint32_t calls_until(double cost, double seconds_per_call) const {
    constexpr double fewest = 8;
    constexpr double most = 4096;
    const double missing = (spent_ + cost) / share_ - total_;
    return static_cast<std::uint32_t>(
        std::clamp(std::ceil(missing / std::max(seconds_per_call, 1e-9)), fewest, most));
  }

  double total_seconds() const { return total_; }
  double spent_seconds() const { return spent_; }

private:
  double share_;
  double total_ = 0;
  double spent_ = 0;
};

} // namespace thalweg::tune
