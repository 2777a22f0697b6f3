#pragma once

// What learning may cost: a share of the time that it learns about.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace thalweg::tune {

/// What may be spent before it is earned, by all budgets that share it: once, it is too little to matter.
struct Advance {
  double left_seconds = 0;
};

class LearningBudget {
public:
  /// `advance` may be null, and is borrowed for life.
  explicit LearningBudget(double share, Advance* advance = nullptr) : share_(share), advance_(advance) {}

  /// Time in calls, whether they were measured or are taken to be like those that were.
  void add_time(double seconds) {
    total_ += seconds;
    draw();
  }
  /// What would not have been spent without learning.
  void spend(double seconds) {
    spent_ += std::max(0.0, seconds);
    draw();
  }

  bool affords(double cost) const { return spent_ + cost <= share_ * total_ + credit(); }
  /// Calls of so many seconds until `cost` can be afforded, within bounds, so that agreed figures are looked
  /// at now and then and yet not all the time.
  std::uint32_t calls_until(double cost, double seconds_per_call) const {
    constexpr double fewest = 8;
    constexpr double most = 4096;
    const double missing = (spent_ + cost - credit()) / share_ - total_;
    return static_cast<std::uint32_t>(
        std::clamp(std::ceil(missing / std::max(seconds_per_call, 1e-9)), fewest, most));
  }

  double total_seconds() const { return total_; }
  double spent_seconds() const { return spent_; }

private:
  double credit() const { return advance_ == nullptr ? 0 : drawn_ + std::max(0.0, advance_->left_seconds); }
  // Takes from the advance what is not earned yet, and gives it back once it is.
  void draw() {
    if (advance_ == nullptr)
      return;
    const double wanted = std::max(0.0, spent_ - share_ * total_);
    advance_->left_seconds -= wanted - drawn_;
    drawn_ = wanted;
  }

  double share_;
  Advance* advance_;
  double drawn_ = 0;
  double total_ = 0;
  double spent_ = 0;
};

} // namespace thalweg::tune
