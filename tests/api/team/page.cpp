// SPDX-License-Identifier: BSD-3-Clause
#include "thalweg/team.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  thalweg::team all(MPI_COMM_WORLD);
  thalweg::symmetric_memory<double> table = all.allocate<double>(4); // four numbers on every rank
  if (all.rank() == 0)
    table[3] = 42;
  all.broadcast(table.span(), 0, thalweg::loose); // may still be under way on return ...
  all.barrier();                                  // ... and has arrived everywhere after this
  double mine = all.rank() + 1, total = 0;
  thalweg::request sum = all.start().allreduce(std::span(&mine, 1), std::span(&total, 1), MPI_SUM);
  // ... compute ...
  sum.wait();
  std::printf("rank %d of %d: table[3] = %g, total = %g\n", all.rank(), all.size(), table[3], total);
  all.free(); // with its memory, before MPI ends
  MPI_Finalize();
}
