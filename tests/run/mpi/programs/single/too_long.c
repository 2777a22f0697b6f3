/* SPDX-License-Identifier: BSD-3-Clause */
// Counts that do not match: the call fails with MPI_ERR_TRUNCATE where the message was too long, and the next
// ones work.
#include "check.h"

#include <mpi.h>

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(60);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < 5; ++turn) {
    int numbers[4] = {1, 2, 3, 4};
    const int code = MPI_Bcast(numbers, world_rank == 0 ? 4 : 1, MPI_INT, 0, MPI_COMM_WORLD);
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    REQUIRE(class == (world_rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE), "the error's class is %d", class);
    int one = 1, sum = 0;
    for (int i = 0; i < 3; ++i)
      MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REQUIRE(sum == world_size, "the sum is %d", sum);
  }
  end();
  return 0;
}
