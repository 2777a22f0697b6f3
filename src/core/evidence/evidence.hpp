// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Is the candidate surely faster than what is in use? One rule for each kind of data, and one table of the
// constants (docs/decisions/evidence.md):
//
//   data                                   rule                                                here
//   pairs of times, one after another      Wald's sequential test of who wins a pair           SequentialTest
//   ratios of a few expensive rounds       sign test, Student's t where they hardly differ     decide_rounds
//   the least of a few times of each       a margin                                            decide_minima
//   two samples, taken in turns            Mann and Whitney's rank-sum test                    Python's tune
//   predictions, and what a change costs   hysteresis                                          pays
//
// All are functions of what they are given, without clocks and without chance. Ranks that give them agreed
// figures come to the same decision.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::evidence {

/// What the measurements so far say of a candidate.
enum class Decision : std::uint8_t {
  open,          ///< more measurements are needed
  surely_faster, ///< it is faster, and by enough to be worth a change
  surely_not,    ///< it is not
};

/// The constants of all rules. Python has them as `thalweg._core.EvidenceLimits`.
struct Limits {
  /// Times as fast a candidate has to be. Two jobs of one program on one machine differ by as much.
  static constexpr double gain = 1.03;

  /// Wald's test: a candidate that is no better wins half of the pairs, and one that is, three of four.
  static constexpr double wins_of_equals = 0.5;
  static constexpr double wins_of_better = 0.75;
  /// Its error rates. A change without a gain costs for the rest of a program, a gain that is missed is found
  /// by the next search: so the first is the smaller one.
  static constexpr double error_faster = 0.05;
  static constexpr double error_missed = 0.1;
  /// Pairs after which it ends: a difference that is open for so long is not worth more of them.
  static constexpr std::size_t pairs_max = 48;
  /// A candidate that has lost all pairs by so many times is given up: it costs more than it can bring.
  static constexpr double far_slower = 1.5;
  /// Wins by so many times are no noise. Calls that take turns seldom differ by a quarter four times in one
  /// direction, nor by three times twice.
  static constexpr double far_faster = 1.25;
  static constexpr std::size_t pairs_far_faster = 4;
  static constexpr double decisive = 3;
  static constexpr std::size_t pairs_decisive = 2;

  /// Sign test: six rounds that are all won, and three more for each loss, up to three losses. Of two that
  /// are equally fast, asked after each round, the candidate is taken once in twenty times.
  static constexpr int rounds_without_loss = 6;
  static constexpr int rounds_per_loss = 3;
  static constexpr int losses_max = 3;
  /// Student's t: the spread of logarithms that is taken for granted. Clocks and processors do as much, and
  /// of three rounds the spread may be small by chance.
  static constexpr double spread_min = 0.02;

  /// The rank-sum test's one-sided error rate.
  static constexpr double error_rank_sum = 0.05;
  /// Rounds of samples after which a candidate that was never nearer than so many times is given up.
  static constexpr int rounds_hopeless = 3;
  static constexpr double hopeless = 2;

  /// What calls take once a search has ended is the median of so many looks, of which two may be disturbed.
  static constexpr std::size_t looks_level = 5;
  /// They have changed where they take so many times as long, or as short, in so many looks in a row. Phases
  /// of a program differ by less, and what disturbs a machine from elsewhere is seldom there three times.
  static constexpr double level_changed = 1.5;
  static constexpr std::uint32_t looks_changed = 3;

  /// Cores are not as far apart as before where a cache line takes so many times as long there and back, or
  /// as short. Of one pair of cores, measurements differ by a fifth; between cores that share a cache and
  /// others it was three times and more.
  static constexpr double distance_changed = 1.5;

  /// How many times what a change costs has to be gained: predictions of costs are off by as much.
  static constexpr double hysteresis = 1.5;
};

/// May two distances, each what a cache line takes there and back, be of the same cores? One that is not
/// known (0) may be any.
inline bool is_same_distance(double one, double other) {
  const double nearer = one < other ? one : other;
  const double farther = one < other ? other : one;
  return nearer <= 0 || farther < Limits::distance_changed * nearer;
}

/// A sequential sign test (Wald, Annals of Mathematical Statistics 16, 1945) on pairs of times that were
/// measured one after the other. Nothing is assumed of how times are distributed, and a disturbance that
/// lasts longer than a pair disturbs both. Of candidates that are no faster it takes 1 in 20, and of those
/// that win three pairs of four it misses 1 in 10. Pairs that are far apart decide earlier.
class SequentialTest {
public:
  /// `gain`: how many times as fast the candidate has to be to be worth a change.
  explicit SequentialTest(double gain = Limits::gain) : gain_(gain) {}

  /// A pair's times, in seconds. None takes no time at all: less than a clock's grain counts as that.
  void add(double incumbent_seconds, double candidate_seconds);
  Decision decision() const;
  /// The candidate has lost all pairs, and by far.
  bool is_far_slower() const;

  std::size_t pairs() const { return ratios_.size(); }
  /// The median of incumbent / candidate; 0 before the first pair.
  double ratio() const;

private:
  double gain_;
  std::size_t losses_ = 0;
  std::vector<double> ratios_; ///< incumbent / candidate
};

/// What expensive rounds say together, by how many times as fast the candidate was in each. It is surely
/// faster if all of six were won, all but one of nine, two of twelve or three of fifteen (sign test), or if
/// three to five hardly differ (Student's t-test of the logarithms, Biometrika 6, 1908, at 1 in 200); and by
/// the gain in the median. As it is asked after each round, of two that are equally fast the candidate is
/// taken once in twenty times.
Decision decide_rounds(std::span<const double> ratios);
/// How many rounds it takes at most.
int rounds_max();
/// How many of the rounds the candidate won.
int wins(std::span<const double> ratios);

/// Holds the least of a few times of each against each other. Noise only adds to a time, so that the least
/// is the best estimate of what something takes (Chen and Revels, arXiv:1608.04295, 2016). Few of them have
/// no distribution to test: the margin stands for it. Never open.
Decision decide_minima(double incumbent_seconds, double candidate_seconds);

/// What a change is predicted to do.
struct Change {
  double before_seconds = 0; ///< without it; or what it gains, with nothing after it
  double after_seconds = 0;
  double cost_seconds = 0; ///< of the change itself
};

/// Hysteresis: does the change pay even if it costs so many times what is predicted? So choices do not
/// flutter, and what is nearly even is left alone.
bool pays(const Change& change, double hysteresis = Limits::hysteresis);

/// The middle one, or the mean of the middle two; 0 of nothing.
double median(std::span<const double> values);

/// What one of them takes: of few the median; of more the mean, for where ranks share cores a call may be
/// long and let the next ones be short, but disturbances from elsewhere count for no more than such a call.
double typical(std::span<const double> values);

} // namespace thalweg::evidence
