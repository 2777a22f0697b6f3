// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks of which the report of an unfinished job has nothing, by their hosts.

#include "mpi/observe/profile.hpp"

#include <span>
#include <string>
#include <vector>

namespace thalweg::mpi::observe {

/// Where the ranks of a job are, and where those of each host count.
struct JobMap {
  struct Host {
    std::string name;
    std::string part; ///< the file there, as its ranks name it; empty where they count in memory, or nowhere
  };
  std::vector<Host> hosts;
  std::vector<int> nodes; ///< of each rank: a place in `hosts`
};

struct MissingRanks {
  std::string host;
  std::string part; ///< of a host none of whose ranks are there; empty where it has none
  std::vector<int> ranks;
};

/// The ranks of the job that are not among those given, in the order of hosts; none where the map is empty.
std::vector<MissingRanks> missing_ranks(const JobMap& map, std::span<const RankProfile> found);

/// "0-3, 7", of ascending ranks.
std::string ranks_text(std::span<const int> ranks);

/// A line for the summary; empty where none are missing.
std::string missing_line(std::span<const MissingRanks> missing);

} // namespace thalweg::mpi::observe
