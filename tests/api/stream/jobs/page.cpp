// SPDX-License-Identifier: BSD-3-Clause
#include "thalweg/stream.hpp"

#include <cstdint>
#include <cstdio>
#include <vector>

struct Sample { // what travels: eight bytes that say which bar grows
  std::uint64_t bar;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const std::uint64_t bars = 1000; // of each rank: bar b of all is bar b / ranks of rank b % ranks
    std::vector<std::uint64_t> histogram(bars);
    thalweg::stream<Sample> samples(MPI_COMM_WORLD, [&](const Sample& s) { ++histogram[s.bar]; });
    std::uint64_t random = 88172645463325252 + static_cast<std::uint64_t>(rank);
    for (int i = 0; i < 1'000'000; ++i) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      const std::uint64_t bar = random % (bars * static_cast<std::uint64_t>(ranks));
      samples.send(static_cast<int>(bar) % ranks, {bar / static_cast<std::uint64_t>(ranks)});
    }
    samples.finish(); // every sample of every rank has been counted
    std::uint64_t mine = 0, all = 0;
    for (const std::uint64_t bar : histogram)
      mine += bar;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("%llu samples\n", static_cast<unsigned long long>(all));
  } // streams end before MPI does
  MPI_Finalize();
}
