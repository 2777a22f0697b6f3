// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Nodes that have several slots each: first parts of the tasks, one for each node, then parts onto nodes,
// then tasks once more. Which of its slots a task has on a node makes no difference to the network.

#include "base/random.hpp"
#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"
#include "place/budget.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace thalweg::place {

/// An allocation by its nodes.
struct Nodes {
  machine::Allocation allocation;                  ///< one slot for each node
  std::vector<std::vector<std::int32_t>> slots_of; ///< by node, ascending

  explicit Nodes(const machine::Allocation& slots);
  /// The node of each task.
  std::vector<std::int32_t> folded(const Slots& slot_of) const;
  /// Has any node several slots?
  bool have_several() const;
  /// The mapping of tasks to slots for one of tasks to nodes; of a node's tasks the first get its first
  /// slots. Vertices without neighbors get what is left.
  Mapping expanded(const std::vector<std::int32_t>& node_of, const Graph& graph) const;
};

/// What parts of a pattern's tasks send each other; parts are numbered from 0.
pattern::Pattern quotient(const pattern::Pattern& pattern, const std::vector<std::int32_t>& part_of,
                          std::int32_t parts);

/// The search for nodes with few bytes times hops between them.
struct NodeProblem {
  const pattern::Pattern& pattern;
  const Graph& graph; ///< with a vertex for each slot
  const Nodes& nodes;
  Random& random;
  Budget& budget;
  /// Maps parts onto the nodes, with such a part of the budget.
  std::function<Slots(const pattern::Pattern& parts, const machine::Allocation& nodes, double part)>
      map_parts;
};

/// Shows `note` what it finds, beginning also with `node_of`, until the budget is used up to `until`: cut,
/// mapped and annealed anew where there is time for it.
void search_nodes(const NodeProblem& problem, const std::vector<std::int32_t>& node_of, double until,
                  const std::function<void(const Mapping&, const char* method)>& note);

} // namespace thalweg::place
