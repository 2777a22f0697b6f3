// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Samples: a strategy applied to a problem that a person describes in a few words, to be shown, exported or
// proven.

#include "strategies/index.hpp"
#include "topology/network.hpp"

#include <optional>
#include <string>
#include <vector>

namespace thalweg::strategies {

struct SampleSize {
  std::int32_t ranks = 1;
  Rank root = 0;
  std::int32_t ranks_per_node = 0; ///< 0: all on one node, or on a network each on its own
  std::int64_t unit_bytes = 0;     ///< for strategies that cut units into pieces by size
  topology::NodePlaces node_places = {};
  /// The node of each rank, numbered from 0; empty: as many on each as above.
  std::vector<std::int32_t> nodes = {};
  /// The switch of each rank's node, for strategies of network devices, numbered from 0; empty: one for all.
  /// Nothing: as the network says.
  std::optional<std::vector<std::int32_t>> leaves = {};
  /// Of alltoallv and alltoallw: to how many others a rank has something (strategies/degree.hpp); 0: to all.
  /// Among neighbors how many a rank sends to, those after it; 0: a ring.
  double degree = 0;
};

struct Sample {
  const Strategy* strategy = nullptr;
  Problem problem = {};
  double degree = 0; ///< of SampleSize
};

/// Applies a selection ("allreduce=ring:segment=64KiB") to a problem of that size; neighborhood operations
/// get neighbors by the degree. Throws Error for what the index does not know, for native, and where the
/// strategy refuses the problem.
Sample make_sample(std::string_view selection, const SampleSize& size);

/// Mean bytes of a block in the sample's messages, for units of so many bytes.
std::int64_t block_bytes(const Sample& sample, std::int64_t unit_bytes);

/// Of each rank's steps, bytes of their messages, where ranks pass on blocks of which some are empty; empty:
/// as blocks say, also for more ranks than are followed.
std::vector<std::vector<std::int64_t>> message_bytes(const Sample& sample, std::int64_t unit_bytes);

/// One rank's schedule; throws Error if there is no such rank.
schedule::Schedule build(const Sample& sample, Rank rank);
std::vector<schedule::Schedule> build_all(const Sample& sample);
/// All of them as GOAL text (schedule/goal.hpp), for units of so many bytes.
std::string export_goal(const Sample& sample, std::int64_t unit_bytes);

} // namespace thalweg::strategies
