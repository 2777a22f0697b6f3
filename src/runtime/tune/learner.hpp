// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Learns, while a program runs, which candidate is best for one kind of call.
//
// The calls of a kind are cut into rounds. In most of them every call runs the incumbent and nothing is
// measured. In a measured round some calls of the incumbent are followed by some of a candidate; at its end,
// the agreement, all ranks agree on what each call took, and everything that follows is a function of agreed
// figures, so that all ranks go the same way (strategy switching at fences: Kumar 2005, section 6.4).
//
// Bounded: what candidates take more than the incumbent would have, and what agreeing and ordering take, is
// `spent`; no candidate is tried while that, with what the trial may cost, is more than a share of all time
// in the calls of all learners with the same exploration budget. Nothing is measured before the calls that
// were seen have surely taken the time that an agreement may cost. Never worse: `native` is what is measured
// first and the candidate of everything that was picked, at the start and now and then. It ends: after some
// candidates in a row without gain. It resumes when the incumbent's time has changed for long, each time
// later. It does not flap: what lost stays lost until then.

#include "evidence/evidence.hpp"
#include "tune/learning_budget.hpp"
#include "tune/level_watch.hpp"
#include "tune/outcome.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::tune {

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

/// A strategy that may be tried, and the model's expectation in seconds.
struct PredictedCandidate {
  std::string text; ///< as behind "=" in a selection
  double predicted = 0;
};

/// What happens next.
struct Round {
  enum class Kind {
    run,     // `incumbent_calls` of the incumbent, not measured
    measure, // incumbent's and candidate's calls, measured; then Learner::measured()
    order,   // candidates are wanted before the next call: Learner::add_candidates()
  };
  Kind kind = Kind::run;
  std::uint32_t incumbent_calls = 0;
  std::uint32_t candidate_calls = 0;
  std::uint32_t settling = 0; ///< the first so many of each and the last one are transitions and tell nothing
};

/// What calls of a round take at least, by the work of the processors that all ranks share; 0: not known.
struct LowerBounds {
  double incumbent = 0;
  double candidate = 0;
};

struct Trial {
  std::string text;
  double predicted = 0; ///< 0: not known
  double seconds = 0;   ///< the median of its measured rounds, in the last search that tried it; 0 before
  std::uint32_t rounds = 0;
  Outcome outcome = Outcome::not_tried;
};

class Learner {
public:
  enum class State { counting, searching, confirming, settled };

  /// `start`: what to begin with if not native; `searched`: it was found by a search that needs no
  /// repetition. `ordering_seconds`: what putting candidates in order is thought to take.
  explicit Learner(const LearningLimits& limits, double ordering_seconds, std::string_view start = {},
                   bool searched = false);

  /// Begins the next round; calls follow as it says.
  Round next_round();
  /// The agreement after a measured round: agreed seconds of each of its calls, the incumbent's first, and
  /// what agreeing took; 0: not known yet. `refused`: the candidate could not do the call on some rank.
  void measured(std::span<const double> seconds, double overhead_seconds, bool refused,
                const LowerBounds& bounds = {});
  /// The next batch of candidates in the model's order, and what finding them took.
  void add_candidates(std::span<const PredictedCandidate> candidates, double overhead_seconds);

  /// Indices of trials(); 0 is native.
  std::size_t incumbent() const { return incumbent_; }
  std::size_t candidate() const { return candidate_; }
  const std::vector<Trial>& trials() const { return trials_; }

  State state() const { return state_; }
  /// A search of its own has come to its end; another may be under way.
  bool has_searched() const {
    return batches_ == limits_.batches &&
           (searches_ > 1 || (state_ != State::counting && state_ != State::searching));
  }
  /// How many batches of candidates there have been.
  std::uint32_t batches() const { return batches_; }
  const LearningBudget& budget() const { return budget_; }
  /// What an agreement takes, as far as is known.
  double agreement_seconds() const { return round_overhead_seconds_; }
  std::uint64_t calls() const { return calls_; }
  std::uint32_t searches() const { return searches_; }
  /// A number that is equal where everything went the same way.
  std::uint64_t history() const { return history_; }

private:
  Round run(std::uint32_t calls);
  std::uint32_t first_calls() const;
  std::uint32_t calls_to_count() const;
  Round measure(std::size_t candidate);
  std::uint32_t row(std::size_t candidate) const;      // calls of each in a round
  std::uint32_t settling(std::size_t candidate) const; // calls of each before them
  Round next_trial();
  Round next_confirmation();
  Round next_look();
  Round save_up(double cost);
  std::size_t next_candidate() const;
  bool resembles_a_loser(std::size_t candidate) const;
  bool is_hopeless(std::size_t candidate) const;
  bool is_open(std::size_t candidate) const; // to be tried in this search
  // Has it been measured in this search?
  bool is_fresh(std::size_t trial) const { return !times_[trial].empty(); }
  double expected_excess(std::size_t candidate) const;
  std::span<const double> counted(std::span<const double> seconds) const;
  void account(double all, double calls, double own, double overhead);
  void add_round(std::size_t trial, double seconds);
  void start_comparison(std::size_t candidate);
  void judge(evidence::Decision decision, bool is_far_slower);
  void adopt();
  void settle();
  void look(double seconds);
  void search_again();
  void note(std::uint64_t event);

  LearningLimits limits_;
  bool searched_; // what it began with was found by a search
  std::vector<Trial> trials_;
  std::vector<std::vector<double>> times_; // by trial, of its rounds
  State state_ = State::counting;
  std::uint32_t batches_ = 0;
  bool wants_more_ = false; // candidates
  bool confirmed_ = false;  // the incumbent is native, or surely faster than it
  std::size_t incumbent_ = 0;
  std::size_t candidate_ = 0;     // the incumbent where there is none
  evidence::SequentialTest test_; // the incumbent against the candidate
  Round round_;
  std::uint32_t without_gain_ = 0; // candidates in a row
  double incumbent_seconds_ = 0;   // a call, lately
  double round_overhead_seconds_;  // of the last agreement
  double ordering_seconds_;        // of the next ordering: an estimate
  LearningBudget budget_;
  LevelWatch watch_;
  std::uint64_t calls_ = 0;
  std::uint64_t search_again_after_ = 0; // calls
  std::uint32_t searches_ = 1;
  std::uint64_t history_ = 0;
};

} // namespace thalweg::tune
