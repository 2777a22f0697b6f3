// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What learning may cost: a share of the time that it learns about. What one learner earns, others may spend,
// but for none does learning take more than a small share of its own calls' time. And how many calls a round
// has, so that it tells enough for what it costs.

#include "evidence/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace thalweg::tune {

/// What several learners earn and spend together. Theirs must be the same calls in the same order on all
/// ranks, so that all ranks hold it equal.
struct ExplorationBudget {
  double total_seconds = 0;
  double spent_seconds = 0;
};

struct LearningLimits {
  double budget = 0.02; ///< of the time in the calls that the exploration budget knows
  ExplorationBudget* exploration_budget = nullptr; ///< borrowed; one of its own where null
  std::uint32_t first_calls = 8;                   ///< at least, before anything is measured
  double min_seconds = 0; ///< that a call is sure to take, or 0: to begin with, that is all that is known
  double agreement_seconds = 0;          ///< an agreement is thought to take, before there was one
  double ready_seconds = 0;              ///< what has to be done before the first one is thought to take
  std::uint32_t calls_seen = 256;        ///< before anything is tried, or
  double seconds_seen = 0.02;            ///< in such calls, whichever comes first
  std::uint32_t patience = 8;            ///< candidates in a row without gain that end the search
  double hopeless = 3;                   ///< predicted to take so many times the best one's time: not tried
  double worth = evidence::Limits::gain; ///< times faster, or it is not worth a change
  std::uint32_t batches = 1;             ///< batches of candidates that there are, each with those before it
  double wider = 4;                      ///< times the cost of a batch that the next one is expected to have
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
  static constexpr double own_shares = 2.5; ///< that a learner may spend of its own time

  /// Seconds of calls that have to come before that can be spent.
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

/// What happens next.
struct Round {
  enum class Kind {
    run,     ///< `incumbent_calls` of the incumbent, not measured
    measure, ///< incumbent's and candidate's calls, measured; then Learner::measured()
    order,   ///< candidates are wanted before the next call: Learner::add_candidates()
  };
  Kind kind = Kind::run;
  std::uint32_t incumbent_calls = 0;
  std::uint32_t candidate_calls = 0;
  std::uint32_t settling = 0; ///< the first so many of each and the last one are transitions and tell nothing

  /// Of the figures of one side's calls those that tell something.
  std::span<const double> counted(std::span<const double> seconds) const;
};

/// What a call and an agreement take, as far as is known, and how many calls of a candidate a round has by
/// that. One that is not `is_fresh` was not measured in this search: a round with it is a first look, in
/// fewer calls, which also warm up what it needs.
class RoundLengths {
public:
  explicit RoundLengths(const LearningLimits& limits)
      : limits_(limits), agreement_seconds_(limits.agreement_seconds) {}

  /// A call of the incumbent, lately; 0: not known.
  double call_seconds() const { return call_seconds_; }
  double agreement_seconds() const { return agreement_seconds_; }
  void set_call(double seconds) { call_seconds_ = seconds; }
  void set_agreement(double seconds) { agreement_seconds_ = seconds; }

  /// Calls before the first that are measured: so many that they pay for the first agreement.
  std::uint32_t first_calls() const;
  /// Calls that are still to be counted behind `calls` before anything is tried: what was not called for long
  /// will perhaps not be called for long.
  std::uint32_t calls_to_count(std::uint64_t calls) const;
  /// Calls of each side that follow one another, and calls of each before them.
  std::uint32_t row(bool is_fresh) const;
  std::uint32_t settling(bool is_fresh) const;
  /// All calls of a side: these, and the last one.
  std::uint32_t calls(bool is_fresh) const { return settling(is_fresh) + row(is_fresh) + 1; }
  /// What a round takes more than the incumbent's calls, where the candidate's are expected to take so long.
  double excess(double expected_seconds, bool is_fresh) const;

private:
  LearningLimits limits_;
  double call_seconds_ = 0;
  double agreement_seconds_; ///< of the last one
};

} // namespace thalweg::tune
