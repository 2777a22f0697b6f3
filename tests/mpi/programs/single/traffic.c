// Messages whose numbers and bytes are known: the test holds the recorded pattern against them.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;

static void every_kind_of_send(MPI_Comm comm) {
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  const int next = (me + 1) % size;
  const int before = (me + size - 1) % size;
  char out[64] = {0}, in[64], attached[4096];
  MPI_Request requests[2];
  for (int times = 0; times < 5; ++times) {
    MPI_Irecv(in, 64, MPI_CHAR, before, times, comm, &requests[0]);
    if (times == 0)
      MPI_Send(out, 1, MPI_CHAR, next, times, comm);
    else if (times == 1)
      MPI_Ssend(out, 2, MPI_CHAR, next, times, comm);
    else if (times == 2)
      MPI_Rsend(out, 1, MPI_INT, next, times, comm);
    else if (times == 3) {
      MPI_Isend(out, 8, MPI_CHAR, next, times, comm, &requests[1]);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else {
      MPI_Issend(out, 2, MPI_DOUBLE, next, times, comm, &requests[1]);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_SELF);
  }
  MPI_Sendrecv(out, 32, MPI_CHAR, next, 9, in, 64, MPI_CHAR, before, 9, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(in, 64, MPI_CHAR, next, 9, before, 9, comm, MPI_STATUS_IGNORE);
  MPI_Buffer_attach(attached, sizeof attached);
  MPI_Irecv(in, 64, MPI_CHAR, before, 10, comm, &requests[0]);
  MPI_Bsend(out, 16, MPI_DOUBLE_INT, MPI_PROC_NULL, 10, comm);
  MPI_Bsend(out, 3, MPI_CHAR, next, 10, comm);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  void* detached;
  int size_of_it;
  MPI_Buffer_detach(&detached, &size_of_it);
}

static void persistent(void) {
  char out[16] = {0}, in[16];
  MPI_Request requests[2];
  MPI_Recv_init(in, 16, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 10, MPI_CHAR, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[1]);
  for (int times = 0; times < 4; ++times) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);

  every_kind_of_send(MPI_COMM_WORLD); // 130 bytes in 8 messages to the next
  every_kind_of_send(reversed);       // and to the one before
  MPI_Pcontrol(2);
  persistent(); // 40 bytes in 4 messages to the next
  MPI_Pcontrol(0);
  persistent(); // not recorded
  MPI_Pcontrol(1);
  char* all = calloc((size_t)ranks, 24);
  char* given = calloc((size_t)ranks, 24);
  MPI_Pcontrol(3);
  for (int times = 0; times < 10; ++times)
    MPI_Alltoall(given, 24, MPI_CHAR, all, 24, MPI_CHAR, MPI_COMM_WORLD); // 240 bytes to everybody else
  MPI_Pcontrol(4);
  for (int times = 0; times < 10; ++times) {
    MPI_Allgather(given, 8, MPI_CHAR, all, 8, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Pcontrol(4);
  }
  free(all);
  free(given);
  MPI_Comm_free(&reversed);
  if (rank == 0)
    printf("passed traffic\n");
  MPI_Finalize();
  return 0;
}
