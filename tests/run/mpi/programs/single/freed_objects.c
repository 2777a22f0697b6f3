/* SPDX-License-Identifier: BSD-3-Clause */
// What a process keeps of objects that were freed, by its resident memory: after so many rounds of making,
// using and freeing communicators, datatypes, operators, requests, groups and windows.
//
//     freed_objects ROUNDS KIB_MAX

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long resident_kib(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
    return -1;
  fclose(file);
  return pages * 4;
}

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int at = 0; at < 2 * *length; ++at)
    ((int*)inout)[at] += ((int*)in)[at];
}

static void run(int rounds) {
  static int in[8], out[8], memory[8];
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm comm, child;
    MPI_Datatype pair;
    MPI_Op op;
    MPI_Request request;
    MPI_Group group;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_split(comm, 0, 0, &child);
    for (int call = 0; call < 5; ++call)
      MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAX, child);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(in, out, 1, pair, op, comm);
    MPI_Bcast(in, 2, pair, 0, comm);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send_init(in, 1, pair, MPI_PROC_NULL, 0, comm, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Comm_group(comm, &group);
    MPI_Group_free(&group);
    if (round % 16 == 0) {
      MPI_Win window;
      MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &window);
      MPI_Win_fence(0, window);
      MPI_Win_fence(0, window);
      MPI_Win_free(&window);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    MPI_Comm_free(&child);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 5000;
  const long most = argc > 2 ? atol(argv[2]) : 1024;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  run(rounds / 4 + 1); // whatever is made once
  const long before = resident_kib();
  run(rounds);
  const long grown = resident_kib() - before;
  long largest = 0;
  MPI_Allreduce(&grown, &largest, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("grown %ld KiB\n%s", largest, largest <= most ? "passed freed_objects\n" : "");
  MPI_Finalize();
  return largest > most;
}
