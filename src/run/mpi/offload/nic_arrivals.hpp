// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who came last to collectives on network devices, as these have seen it. No clocks of hosts are in it.

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::mpi {

/// The calls of a function that one rank came last to. It lives as long as the process.
struct LastArrivals {
  const char* function; ///< MPI's name, which lives as long
  int rank;             ///< in the program's world
  std::atomic<std::uint64_t> calls = 0;
  std::atomic<std::uint64_t> waited_us = 0; ///< the first rank of each call for this one, together

  LastArrivals(const char* of, int number) : function(of), rank(number) {}
  void note(std::uint32_t waited) {
    calls.fetch_add(1, std::memory_order_relaxed);
    waited_us.fetch_add(waited, std::memory_order_relaxed);
  }
};

/// Has them looked up once, as calls that have waited are to end at once.
LastArrivals& last_arrivals(const char* function, int rank);

/// Of one group: who of its ranks came last.
class LastRanks {
public:
  LastRanks() = default; ///< where this process has nothing to tell
  /// The ranks of the group, as the program's world numbers them.
  explicit LastRanks(std::vector<std::int32_t> world_ranks)
      : world_ranks_(std::move(world_ranks)), last_(world_ranks_.size()) {}

  /// `counted`: a rank of the group from 1 on; 0: none.
  void note(const char* function, std::uint32_t counted, std::uint32_t waited_us) {
    if (counted - 1 >= last_.size())
      return;
    std::atomic<LastArrivals*>& known = last_[counted - 1];
    LastArrivals* last = known.load(std::memory_order_relaxed);
    if (last == nullptr || last->function != function)
      known.store(last = &last_arrivals(function, world_ranks_[counted - 1]), std::memory_order_relaxed);
    last->note(waited_us);
  }

private:
  std::vector<std::int32_t> world_ranks_;
  std::vector<std::atomic<LastArrivals*>> last_;
};

/// All that were counted, for the report: a JSON array, empty text where there are none.
std::string last_on_nics();
/// Of each function the rank that was last most often, for people; empty likewise.
std::string last_on_nics_line();

} // namespace thalweg::mpi
