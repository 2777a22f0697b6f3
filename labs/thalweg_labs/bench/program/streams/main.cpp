// SPDX-License-Identifier: BSD-3-Clause

// Streams beside what a program does without them, in one job, in turns.
//
//   streams ROUNDS ITEMS SCALE EDGE_FACTOR [CASE...]
//
// ITEMS of each rank, ROUNDS times; the graph has 2^SCALE vertices. Only the cases named, if any. Rank 0
// prints for each case, round and way
//
//   CASE ROUND WAY WALL_NANOSECONDS CPU_NANOSECONDS
//
// an item of a rank; CPU time is the mean of the ranks. For cases of few items they are those of a whole
// phase. Ways: `stream`, `aggregator` (by hand over MPI, aggregator.hpp), `bulk` (MPI_Alltoallv of 256 Ki
// items, or MPI_Alltoall where each pair has as many), `barrier` (MPI_Barrier, beside phases of next to
// nothing), `two-streams` (one for questions, one for answers), and those of kinds.cpp. All ways have the
// same random numbers, and have to come to the same sum.

#include "cases.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <span>
#include <string_view>

namespace {

using namespace thalweg::bench;

struct Case {
  std::string_view name;
  void (*run)(const Options&);
};

constexpr Case cases[] = {
    {"histogram", histograms},
    {"permutation", permutation},
    {"ring", ring},
    {"random_access", random_access},
    {"gather", gather},
    {"visits", visits},
    {"bytes", any_bytes},
    {"ask", questions},
    {"combined", merged},
    {"everybody", everybody},
    {"shapes", shapes},
    {"idle", idle},
};

void run(const Options& options, std::span<char* const> chosen) {
  for (const auto& [name, run_case] : cases)
    if (chosen.empty() || std::ranges::find(chosen, name, [](const char* word) {
                            return std::string_view(word);
                          }) != chosen.end())
      run_case(options);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
  if (argc < 5) {
    if (own_rank == 0)
      std::fprintf(stderr, "streams ROUNDS ITEMS SCALE EDGE_FACTOR [CASE...]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  run({std::atoi(argv[1]), static_cast<std::size_t>(std::atoll(argv[2])), std::atoi(argv[3]),
       std::atoi(argv[4])},
      std::span(argv + 5, argv + argc));
  MPI_Finalize();
}
