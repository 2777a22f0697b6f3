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

#include "tune/learning_budget.hpp"
#include "tune/round_figures.hpp"
#include "tune/search.hpp"
#include "tune/trials.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace thalweg::tune {

/// What calls of a round take at least, by the work of the processors that all ranks share; 0: not known.
struct LowerBounds {
  double incumbent = 0;
  double candidate = 0;
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
  /// what agreeing took; 0: not known yet. No seconds: the round has not told enough. `refused`: the
  /// candidate could not do the call on some rank. `periods`: where the program may compute less while its
  /// calls hold it up less, from one call to the next. `distances`: rounds in which cores have moved, as
  /// virtual ones do, say nothing, and rounds before a move are not compared with those after it.
  void measured(std::span<const double> seconds, double overhead_seconds, bool refused,
                const LowerBounds& bounds = {}, const Periods& periods = {}, const Distances& distances = {});
  /// The next batch of candidates in the model's order, and what finding them took.
  void add_candidates(std::span<const PredictedCandidate> candidates, double overhead_seconds);

  /// Indices of trials(); 0 is native.
  std::size_t incumbent() const { return trials_.incumbent(); }
  std::size_t candidate() const { return candidate_; }
  const std::vector<Trial>& trials() const { return trials_.all(); }

  State state() const { return state_; }
  /// A search of its own has come to its end; another may be under way.
  bool has_searched() const {
    return search_.has_all_batches() &&
           (search_.searches() > 1 || (state_ != State::counting && state_ != State::searching));
  }
  /// How many batches of candidates there have been.
  std::uint32_t batches() const { return search_.batches(); }
  const LearningBudget& budget() const { return budget_; }
  /// What an agreement takes, as far as is known.
  double agreement_seconds() const { return lengths_.agreement_seconds(); }
  std::uint64_t calls() const { return calls_; }
  std::uint32_t searches() const { return search_.searches(); }
  /// A number that is equal where everything went the same way.
  std::uint64_t history() const { return history_; }

private:
  Round run(std::uint32_t calls);
  /// Runs calls until so much can be afforded.
  Round save_up(double cost);
  Round measure(std::size_t candidate);
  /// Measures the candidate, once that can be afforded.
  Round compare();
  Round next_trial();
  Round next_confirmation();
  Round next_look();
  void start_comparison(std::size_t candidate);
  void judge(const Comparison::Verdict& verdict);
  void adopt();
  void look(double seconds);
  void search_again();

  LearningLimits limits_;
  Trials trials_;
  RoundLengths lengths_;
  Search search_;
  LearningBudget budget_;
  LevelWatch watch_;
  State state_ = State::counting;
  bool confirmed_ = false;    ///< the incumbent is native, or surely faster than it
  std::size_t candidate_ = 0; ///< the incumbent where there is none
  Comparison comparison_;     ///< the incumbent against the candidate
  Round round_;
  std::uint64_t calls_ = 0;
  std::uint64_t history_ = 0;
};

} // namespace thalweg::tune
