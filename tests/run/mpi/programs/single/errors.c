/* SPDX-License-Identifier: BSD-3-Clause */
// Errors on duplicates of MPI_COMM_WORLD: which call says what of them, and whose handler hears of it. Each
// rank prints what it was told: errors custom | fatal CASE...
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { few = 4, many = 100, patience_s = 60 };

static int rank, size, told;
static int sent[16 * many], room[16 * many], counts[16], offsets[16];
static MPI_Comm apart; // the communicator of the case

static void on_error(MPI_Comm* comm, int* code, ...) {
  int kind = 0;
  int same = MPI_UNEQUAL;
  MPI_Error_class(*code, &kind);
  MPI_Comm_compare(*comm, apart, &same);
  printf("rank %d: handler of %s, class %d\n", rank,
         same == MPI_IDENT ? "its communicator" : "another communicator", kind);
  ++told;
}

static void told_of(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "success";
  int length = 0;
  int kind = 0;
  MPI_Error_class(code, &kind);
  if (code != MPI_SUCCESS)
    MPI_Error_string(code, text, &length);
  printf("rank %d: %s: class %d, %d calls of a handler: %s\n", rank, what, kind, told, text);
}

static void told_status(const MPI_Status* status) {
  int count = 0;
  MPI_Get_count(status, MPI_INT, &count);
  printf("rank %d: from %d, tag %d\n", rank, status->MPI_SOURCE, status->MPI_TAG);
}

// Rank 0 sends more than rank 1 has room for.
static int send_many(void) {
  return MPI_Send(sent, many, MPI_INT, 1, 7, apart);
}

static int run_message(const char* what) {
  MPI_Status status;
  MPI_Status both[2];
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int index = 0;
  int done = 0;
  memset(&status, 0, sizeof status);
  memset(both, 0, sizeof both);
  if (rank > 1)
    return MPI_SUCCESS;
  if (strncmp(what, "sendrecv", 8) == 0) {
    const int mine = rank == 0 ? many : few;
    return strcmp(what, "sendrecv") == 0
               ? MPI_Sendrecv(sent, mine, MPI_INT, 1 - rank, 7, room, few, MPI_INT, 1 - rank, 7, apart,
                              &status)
               : MPI_Sendrecv_replace(room, mine, MPI_INT, 1 - rank, 7, 1 - rank, 7, apart, &status);
  }
  if (rank == 0)
    return send_many();
  if (strcmp(what, "recv") == 0) {
    const int code = MPI_Recv(room, few, MPI_INT, MPI_ANY_SOURCE, 7, apart, &status);
    told_status(&status);
    return code;
  }
  if (strcmp(what, "mrecv") == 0) {
    MPI_Mprobe(0, 7, apart, &message, &status);
    return MPI_Mrecv(room, few, MPI_INT, &message, &status);
  }
  if (strcmp(what, "probed") == 0) {
    MPI_Probe(MPI_ANY_SOURCE, 7, apart, &status);
    return MPI_Recv(room, few, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, apart, MPI_STATUS_IGNORE);
  }
  MPI_Irecv(room, few, MPI_INT, 0, 7, apart, &requests[0]);
  if (strcmp(what, "wait") == 0)
    return MPI_Wait(&requests[0], &status);
  if (strcmp(what, "waitany") == 0)
    return MPI_Waitany(2, requests, &index, &status);
  if (strcmp(what, "test") == 0) {
    int code = MPI_SUCCESS;
    while (done == 0 && code == MPI_SUCCESS)
      code = MPI_Test(&requests[0], &done, &status);
    return code;
  }
  const int code = strcmp(what, "waitsome") == 0 ? MPI_Waitsome(2, requests, &done, &index, both)
                                                 : MPI_Waitall(2, requests, both);
  if (code == MPI_ERR_IN_STATUS)
    told_of("its status", both[0].MPI_ERROR);
  return code;
}

static int run_collective(const char* what) {
  const int mine = rank == 0 ? many : few; // who has room for few gets many
  for (int r = 0; r < size; ++r) {
    counts[r] = rank == 1 ? few : many;
    offsets[r] = r * many;
  }
  if (strcmp(what, "bcast") == 0)
    return MPI_Bcast(room, mine, MPI_INT, 0, apart);
  if (strcmp(what, "gather") == 0)
    return MPI_Gather(sent, many, MPI_INT, room, few, MPI_INT, 0, apart);
  if (strcmp(what, "gatherv") == 0)
    return MPI_Gatherv(sent, many, MPI_INT, room, (int[16]){few, few, few, few}, offsets, MPI_INT, 0, apart);
  if (strcmp(what, "scatter") == 0)
    return MPI_Scatter(sent, many, MPI_INT, room, mine, MPI_INT, 0, apart);
  if (strcmp(what, "alltoall") == 0)
    return MPI_Alltoall(sent, many, MPI_INT, room, few, MPI_INT, apart);
  if (strcmp(what, "alltoallv") == 0)
    return MPI_Alltoallv(sent, (int[16]){many, many, many, many}, offsets, MPI_INT, room,
                         (int[16]){few, few, few, few}, offsets, MPI_INT, apart);
  if (strcmp(what, "allgather") == 0)
    return MPI_Allgather(sent, many, MPI_INT, room, few, MPI_INT, apart);
  if (strcmp(what, "allgatherv") == 0)
    return MPI_Allgatherv(sent, many, MPI_INT, room, counts, offsets, MPI_INT, apart);
  if (strcmp(what, "reduce") == 0)
    return MPI_Reduce(sent, room, rank == 0 ? few : many, MPI_INT, MPI_SUM, 0, apart);
  return MPI_Allreduce(sent, room, mine, MPI_INT, MPI_SUM, apart);
}

static int run_argument(const char* what) {
  if (strcmp(what, "bad-bcast") == 0)
    return MPI_Bcast(room, few, MPI_INT, size + 3, apart);
  if (strcmp(what, "bad-allreduce") == 0)
    return MPI_Allreduce(sent, room, few, MPI_DATATYPE_NULL, MPI_SUM, apart);
  if (rank != 1)
    return MPI_SUCCESS;
  if (strcmp(what, "bad-send") == 0)
    return MPI_Send(sent, few, MPI_INT, size + 3, 7, apart);
  if (strcmp(what, "bad-recv") == 0)
    return MPI_Recv(room, -1, MPI_INT, 0, 7, apart, MPI_STATUS_IGNORE);
  if (strcmp(what, "bad-probe") == 0)
    return MPI_Probe(size + 3, 7, apart, MPI_STATUS_IGNORE);
  return MPI_Sendrecv(sent, few, MPI_INT, size + 3, 7, room, few, MPI_INT, 0, 7, apart, MPI_STATUS_IGNORE);
}

static int run_case(const char* what) {
  const char* const messages =
      " recv mrecv probed wait waitany waitsome waitall test sendrecv sendrecv_replace ";
  char word[64];
  snprintf(word, sizeof word, " %s ", what);
  if (strstr(messages, word) != NULL)
    return run_message(what);
  return strncmp(what, "bad-", 4) == 0 ? run_argument(what) : run_collective(what);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  alarm(patience_s);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  if (strcmp(argv[1], "custom") == 0) {
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); // and its duplicates'
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  }
  for (int argument = 2; argument < argc; ++argument) {
    // Libraries may be left with messages that nobody takes, so it is not freed.
    MPI_Comm_dup(MPI_COMM_WORLD, &apart);
    told = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    told_of(argv[argument], run_case(argv[argument]));
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
