// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a search is to do, and what it answers.

#include "place/budget.hpp"
#include "place/goal.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace thalweg::place {

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
};

struct Result {
  Slots slot_of;    ///< of each task; no two have the same, but where tasks share slots
  Slots numbered;   ///< as tasks are numbered: task t on slot t, or where they share slots by their weights
  Metrics identity; ///< of `numbered`
  Metrics placed;
  std::string method; ///< what found it: "identity" where nothing is better
  double seconds = 0;

  bool is_identity() const { return method == "identity"; }
};

} // namespace thalweg::place
