// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Strategies where ranks have something for some others only, as predictions and simulations take them
// (schedule/sparse_exchange.hpp). The degree is to how many others, in the mean; 0: to all. In jobs nobody
// knows it before a call, and the schedules that are built there are whole.

#include "strategies/calls.hpp"
#include "strategies/index.hpp"

namespace thalweg::strategies {

/// Is there a degree to ask for: may blocks for others be empty?
bool has_degree(const Call& call);
/// Throws Error for a degree that is none, or that the call does not have; 0 is none given. Among neighbors
/// it is how many each has.
void check_degree(const Call& call, double degree);

bool is_among_neighbors(Operation operation);
/// A graph for calls among neighbors: each rank sends to the next `degree` others, in the mean.
std::shared_ptr<const std::vector<schedule::Neighborhood>> neighborhoods_of(std::int32_t ranks,
                                                                            double degree);

/// A rank's schedule, without messages of empty blocks alone, unless others' blocks may travel in them.
schedule::Schedule build(const Strategy& strategy, const Problem& problem, Rank rank, double degree);
/// All ranks'.
std::vector<schedule::Schedule> build_all(const Strategy& strategy, const Problem& problem, double degree);
/// Whether blocks that are empty travel with others that are not: those for all others but some, and on
/// meshes of neighbors those without an edge.
bool carries_empty_blocks(const Strategy& strategy, double degree);
/// Mean bytes of a block in the messages of these schedules, for units of so many bytes: less where empty
/// ones travel with others.
std::int64_t block_bytes(const Strategy& strategy, const Problem& problem, std::int64_t unit_bytes,
                         double degree);

} // namespace thalweg::strategies
