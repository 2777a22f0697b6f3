// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which slot of a machine each task of a pattern is to have: the room's front door.

#include "place/budget.hpp"
#include "place/objectives.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace thalweg::place {

/// What a search is to do.
struct Options {
  Goal goal = {};
  double seconds = 1;
  /// Above 0: the budget instead of seconds, with which the answer is the same each time.
  std::int64_t proposals = 0;
  Clock clock = Clock::wall;
  std::uint64_t seed = 1;
  /// Other jobs' bytes on each link in the time of one pass through the pattern; empty: none.
  std::vector<double> base_load = {};
  LinkCosts costs = {};
  /// Another thread may set it, to end the search early.
  const std::atomic<bool>* stopped = nullptr;
  /// So many threads search at once, each with a seed and the seconds of its own. With proposals one does.
  int threads = 1;
};

/// What it answers.
struct Result {
  Slots slot_of;    ///< of each task; no two have the same, but where tasks share slots
  Slots numbered;   ///< as tasks are numbered: task t on slot t, or where they share slots by their weights
  Metrics identity; ///< of `numbered`
  Metrics placed;
  std::string method; ///< what found it: "identity" where nothing is better
  double seconds = 0;
  bool is_proven = false; ///< no mapping has a lower value by the goal: all were gone through

  bool is_identity() const { return method == "identity"; }
};

/// Searches within a budget, and never answers with what is worse than identity by the goal.
/// Throws Error for a pattern without tasks or with more tasks than slots, slots that are no nodes of the
/// machine, links without capacity, base loads that are not one a link, and a budget below 0.
Result map(const pattern::Pattern& pattern, const machine::Allocation& allocation,
           const Options& options = {});

/// As map(), but task 0 keeps slot 0: a job's first rank is known from outside. It alone reads what is typed,
/// and files are written where it is. What map() found is turned so that it does: nodes change places, or all
/// of a ring or torus moves on, whichever costs least; then swaps mend what that cost, within the rest of the
/// budget's time. Never worse than identity.
Result map_pinned(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                  const Options& options = {});

/// What tasks take of their slots' time, and how evenly that is to be dealt out.
struct Sharing {
  std::vector<double> weights = {}; ///< of each task, from 0; empty: all alike
  /// By how much of the mean the heaviest slot may be above it, where the weights let it.
  double imbalance = 0.03;
};

/// For tasks that outnumber the slots: first parts of alike weight, then parts onto slots, then tasks once
/// more. As map(), but several tasks may get the same slot. The answer's `identity` is of tasks dealt out in
/// the order of their numbers, as many to each slot as its share of the weight. Never worse than that by the
/// goal, unless the heaviest slot of that is too heavy. Throws Error as map() does, and for weights that are
/// not one a task from 0, and for an imbalance below 0.
Result map_shared(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                  const Sharing& sharing, const Options& options = {});

} // namespace thalweg::place
