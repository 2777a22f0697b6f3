// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What runs a team's calls that block, as far as it is learned while the program runs.
//
// A call is learned about where all ranks wait for all others in it, so that ranks may agree at its end: no
// rank then waits for another one that it would not have waited for. Calls are alike where operation, mode
// and class of sizes are. tune/learner.hpp says how candidates are compared, and what that may cost.

#include "job/library/group.hpp"
#include "team/call.hpp"
#include "tune/learner.hpp"
#include "tune/tuning_file.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace thalweg::teams {

class Plans;

/// What ranks take the maxima of. Collective; waits while others go on.
using Maximize = std::function<void(std::span<double>)>;

/// What is learned of calls that are alike.
class LearnedCalls {
public:
  LearnedCalls(const tune::LearningLimits& limits, double ordering_seconds, bool is_known);

  const Learned* next();
  bool is_measured() const { return round_.kind == tune::Round::Kind::measure; }
  bool has_round_ended() const { return calls_left_ == 0; }
  void arrived(double seconds) { arrivals_.push_back(seconds); }
  void departed(double seconds) { departures_.push_back(seconds); }
  void add_bytes(std::size_t unit_bytes) { bytes_ = static_cast<std::int64_t>(unit_bytes); }

  /// After the last call of a round that was measured. False where ranks have gone different ways.
  bool agree(const Maximize& maximize, bool is_on_one_node);
  /// Begins the next round. `order` adds candidates to the learner.
  void open(const std::function<void(LearnedCalls&)>& order);
  void add_candidates(std::span<const tune::PredictedCandidate> candidates, const strategies::Call& call,
                      double seconds);

  const tune::Learner& learner() const { return learner_; }
  /// Of a unit, of the latest call.
  std::int64_t bytes() const { return bytes_; }

private:
  std::vector<double> figures(bool is_on_one_node) const;

  tune::Learner learner_;
  std::vector<std::unique_ptr<Learned>> trials_; ///< by trial; null: what is chosen without learning
  tune::Round round_;
  std::uint32_t calls_left_ = 0;
  std::vector<double> arrivals_;
  std::vector<double> departures_;
  double agreement_seconds_ = 0; ///< of this rank, for the last one
  std::int64_t bytes_ = 0;
};

class Learning {
public:
  /// All outlive it.
  Learning(const job::Group& group, Plans& plans, Maximize maximize);

  /// Before each call that blocks: what it is to run; null: what is chosen without learning.
  const Learned* choose(const TeamCall& call, bool commutes);
  /// Behind it.
  void ended();
  /// What is chosen without learning has changed.
  void forget();
  /// Keeps what was found in the tuning file.
  void keep() const;

private:
  struct Kind {
    schedule::Operation operation;
    std::size_t mode;
    int size_class;
    bool commutes;
    auto operator<=>(const Kind&) const = default;
  };
  LearnedCalls& calls_of(const Kind& kind, const TeamCall& call, bool commutes);
  void order(LearnedCalls& calls, const TeamCall& call, bool commutes) const;
  void stop() { is_on_ = false; }

  const job::Group& group_;
  Plans& plans_;
  Maximize maximize_;
  bool is_on_;
  bool takes_all_; ///< also those whose digits may change
  tune::ExplorationBudget budget_;
  std::map<Kind, std::unique_ptr<LearnedCalls>> known_;
  LearnedCalls* under_way_ = nullptr;
};

} // namespace thalweg::teams
