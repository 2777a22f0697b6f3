// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who came last to collectives on network devices, as these have seen it. No clocks of hosts are in it.

#include <atomic>
#include <cstdint>
#include <string>

namespace thalweg::mpi {

// The calls of a function that one rank came last to. It lives as long as the process.
struct LastArrivals {
  const char* function; // MPI's name, which lives as long
  int rank;             // in the program's world
  std::atomic<std::uint64_t> calls = 0;
  std::atomic<std::uint64_t> waited_us = 0; // the first rank of each call for this one, together

  LastArrivals(const char* of, int number) : function(of), rank(number) {}
  void note(std::uint32_t waited) {
    calls.fetch_add(1, std::memory_order_relaxed);
    waited_us.fetch_add(waited, std::memory_order_relaxed);
  }
};

// Has them looked up once, as calls that have waited are to end at once.
LastArrivals& last_arrivals(const char* function, int rank);

// All that were counted, for the report: a JSON array, empty text where there are none.
std::string last_on_nics();
// Of each function the rank that was last most often, for people; empty likewise.
std::string last_on_nics_line();

} // namespace thalweg::mpi
