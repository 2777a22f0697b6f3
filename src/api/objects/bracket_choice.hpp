// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which strategy an association's brackets use until the next fence (Kumar 2005, section 6.4). All ranks come
// to the same results from what they have agreed on.
//
// The model puts the strategies in order, by the pattern of the period that has ended. Those that it takes to
// be much worse than the best are left out; the others are tried in that order, each between fences, and the
// one with the shortest steps stays. A step is what an iteration takes with all that runs meanwhile: what
// counts is not what a message costs, but whether the program waits for it. So only one association of a
// program changes at a time (objects/bracket_turns.hpp).
//
// Patterns are known again: degree and size within a factor of two are the same *situation*, if both are
// mostly multicasts or both are not, as a mesh carries these once. What was measured in one situation says
// nothing of others. After a while the good ones are tried again, each time later.

#include "machine/machine.hpp"
#include "objects/bracket_period.hpp"
#include "objects/bracket_routes.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace thalweg::objects {

class BracketChoice {
public:
  /// `may_try`: else the model alone decides. `level`: how far ranks are apart.
  BracketChoice(machine::Machine machine, machine::Level level, std::int32_t ranks, bool may_try);

  Combining current() const { return options_[current_].combining; }
  /// A fence: current() says how to go on. `has_turn`: what the period took is this association's, as nobody
  /// else has changed; it may go on trying. Else it takes what it knows to be best.
  void decide(const Period& period, bool has_turn = true);
  /// There is something to try, in the situation that was seen last.
  bool wants_turn() const;
  /// Its trials are no longer to be compared with what comes, so that they begin anew.
  void begin_anew();
  /// What the last decision was, and why.
  std::string explanation() const { return explanation_; }

private:
  struct Option {
    Combining combining;
    std::vector<std::int32_t> sides; // of the virtual mesh
  };
  struct Trial {
    double seconds = 0; // of an iteration, the least of so many periods
    std::uint32_t periods = 0;
  };
  struct Situation {
    std::vector<Trial> trials; // by option
    std::uint64_t lease = 0;   // periods until others are tried again
    std::uint64_t left = 0;
    bool is_open = true;             // something is to be tried
    std::optional<std::size_t> best; // of the trials that came to an end
    std::uint32_t restarts = 0;
  };

  std::vector<double> predicted(const Period& period) const;
  void note(Trial& trial, const Period& period) const;
  std::size_t next(Situation& now, const std::vector<double>& predicted, const Period& period) const;
  static std::size_t fastest(const Situation& now);
  static void look_again(Situation& now, std::size_t fastest);
  void explain(const Period& period, const Situation& now, const std::vector<double>& predicted,
               bool has_turn);

  machine::Machine machine_;
  machine::Level level_;
  std::int32_t ranks_;
  bool may_try_;
  std::vector<Option> options_;
  std::map<std::tuple<int, int, bool>, Situation> situations_; // by degree, bytes of a message, multicasts
  Situation* seen_ = nullptr;                                  // last
  std::size_t current_ = 0;
  std::string explanation_;
};

} // namespace thalweg::objects
