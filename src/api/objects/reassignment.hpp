// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which rank each element is to be on, found by one rank that knows what all elements' messages took. The
// balancer's schemes (src/core/balance) know less and scale further; these look at each element, and one of
// them at who calls whom.

#include "base/rank.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thalweg::objects {

struct Burden {
  double seconds = 0; ///< of its messages since the last fence
  Rank rank = 0;      ///< where it is
};

/// Two elements, by their places among the burdens, and what one has sent to the other.
struct Talk {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0;
};

/// The heaviest element first, each to the rank that has least; where two have the same, to the one where it
/// is, if it is one of them. Within 4/3 of the best maximum (Graham 1969). O(elements log elements); most
/// elements move.
std::vector<Rank> greedy_ranks(const std::vector<Burden>& elements, std::int32_t ranks);

/// Ranks over (1 + threshold) times the mean give elements to others, the heaviest that fits there, until
/// none is, or none fits. Few move. Source: Charm++'s RefineLB (Kale and Krishnan 1993; see docs/objects.md).
std::vector<Rank> refined_ranks(const std::vector<Burden>& elements, std::int32_t ranks, double threshold);

/// Elements in parts that weigh the same with little sent between them (place/partition.hpp), and each part
/// to the rank that has most of it already.
std::vector<Rank> near_ranks(const std::vector<Burden>& elements, const std::vector<Talk>& talks,
                             std::int32_t ranks, double threshold);

/// The most that a rank has to do.
double slowest_seconds(const std::vector<Burden>& elements, const std::vector<Rank>& rank_of,
                       std::int32_t ranks);
/// What is sent between elements on different ranks.
double cut_bytes(const std::vector<Talk>& talks, const std::vector<Rank>& rank_of);

} // namespace thalweg::objects
