// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who leads in strategies of two levels: one rank of each node, or one of each socket.

#include "strategies/strategy.hpp"
#include "topology/node_groups.hpp"

#include <memory>

namespace thalweg::strategies {

/// The parameter `level`: `node` or `socket`.
Parameter level_parameter();

/// The ranks by node or by socket, as the problem's `level` says. With a root given, it leads its group. Each
/// thread keeps what it found last, as the schedules of many ranks of one problem are made one after another.
std::shared_ptr<const topology::NodeGroups> leader_groups(const Problem& problem, Rank root = -1);

/// Why there cannot be a leader for each socket, or nothing.
std::optional<std::string> unsupported_level_reason(const Problem& problem);

} // namespace thalweg::strategies
