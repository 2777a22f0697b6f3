#pragma once

// Which slot of a machine each task of a pattern is to have: the room's front door.

#include "place/budget.hpp"
#include "place/goal.hpp"

#include <string>

namespace thalweg::place {

struct Options {
  Goal goal = {};
  double seconds = 1;
  std::int64_t proposals =
      0; ///< above 0: the budget instead of seconds, with which the answer is the same each time
  Clock clock = Clock::wall;
  std::uint64_t seed = 1;
  std::vector<double> base_load =
      {}; ///< other jobs' bytes on each link in a pass through the pattern; empty: none
  LinkCosts costs = {};
};

struct Result {
  Slots slot_of;    ///< of each task; no two have the same
  Metrics identity; ///< of task t on slot t
  Metrics placed;
  std::string method; ///< what found it: "identity" where nothing is better
  double seconds = 0;

  bool is_identity() const { return method == "identity"; }
};

/// Searches within a budget, and never answers with what is worse than identity by the goal.
/// Throws Error for a pattern without tasks or with more tasks than slots, slots that are no nodes of the
/// machine, links without capacity, base loads that are not one a link, and a budget below 0.
Result map(const pattern::Pattern& pattern, const machine::Allocation& allocation,
           const Options& options = {});

} // namespace thalweg::place
