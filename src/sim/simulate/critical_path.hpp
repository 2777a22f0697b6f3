// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Why a program takes as long as it does: the chain of operations and messages, each of which began because
// the one before had ended, that reaches from the start to the finish.

#include "simulate/rank_network.hpp"
#include "simulate/result.hpp"
#include "simulate/trace.hpp"

#include <array>

namespace thalweg::simulate {

/// The critical path, in order of time and without a pause. Of several chains it is one.
std::vector<Segment> critical_path(const Program& program, const Trace& trace, const Result& result,
                                   const RankNetwork* network = nullptr);

/// How long each kind of cost is on a path.
std::array<Ticks, cost_kinds> by_kind(const std::vector<Segment>& path);

/// How long each link is on a path, longest first: what it carried there and what waited for it.
std::vector<std::pair<topology::Link, Ticks>> by_link(const std::vector<Segment>& path);

/// What all ranks' processors did when, by rank and then in order of time.
std::vector<Segment> timeline(const Program& program, const Trace& trace,
                              const RankNetwork* network = nullptr);

} // namespace thalweg::simulate
