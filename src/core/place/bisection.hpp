// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tasks and slots halved together until each task has its slot: the slots where the machine is widest, the
// tasks where little is sent, and drawn to those outside that they talk to.
//
// Source: Pellegrini 1994, "Static mapping by dual recursive bipartitioning"; here on the slots that a job
// really has, with halves of exactly equal numbers of tasks and slots.

#include "base/random.hpp"
#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

/// As many vertices as slots. O((slots + edges) * log^2): ten thousand tasks take some tenths of a second.
Mapping bisected(const Graph& graph, const Distances& distances, Random& random);

/// A region of slots, halved: reorders them so that its first `half` are one part, near each other as are the
/// others.
void halve(const Distances& distances, std::vector<std::int32_t>& slots, std::size_t begin, std::size_t end,
           std::size_t half);

/// The slot of a region that is about in its middle.
std::int32_t middle(const Distances& distances, const std::vector<std::int32_t>& slots, std::size_t begin,
                    std::size_t end);

} // namespace thalweg::place
