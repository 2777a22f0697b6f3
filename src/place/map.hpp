#pragma once

// Which slot of a machine each task of a pattern is to have: the room's front door.

#include "place/budget.hpp"
#include "place/metrics.hpp"

#include <string>
#include <string_view>

namespace thalweg::place {

enum class Objective : std::uint8_t {
  hop_bytes,
  link,       ///< the most loaded link, all phases at once
  contention, ///< the most loaded link of each phase, summed
  time,       ///< predicted
};

std::string_view name(Objective objective);
/// Reads "hop-bytes", "link", "contention" or "time". Throws Error for anything else.
Objective parse_objective(std::string_view text);
double value_of(const Metrics& metrics, Objective objective);

struct Options {
  Objective objective = Objective::hop_bytes;
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

/// Searches within a budget, and never answers with a higher value of the objective than that of identity.
/// Throws Error for a pattern without tasks or with more tasks than slots, slots that are no nodes of the
/// machine, links without capacity, base loads that are not one a link, and a budget below 0.
Result map(const pattern::Pattern& pattern, const machine::Allocation& allocation,
           const Options& options = {});

} // namespace thalweg::place
