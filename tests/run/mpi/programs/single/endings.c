/* SPDX-License-Identifier: BSD-3-Clause */
// Ways to end, and standard streams: endings abort | exit | kill | echo.
//
//   abort   the last rank calls MPI_Abort with status 7 while the others are in a collective
//   exit    the last rank exits with status 9 without MPI_Finalize
//   kill    the last rank is killed by SIGKILL in the middle
//   echo    rank 0 copies standard input to standard output, and nothing else appears there
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(60);
  int one = 1, sum = 0;
  MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  REQUIRE(sum == world_size, "the sum is %d", sum);
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "echo") == 0) {
    for (int c = 0; world_rank == 0 && (c = getchar()) != EOF;)
      putchar(c);
  } else if (world_rank == world_size - 1) {
    if (strcmp(how, "abort") == 0)
      MPI_Abort(MPI_COMM_WORLD, 7);
    else if (strcmp(how, "kill") == 0)
      kill(getpid(), SIGKILL);
    else
      _exit(9);
  } else {
    MPI_Barrier(MPI_COMM_WORLD); // never complete
  }
  end();
  return 0;
}
