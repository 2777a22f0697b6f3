/* SPDX-License-Identifier: BSD-3-Clause */
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

// Each exposes its memory to the one before it; nothing is moved.
static void expose(MPI_Comm comm, MPI_Win window) {
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  const int next = (me + 1) % size, before = (me + size - 1) % size;
  MPI_Group all, targets, origins;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 1, &next, &targets);
  MPI_Group_incl(all, 1, &before, &origins);
  MPI_Win_post(origins, 0, window);
  MPI_Win_start(targets, 0, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Group_free(&targets);
  MPI_Group_free(&origins);
  MPI_Group_free(&all);
}

// 36 bytes in 5 messages to the next of the communicator, and 30 in 5 from it.
static void one_sided(MPI_Comm comm) {
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  const int next = (me + 1) % size;
  int memory[32] = {0}, own[8] = {0}, result = 0;
  double sum = 1;
  MPI_Win window;
  MPI_Request request;
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &window);
  MPI_Win_fence(0, window);
  MPI_Put(own, 2, MPI_INT, next, 0, 2, MPI_INT, window);
  MPI_Get(own + 4, 16, MPI_CHAR, next, 64, 16, MPI_CHAR, window);
  MPI_Accumulate(&sum, 1, MPI_DOUBLE, next, 16, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Put(own, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock_all(0, window);
  MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, next, 24, 1, MPI_INT, MPI_NO_OP, window);
  MPI_Win_flush_all(window);
  MPI_Fetch_and_op(own, &result, MPI_INT, next, 28, MPI_SUM, window);
  MPI_Win_flush_all(window);
  MPI_Compare_and_swap(own, own + 1, &result, MPI_INT, next, 32, window);
  MPI_Win_flush_all(window);
  MPI_Rput(own, 2, MPI_INT, next, 40, 2, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush_all(window);
  MPI_Rget(own + 2, 2, MPI_CHAR, next, 48, 2, MPI_CHAR, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
  MPI_Win_unlock(next, window);
  expose(comm, window);
  MPI_Win_free(&window);
}

static void partitioned(void) {
#if MPI_VERSION >= 4
  char out[32] = {0}, in[32];
  MPI_Request requests[2];
  MPI_Precv_init(in, 4, 8, MPI_CHAR, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Psend_init(out, 4, 8, MPI_CHAR, (rank + 1) % ranks, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int times = 0; times < 3; ++times) {
    MPI_Startall(2, requests);
    MPI_Pready_range(0, 3, requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
#endif
}

// To the one of the other group.
static void between_groups(void) {
  char out[5] = {0}, in[5];
  MPI_Comm group, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &both);
  MPI_Sendrecv(out, 5, MPI_CHAR, rank / 2, 1, in, 5, MPI_CHAR, rank / 2, 1, both, MPI_STATUS_IGNORE);
  MPI_Pcontrol(8);
  char all[2 * 6], own[6] = {0}, seven[7] = {0};
  double one = 1, sum = 0;
  MPI_Allgather(own, 6, MPI_CHAR, all, 6, MPI_CHAR, both); // 6 bytes to each of the other group
  const int even_root = rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(seven, 7, MPI_CHAR, rank % 2 == 0 ? even_root : 0, both); // 7 bytes from rank 0 to each odd one
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, both);            // 8 bytes between ranks 0 and 1
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
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
  MPI_Pcontrol(5);
  one_sided(reversed);
  MPI_Pcontrol(6);
  partitioned(); // 96 bytes in 3 messages to the next, on libraries that have them
  MPI_Pcontrol(7);
  between_groups(); // 5 bytes to the neighbor of a pair, then collectives
  free(all);
  free(given);
  MPI_Comm_free(&reversed);
  if (rank == 0)
    printf("passed traffic\n");
  MPI_Finalize();
  return 0;
}
