#pragma once

// Why a program takes as long as it does: the chain of operations and messages, each of which began because
// the one before had ended, that reaches from the start to the finish.

#include "simulate/program.hpp"
#include "simulate/result.hpp"
#include "simulate/trace.hpp"

#include <array>

namespace thalweg::simulate {

/// The critical path, in order of time and without a pause. Of several chains it is one.
std::vector<Segment> critical_path(const Program& program, const Trace& trace, const Result& result);

/// How long each kind of cost is on a path.
std::array<Ticks, cost_kinds> by_kind(const std::vector<Segment>& path);

/// What all ranks' processors did when, by rank and then in order of time.
std::vector<Segment> timeline(const Program& program, const Trace& trace);

} // namespace thalweg::simulate
