// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How far a learner's search is: the batches of candidates that there were, its patience, and when it may
// begin anew; the comparison of a candidate with what is in use; and whether calls still take what they took
// when a search had ended.

#include "base/assertion.hpp"
#include "evidence/evidence.hpp"
#include "tune/round_figures.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace thalweg::tune {

/// When a search ends, and what it has to look at.
struct SearchLimits {
  std::uint32_t patience = 8; ///< candidates in a row without gain that end the search
  std::uint32_t batches = 1;  ///< batches of candidates that there are, each with those before it
  double wider = 4;           ///< times the cost of a batch that the next one is expected to have
};

/// The searches of a learner, one after the other: each is later than the one before by twice as many calls.
class Search {
public:
  /// `ordering_seconds`: what putting candidates in order is thought to take. `has_result`: another one
  /// before has found what this learner begins with.
  Search(const SearchLimits& limits, double ordering_seconds, bool has_result)
      : limits_(limits), has_result_(has_result), ordering_seconds_(ordering_seconds) {}

  /// Has a search before this job found what it began with?
  bool has_result() const { return has_result_; }

  /// Are candidates wanted before it goes on?
  bool wants_batch() const { return batches_ == 0 || wants_more_; }
  /// There is a batch more, which it may ask for once the first one is there.
  bool may_widen() const { return batches_ > 0 && batches_ < limits_.batches; }
  void widen() {
    THALWEG_ASSERT(light, may_widen());
    wants_more_ = true;
  }
  /// A batch has come, and finding it took so long.
  void add_batch(double took_seconds) {
    ++batches_;
    wants_more_ = false;
    without_gain_ = 0;
    ordering_seconds_ = limits_.wider * took_seconds;
  }
  std::uint32_t batches() const { return batches_; }
  bool has_all_batches() const { return batches_ == limits_.batches; }
  /// What the next batch is thought to take.
  double ordering_seconds() const { return ordering_seconds_; }

  /// Is there patience for one candidate more?
  bool is_patient() const { return without_gain_ < limits_.patience; }
  void miss() { ++without_gain_; }
  void gain() { without_gain_ = 0; }

  /// May it begin anew after so many calls?
  bool may_begin_anew(std::uint64_t calls) const { return calls >= begins_anew_after_; }
  void begin_anew(std::uint64_t calls) {
    THALWEG_ASSERT(light, may_begin_anew(calls));
    constexpr std::uint64_t calls_between = 512;
    constexpr std::uint32_t doublings_max = 20;
    begins_anew_after_ = calls + (calls_between << std::min(searches_, doublings_max));
    ++searches_;
    without_gain_ = 0;
  }
  /// How many there were, the one under way included.
  std::uint32_t searches() const { return searches_; }

private:
  SearchLimits limits_;
  bool has_result_;
  double ordering_seconds_;
  std::uint32_t batches_ = 0;
  bool wants_more_ = false;
  std::uint32_t without_gain_ = 0; ///< candidates in a row
  std::uint32_t searches_ = 1;
  std::uint64_t begins_anew_after_ = 0; ///< calls
};

/// A candidate's calls may hold a program up less and cost it more all the same, in the computation between
/// them. Then the time from one call to the next is longer in nearly all rounds.
class PeriodGuard {
public:
  void add(const Periods& periods) {
    if (periods.incumbent <= 0 || periods.candidate <= 0)
      return;
    ++rounds_;
    longer_ += periods.candidate > noise * periods.incumbent ? 1 : 0;
  }
  bool forbids() const { return longer_ > 0 && 4 * longer_ >= 3 * rounds_; }

private:
  static constexpr double noise = 1.005;

  std::uint32_t rounds_ = 0;
  std::uint32_t longer_ = 0;
};

/// How far apart ranks' cores were when a round began and when it ended: what a cache line took there and
/// back between those of a node that were farthest apart; 0: not known. Any unit.
struct Distances {
  double begin = 0;
  double end = 0;
};

/// A candidate against the incumbent, round by round.
class Comparison {
public:
  /// `gain`: how many times as fast the candidate has to be.
  explicit Comparison(double gain) : gain_(gain), test_(gain) {}

  void begin() {
    moves_ = 0;
    forget();
  }

  enum class Cores : std::uint8_t { stayed, moved_before, moved_meanwhile };
  /// What a round says of the ranks' cores, virtual ones, which change places. If they moved before it, what
  /// earlier rounds have said of the candidate counts no more. If they moved meanwhile, its two sides do not
  /// compare. Where they move all the time, all rounds count: a search has to end.
  Cores see(const Distances& distances) {
    if (moves_ >= moves_max)
      return Cores::stayed;
    if (!evidence::is_same_distance(distances.begin, distances.end)) {
      ++moves_;
      return Cores::moved_meanwhile;
    }
    const bool has_moved = !evidence::is_same_distance(distance_, distances.end);
    distance_ = distances.end > 0 ? distances.end : distance_;
    if (!has_moved)
      return Cores::stayed;
    ++moves_;
    forget();
    return Cores::moved_before;
  }

  struct Verdict {
    evidence::Decision decision = evidence::Decision::open;
    bool is_far_slower = false;
  };
  /// What a round's calls took. A first look at the candidate warms up, so only what is very fast, or
  /// hopeless, all the same is told by it.
  Verdict add(double incumbent_seconds, double candidate_seconds, bool is_first_look,
              const Periods& periods = {}) {
    guard_.add(periods);
    if (!is_first_look || incumbent_seconds >= evidence::Limits::decisive * candidate_seconds)
      test_.add(incumbent_seconds, candidate_seconds);
    if (is_first_look && candidate_seconds > hopeless_at_first_look * incumbent_seconds)
      return {evidence::Decision::surely_not, true};
    const evidence::Decision decision = test_.decision();
    const bool is_forbidden = decision == evidence::Decision::surely_faster && guard_.forbids();
    return {is_forbidden ? evidence::Decision::surely_not : decision, test_.is_far_slower()};
  }

private:
  static constexpr double hopeless_at_first_look = 3;
  /// In a comparison, or since the last one; then a move counts no more.
  static constexpr std::uint32_t moves_max = 8;

  void forget() {
    test_ = evidence::SequentialTest(gain_);
    guard_ = {};
  }

  double distance_ = 0; ///< in the last round whose distance is known
  std::uint32_t moves_ = 0;
  double gain_;
  evidence::SequentialTest test_;
  PeriodGuard guard_;
};

/// Tells whether calls still take what they took when a search had ended.
class LevelWatch {
public:
  /// Begins anew: the next figures say what is usual.
  void begin() {
    *this = LevelWatch();
    pause_ = pause_min;
  }
  /// A look at what a call takes now; true when it has been far from usual for several looks in a row.
  bool changed(double seconds) {
    using evidence::Limits;
    ++looks_;
    if (first_.size() < Limits::looks_level) {
      first_.push_back(seconds);
      usual_ = evidence::median(first_);
      return false;
    }
    const bool is_far = seconds > Limits::level_changed * usual_ || seconds * Limits::level_changed < usual_;
    far_off_ = is_far ? far_off_ + 1 : 0;
    pause_ = is_far ? pause_min : std::min(pause_max, 2 * pause_);
    return far_off_ >= Limits::looks_changed;
  }
  /// Calls until the next look: more and more while nothing happens, few while something seems to.
  std::uint32_t calls_until_next() const { return pause_; }
  /// Looks so far.
  std::uint32_t looks() const { return looks_; }

private:
  /// What looks cost is spent from the learner's budget, so these say only how soon a change is seen.
  static constexpr std::uint32_t pause_min = 64;
  static constexpr std::uint32_t pause_max = 4096;

  std::vector<double> first_; ///< looks that the usual level is the median of
  double usual_ = 0;
  std::uint32_t far_off_ = 0; ///< looks in a row
  std::uint32_t pause_ = 0;
  std::uint32_t looks_ = 0;
};

} // namespace thalweg::tune
