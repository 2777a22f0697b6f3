/* SPDX-License-Identifier: BSD-3-Clause */
// Control that leaves MPI calls by a jump: error handlers that call longjmp, and one that jumps within
// itself. What is called afterwards, deeper on the stack than the call that was left, works as before.

#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf back;
static sigjmp_buf back_with_signals;
static int rank, size, jumps, inner;

static void jump(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++jumps;
  if (jumps % 2 == 0)
    siglongjmp(back_with_signals, 1);
  longjmp(back, 1);
}

// Comes back by itself.
static void jump_inside(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  jmp_buf here;
  if (setjmp(here) == 0)
    longjmp(here, 1);
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  inner += sum;
}

static void hear(MPI_Comm comm, MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(function, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}

__attribute__((noinline)) static int sum_of_ranks(int depth, int* wrong) {
  volatile char room[4096];
  room[0] = (char)depth;
  if (depth > 0)
    return sum_of_ranks(depth - 1, wrong) + room[0] - (char)depth;
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  *wrong += sum != size * (size - 1) / 2;
  return sum;
}

__attribute__((noinline)) static void make_a_mistake(int which) {
  static int numbers[4];
  if (which == 0)
    MPI_Send(&rank, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
  else if (which == 1)
    MPI_Bcast(&rank, 1, MPI_INT, size + 5, MPI_COMM_WORLD);
  else if (which == 2)
    MPI_Recv(numbers, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // four were sent
  else
    MPI_Comm_split(MPI_COMM_WORLD, -77, 0, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  volatile int wrong = 0;
  hear(MPI_COMM_WORLD, jump);
  for (volatile int round = 0; round < 6; ++round) {
    int more = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    static int four[4];
    if (rank == round % size) { // one rank alone
      if (round % 3 == 2)
        MPI_Isend(four, 4, MPI_INT, rank, 7, MPI_COMM_WORLD, &request);
      if (setjmp(back) == 0 && sigsetjmp(back_with_signals, 1) == 0) {
        make_a_mistake(round % 3);
        wrong += 100;
      }
      if (round % 3 == 2)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int call = 0; call < 30; ++call)
      sum_of_ranks(call % 3, &more);
    wrong += more;
  }
  hear(MPI_COMM_WORLD, jump_inside);
  for (int round = 0; round < 4; ++round) {
    int more = 0;
    if (rank == 0)
      make_a_mistake(0);
    sum_of_ranks(1, &more);
    wrong += more;
  }
  if (wrong != 0 || inner != (rank == 0 ? 4 : 0))
    printf("rank %d: wrong %d, jumps %d, inner %d\n", rank, wrong, jumps, inner);
  int all = wrong;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0)
    printf("passed jumps\n");
  MPI_Finalize();
  return all != 0;
}
