// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rank.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::balancing {

/// The ranks, those of a node one after the other, and of its sockets. `sockets` is empty where nobody knows.
/// Else they stay in their order.
std::vector<Rank> near_order(std::span<const std::int32_t> nodes, std::span<const std::int32_t> sockets);

/// Does it name each of its places once?
bool is_order(std::span<const Rank> order);

} // namespace thalweg::balancing
