/* SPDX-License-Identifier: BSD-3-Clause */

/* An error handler of the program jumps out of calls. */

#include <mpi.h>
#include <setjmp.h>

static jmp_buf before;

static void jump(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  longjmp(before, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  int word = 0;
  for (volatile int step = 0; step < 20; ++step)
    if (setjmp(before) == 0)
      MPI_Send(&word, 1, MPI_INT, 77, 0, MPI_COMM_WORLD); /* there is no such rank */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
