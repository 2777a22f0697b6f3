// SPDX-License-Identifier: BSD-3-Clause

// The hosts of a ring of ranks, after it was put onto a network that a list of hosts describes.

#include "checks.hpp"
#include "thalweg/place.hpp"

#include <array>
#include <unistd.h>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  thalweg::reordering found;
  MPI_Comm ring = thalweg::reorder(
      MPI_COMM_WORLD, {{(rank + 1) % ranks, 1e6}, {(rank + ranks - 1) % ranks, 1e6}}, {}, &found);
  std::array<char, 64> name{};
  gethostname(name.data(), name.size() - 1);
  std::vector<std::array<char, 64>> names(static_cast<std::size_t>(ranks));
  MPI_Gather(name.data(), 64, MPI_CHAR, names.data(), 64, MPI_CHAR, 0, ring);
  MPI_Comm_rank(ring, &rank);
  if (rank == 0) {
    std::printf("%s:", found.is_renumbered != 0 ? "renumbered" : found.reason);
    for (const std::array<char, 64>& one : names)
      std::printf(" %s", one.data());
    std::printf("\n");
  }
  MPI_Comm_free(&ring);
  MPI_Finalize();
}
