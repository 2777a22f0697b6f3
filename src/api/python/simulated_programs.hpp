// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs to simulate as Python holds them, and what their messages cost.

#include "simulate/goal.hpp"
#include "simulate/program.hpp"

#include <string_view>
#include <vector>

namespace thalweg::python {

/// The class thalweg._core.SimulatedProgram: a program with what Python wants to know of how it came about.
struct SimulatedProgram {
  simulate::Program program;
  std::uint32_t looked_at = 0;
};

/// Of a machine, between ranks on these nodes; where none are given, between ranks that fill one node after
/// the other. Without a machine of LogGOPS' parameters, wherever the ranks are. Keeps references to the
/// machine and the nodes.
simulate::CostBetween costs_between(const machine::Machine* machine, std::int64_t ranks_per_node,
                                    std::string_view loggops, const std::vector<std::int32_t>& nodes);

} // namespace thalweg::python
