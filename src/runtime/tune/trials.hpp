// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The candidates that a learner has: what the model expects of each, what was measured, and what became of
// it. One of them is in use, the incumbent.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::tune {

/// What became of a candidate.
enum class Outcome : std::uint8_t {
  not_tried,
  tried_before_change, ///< of the calls, which began the search anew
  began_with,          ///< by the tuning file, and not yet compared
  being_tried,
  in_use,
  outdone,      ///< was in use until something faster came
  not_faster,   ///< than what was in use then, surely
  much_slower,  ///< at a first look already
  cannot_do_it, ///< is refused on some rank
};

inline constexpr std::array outcomes{Outcome::not_tried,   Outcome::tried_before_change,
                                     Outcome::began_with,  Outcome::being_tried,
                                     Outcome::in_use,      Outcome::outdone,
                                     Outcome::not_faster,  Outcome::much_slower,
                                     Outcome::cannot_do_it};

/// An outcome in the words of reports.
std::string_view text_of(Outcome outcome);

/// A strategy that may be tried, and the model's expectation in seconds.
struct PredictedCandidate {
  std::string text; ///< as behind "=" in a selection
  double predicted = 0;
};

struct Trial {
  std::string text;
  double predicted = 0; ///< 0: not known
  double seconds = 0;   ///< the median of its measured rounds, in the last search that tried it; 0 before
  std::uint32_t rounds = 0;
  Outcome outcome = Outcome::not_tried;
};

/// Trials are known by their index. They stay, and others come behind them.
class Trials {
public:
  static constexpr std::size_t native = 0;

  /// Native, and `start` where it is another one, which is in use then.
  explicit Trials(std::string_view start);

  const std::vector<Trial>& all() const { return trials_; }
  const Trial& operator[](std::size_t trial) const { return trials_[trial]; }
  std::size_t incumbent() const { return incumbent_; }

  /// Adds candidates in the model's order. Of those that are known it takes the expectation alone.
  void add(std::span<const PredictedCandidate> candidates);
  /// A measured round has said so much of a call of it.
  void add_round(std::size_t trial, double seconds);
  /// Has it been measured in this search?
  bool is_fresh(std::size_t trial) const { return !rounds_[trial].empty(); }
  /// What a call of it is expected to take: as its own rounds of this search say; else by the model, which is
  /// held against the one measured candidate that the model does most justice to. 0: not known.
  double expected_seconds(std::size_t trial) const;
  /// The next to try, by the model; the incumbent where none is left. One that is predicted to take
  /// `hopeless` times what the best of the measured ones is predicted to take is left out. The like of losers
  /// come last.
  std::size_t next(double hopeless) const;

  void set_outcome(std::size_t trial, Outcome outcome) { trials_[trial].outcome = outcome; }
  /// It takes the incumbent's place.
  void adopt(std::size_t trial);
  /// A new search begins: what was measured counts no more, and is kept for people.
  void begin_search();

private:
  bool is_open(std::size_t trial) const; ///< to be tried in this search
  bool is_hopeless(std::size_t trial, double hopeless) const;
  bool resembles_a_loser(std::size_t trial) const;

  std::vector<Trial> trials_;
  std::vector<std::vector<double>> rounds_; ///< by trial, seconds of its last rounds in this search
  std::size_t incumbent_ = native;
};

} // namespace thalweg::tune
