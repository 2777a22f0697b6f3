// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs to measure simulators with: those of LogGOPSim's generator Schedgen, operation for operation, so
// that finish times can be compared to the nanosecond.

#include "simulate/program.hpp"

#include <functional>
#include <string_view>

namespace thalweg::simulate {

/// A message's costs, from its bytes.
using CostOf = std::function<MessageCost(std::int64_t bytes)>;

/// The names that sample_program() knows: dissemination, binomialtreebcast, linear_alltoall,
/// allreduce_recdoub, allreduce_ring.
std::span<const std::string_view> sample_names();

/// That program. Throws Error for other names, for less than one rank, and for sizes below 0.
Program sample_program(std::string_view name, std::int64_t ranks, std::int64_t bytes, const CostOf& cost);

} // namespace thalweg::simulate
