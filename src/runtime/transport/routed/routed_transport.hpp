// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Two transports as one: the shorter way to the ranks that it reaches, the other to the rest.

#include "transport/transport.hpp"
#include "wait/policy.hpp"

#include <vector>

namespace thalweg::transport {

/// `near_ranks[r]` is the number that rank r has on the near transport, or -1 where only the far one goes.
/// Ranks and their numbers are the far transport's.
std::unique_ptr<Transport> make_routed(std::unique_ptr<Transport> near, std::unique_ptr<Transport> far,
                                       std::vector<Rank> near_ranks, const wait::Policy& waiting);

} // namespace thalweg::transport
