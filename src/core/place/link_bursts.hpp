// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which links other jobs use: from bursts between pairs of slots, whose routes say which links they cross. A
// link is free if any burst over it is as fast as most bursts are.

#include "machine/allocation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::place {

/// Bytes from one slot to another.
struct Burst {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::vector<topology::Link> links; ///< that it crosses
  double capacity = 1;               ///< the least of theirs

  bool operator==(const Burst&) const = default;
};

/// Bursts that go on at once: no two share a link, a sender's node or a receiver's.
using BurstRound = std::vector<Burst>;

/// For each of the links, a burst over as few links as may be, between the first slots of two nodes; and one
/// more between two other nodes, where there is one, so that a busy node is not taken for a busy link.
/// Links that no two nodes' messages cross have none. O(nodes^2 * hops).
std::vector<BurstRound> link_bursts(const machine::Allocation& allocation,
                                    std::span<const topology::Link> links, bool two_each);

/// All links whose bursts can tell something; empty where messages are spread over links, as then none does.
/// A node's own link to its switch is not among them: what is slow there may as well be the node's processor.
std::vector<topology::Link> burst_links(const machine::Allocation& allocation);

/// Seconds by round and burst.
using BurstTimes = std::vector<std::vector<double>>;

/// Of each burst the middle one of some passes, at least one.
BurstTimes middle_times(std::span<const BurstTimes> passes);
/// Of each burst the one than which so many of some passes are faster.
BurstTimes times_at(std::span<const BurstTimes> passes, std::size_t faster);

/// What a burst takes over quiet links of capacity 1: as long as the fastest quarter at most. One flow slows
/// bursts over its links, those that its ends' nodes send or receive, and others' answers: more than half of
/// them on a small network. 0 of none.
double quiet_seconds(std::span<const BurstRound> rounds, const BurstTimes& times);

/// What is left of each of the machine's links: 1, or less for those of `links` over which all bursts took
/// more than `slow` times as long as over quiet ones of their capacity. O(bursts * links).
std::vector<double> free_parts(const topology::Interconnect& machine, std::span<const topology::Link> links,
                               std::span<const BurstRound> rounds, const BurstTimes& times, double quiet,
                               double slow);

} // namespace thalweg::place
