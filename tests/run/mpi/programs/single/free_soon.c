/* SPDX-License-Identifier: BSD-3-Clause */
// Communicators are freed after every number of calls that a round of learning may end with: what ranks have
// begun to agree on then must be brought to its end.
#include "check.h"

#include <stdio.h>

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  for (int calls = 2; calls < 40; ++calls) {
    context("free_soon: %d calls", calls);
    MPI_Comm communicator;
    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &communicator));
    for (int i = 0; i < calls; ++i) {
      int highest = -1;
      const int mine = world_rank + i;
      MUST(MPI_Allreduce(&mine, &highest, 1, MPI_INT, MPI_MAX, communicator));
      REQUIRE(highest == world_size - 1 + i, "the largest is %d", highest);
      MPI_Request request;
      MUST(MPI_Iallreduce(&mine, &highest, 1, MPI_INT, MPI_MIN, communicator, &request));
      MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
      REQUIRE(highest == i, "the smallest is %d", highest);
    }
    MUST(MPI_Comm_free(&communicator));
  }
  if (world_rank == 0)
    puts("passed free_soon");
  end();
  return 0;
}
