// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The index: every strategy by operation and name, and the ways from a name to a schedule.

#include "strategies/strategy.hpp"

#include <span>

namespace thalweg::strategies {

/// All strategies, by operation, then in the order of the index file.
std::span<const Strategy> all();
/// Those of one operation.
std::span<const Strategy> of(Operation operation);
/// The strategy of that name; throws Error naming the nearest names if there is none.
const Strategy& find(Operation operation, std::string_view name);

/// Every parameter of the strategy with the value given or its default; throws Error for an unknown
/// parameter or a value outside its range.
schedule::Parameters resolve(const Strategy& strategy, const schedule::Parameters& given);

/// Why the strategy cannot do the problem (its parameters resolved), or nothing.
std::optional<std::string> unsupported_reason(const Strategy& strategy, const Problem& problem);
std::int32_t pieces(const Strategy& strategy, const Problem& problem);

/// The problem with the phases of its messages, where the strategy has some and they are not there.
Problem with_phases(const Strategy& strategy, Problem problem, const topology::NodePlaces& node_places);

/// One rank's schedule. The problem's parameters must be resolved and not refused.
schedule::Schedule build(const Strategy& strategy, const Problem& problem, Rank rank);
/// All ranks' schedules, for verifying and drawing.
std::vector<schedule::Schedule> build_all(const Strategy& strategy, const Problem& problem);

/// Runs a strategy of the index on a sub-group as a stage of the builder's schedule. `sub.pieces` and the
/// parameters of `sub.problem` are filled in here. The builder's rank must be a member.
void append_stage(Builder& builder, std::string_view strategy, schedule::Subproblem sub,
                  const schedule::Parameters& parameters = {});

} // namespace thalweg::strategies
