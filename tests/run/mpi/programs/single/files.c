/* SPDX-License-Identifier: BSD-3-Clause */
// Files that are written and read by nonblocking collectives: MPI libraries may do that work in the calls
// that wait for their requests, beside operations in flight.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 500, ROUNDS = 3 };

static void complete(int how, int count, MPI_Request requests[]) {
  MPI_Status statuses[2];
  int index;
  if (how == 0)
    MUST(MPI_Waitall(count, requests, statuses));
  for (int i = 0; how == 1 && i < count; ++i)
    MUST(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  for (int i = 0; how == 2 && i < count; ++i)
    MUST(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(60);
  char name[200];
  snprintf(name, sizeof name, "%s/thalweg-files-%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
           (int)getpid());
  MUST(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
  MPI_File file;
  MUST(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &file));
  const MPI_Offset place = (MPI_Offset)world_rank * LENGTH * sizeof(int);
  for (int round = 0; round < ROUNDS; ++round) {
    context("round %d", round);
    int mine[LENGTH], got[LENGTH], sum = 0;
    for (int i = 0; i < LENGTH; ++i)
      mine[i] = world_rank * LENGTH + i + round;
    MPI_Request requests[2];
    MUST(MPI_Iallreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]));
    MUST(MPI_File_iwrite_at_all(file, place, mine, LENGTH, MPI_INT, &requests[0]));
    complete(round, 2, requests);
    REQUIRE(sum == world_size * (world_size - 1) / 2, "the sum is %d", sum);
    MUST(MPI_File_iread_at_all(file, place, got, LENGTH, MPI_INT, &requests[0]));
    complete(round, 1, requests);
    REQUIRE(memcmp(mine, got, sizeof mine) == 0, "what was written is not what was read");
  }
  MUST(MPI_File_close(&file));
  if (world_rank == 0)
    puts("passed files");
  end();
  return 0;
}
