// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The neighbors of all ranks of a communicator, for strategies that know the whole graph.

#include "mpi/comm/communicators.hpp"
#include "schedule/problem.hpp"
#include "strategies/strategy.hpp"

#include <map>
#include <memory>
#include <vector>

namespace thalweg::mpi {

/// Gathered once for a communicator, whose graph never changes. Every rank then knows O(edges), and finds
/// phases alike.
class NeighborGraph {
public:
  /// Puts all ranks' neighbors into a problem that has this rank's. Why not, the same on all ranks, or
  /// nullptr. All ranks are in the same call. The first time it communicates, in a call that may wait for
  /// others, which `may_wait` says.
  const char* put_into(schedule::Problem& problem, CommunicatorState& communicator, bool may_wait);
  /// Puts the strategy's phases into a problem that has all ranks' neighbors.
  void put_phases_into(schedule::Problem& problem, const strategies::Strategy& strategy,
                       CommunicatorState& communicator);

private:
  using Neighborhoods = std::vector<schedule::Neighborhood>;

  const char* gather(const schedule::Neighborhood& own, CommunicatorState& communicator);

  std::shared_ptr<const Neighborhoods> all_;
  const char* why_none_ = nullptr; ///< that the ranks found when they gathered it
  std::map<const strategies::Strategy*, std::shared_ptr<const schedule::PhasesOfEdges>> phases_;
};

} // namespace thalweg::mpi
