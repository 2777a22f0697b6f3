// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Several tasks on each slot, as many as its room lets: which is on which, by bytes times hops.

#include "base/random.hpp"
#include "place/budget.hpp"
#include "place/distances.hpp"
#include "place/graph.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::place {

/// Tasks by slot, with their weights. Changed by moves of one task, and by swaps of two.
class SharedSlots {
public:
  /// Keeps references to the graph, distances and weights. No slot may become heavier than its room, but for
  /// those that are so already.
  SharedSlots(const Graph& graph, const Distances& distances, const std::vector<double>& weights,
              std::vector<std::int32_t> slot_of, std::vector<double> rooms);

  const std::vector<std::int32_t>& slot_of() const { return slot_of_; }
  /// Bytes times hops of the mapping as it is.
  double value() const { return value_; }

  /// Moves tasks from slots that are too heavy to the lightest ones, as long as that evens them out. By how
  /// much a slot is too heavy then is allowed for all.
  void even_out();
  /// Anneals by moves and swaps that keep the weights, then descends, until the budget is used up to `until`
  /// or nothing gains any more. `hot` is the first temperature, as a part of what a proposal changes in the
  /// mean.
  void improve(const Vicinity& vicinity, Random& random, Budget& budget, double until, double hot = 0.15);

private:
  struct Proposal {
    std::int32_t task;
    std::int32_t slot;
    std::int32_t other; ///< a task that comes back in exchange, or -1
    double change;
  };
  /// A task to the slot of one that it talks to, or near it; task -1 where there is none that the weights
  /// allow.
  Proposal propose(const Vicinity& vicinity, Random& random) const;
  double moved(std::int32_t task, std::int32_t slot, std::int32_t other) const;
  bool fits(std::int32_t slot, double added) const;
  void put(std::int32_t task, std::int32_t slot);

  const Graph& graph_;
  const Distances& distances_;
  const std::vector<double>& weights_;
  std::vector<std::int32_t> slot_of_;
  std::vector<double> rooms_;                    ///< the most weight, by slot
  std::vector<double> loads_;                    ///< weights by slot
  std::vector<std::vector<std::int32_t>> tasks_; ///< by slot
  std::vector<std::int32_t> talking_;            ///< tasks with neighbors
  double value_ = 0;
};

} // namespace thalweg::place
