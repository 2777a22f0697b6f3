// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which strategy an association's brackets use until the next fence (Kumar 2005, section 6.4). All ranks come
// to the same results from what they have agreed on.
//
// The options are the strategies, and the predictions the model's for the pattern of the period that has
// ended; evidence/phase_tuner.hpp says how they are tried. What is measured is an iteration with all that
// runs meanwhile: what counts is not what a message costs, but whether the program waits for it. So only one
// association of a program changes at a time (BracketTurns).
//
// Periods are in the same situation if their degrees and sizes of messages are within a factor of two, and if
// both are mostly multicasts or both are not, as a mesh carries these once. What was measured in one
// situation says nothing of others.

#include "evidence/phase_tuner.hpp"
#include "machine/machine.hpp"
#include "model/message_terms.hpp"
#include "objects/bracket_routes.hpp"
#include "objects/bracket_traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::objects {

/// What traveled between two fences from rank to rank, of all ranks (Kumar 2005, section 6.4: the tuple
/// [delta, m, P]).
struct Period {
  double iterations = 0;
  model::ManyToMany pattern; ///< of an iteration
  double seconds = 0;        ///< of an iteration, with all that ran meanwhile
  double total_seconds = 0;
};

/// Where calls were not combined, ranks are taken to receive as they send.
Period period_of(std::span<const RankPeriod> ranks);

/// The strategy that was found for a situation, now or by an earlier job.
struct FoundStrategy {
  double messages = 0;      ///< of a rank in an iteration: from so many on, and up to twice as many
  double message_bytes = 0; ///< of a message, likewise
  bool is_multicast = false;
  BracketStrategy combining = BracketStrategy::direct;
  double seconds = 0; ///< of an iteration
};

class BracketChoice {
public:
  /// How a choice goes.
  struct Terms {
    bool may_try = true; ///< else the model alone decides
    /// By earlier jobs of as many ranks on such a machine.
    std::vector<FoundStrategy> found = {};
  };

  /// `level`: how far ranks are apart.
  BracketChoice(machine::Machine machine, machine::Level level, std::int32_t ranks, Terms terms);

  BracketStrategy current() const {
    return options_[terms_.may_try ? tuner_.current() : models_option_].combining;
  }
  /// A fence: current() says how to go on. `has_turn`: what the period took is this association's, as nobody
  /// else has changed; it may go on trying. Else it takes what it knows to be best.
  void decide(const Period& period, bool has_turn = true);
  /// There is something to try, in the situation that was seen last.
  bool wants_turn() const { return terms_.may_try && tuner_.is_open(); }
  /// Its trials are no longer to be compared with what comes, so that they begin anew.
  void begin_anew() {
    if (terms_.may_try)
      tuner_.restart();
  }
  /// What the last decision was, and why.
  std::string explanation() const { return explanation_; }
  /// What to tell later jobs, by situation.
  std::vector<FoundStrategy> results() const;

private:
  struct Option {
    BracketStrategy combining;
    std::vector<std::int32_t> sides; ///< of the virtual mesh
  };

  static std::vector<Option> options_of(std::int32_t ranks);
  std::vector<double> predicted(const Period& period) const;
  void tune(const Period& period, const std::vector<double>& predicted, bool has_turn);
  void recall(const evidence::Situation& situation);
  void explain(const Period& period, const std::vector<double>& predicted, bool has_turn);
  std::string_view use_of_current(bool has_turn) const;

  machine::Machine machine_;
  machine::Level level_;
  std::int32_t ranks_;
  Terms terms_;
  std::vector<Option> options_;
  evidence::PhaseTuner tuner_;
  std::size_t models_option_ = 0; ///< where the model alone decides
  std::string explanation_;
};

/// Which of a program's associations tries strategies. A step's time says nothing of one association while
/// another one changes too. So one at a time has its turn: it tries its strategies until it has found its
/// best, with all others left as they are, and then it is the next one's turn. What is measured in other
/// periods counts for nobody.
class BracketTurns {
public:
  /// Of an association that fences choose for.
  struct Member {
    std::size_t number = 0; ///< of the association: in the order of their making
    BracketChoice* choice = nullptr;
    Period period; ///< the one that ends here
  };

  /// A fence: each decides. All ranks are given the same. `have_moved`: elements, at the fence before.
  void decide(std::span<const Member> members, bool have_moved);

private:
  std::size_t turn_ = 0; ///< the number of the association that has it
};

} // namespace thalweg::objects
