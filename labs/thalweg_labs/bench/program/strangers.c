/* SPDX-License-Identifier: BSD-3-Clause */
/* A micro-benchmark as strangers write it: each call alone, between barriers, timed by itself.
 *
 * strangers WARM CALLS LIMIT_S OPERATION,.. BYTES,..
 *
 * Every operation with every size: WARM calls that are not timed, then CALLS that are. Before each of them
 * are two barriers, as in Intel's IMB-MPI1. A case that would take longer than LIMIT_S has fewer calls. Roots
 * go round. Bytes are what IMB-MPI1 means: of the vector, or of what each rank gives or gets from each; of
 * the whole vector where it is scattered after a reduction. `pending` is no single call: see there. Rank 0
 * prints for each case
 *
 *     OPERATION BYTES CALLS MICROSECONDS TURN_MICROSECONDS
 *
 * where the microseconds are the mean over the ranks of each rank's median, and a turn is a call with its
 * barriers: how ranks leave a barrier decides who waits in the call behind it, but nobody is faster by it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { barriers = 2 };

static int rank, ranks;
static char *from, *to;
static int *counts, *places, *shares;

static void prepare(size_t bytes) {
  const size_t whole = bytes * (size_t)ranks + 64;
  from = malloc(whole);
  to = malloc(whole);
  memset(from, 1, whole);
  memset(to, 0, whole);
  const int elements = (int)(bytes / sizeof(float));
  for (int r = 0; r < ranks; ++r) {
    counts[r] = (int)bytes;
    places[r] = (int)(bytes * (size_t)r);
    shares[r] = elements / ranks + (r < elements % ranks);
  }
}

/* A long message is under way from rank 1 to rank 0 while all ranks make a barrier and a small sum: both ends
 * have to look after it meanwhile. */
static int pending(int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int tag = 1;
  int one = 1, sum = 0;
  if (rank == 0 && ranks > 1)
    MPI_Irecv(to, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request);
  if (rank == 1)
    MPI_Send(from, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* From each even rank to the next. */
static int send_and_receive(int bytes) {
  if (rank % 2 == 1)
    return MPI_Recv(to, bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return rank + 1 < ranks ? MPI_Send(from, bytes, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD) : MPI_SUCCESS;
}

/* Round a ring, by one call or by a wait for both directions. */
static int pass_on(int bytes, int by_one_call) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  if (by_one_call)
    return MPI_Sendrecv(from, bytes, MPI_BYTE, next, 0, to, bytes, MPI_BYTE, previous, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
  MPI_Request requests[2];
  MPI_Irecv(to, bytes, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from, bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[1]);
  return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* One call; `root` where there is one. Returns what stands for an operation that is not known. */
static int call(const char* operation, int bytes, int root) {
  const int elements = bytes / (int)sizeof(float);
  const MPI_Comm world = MPI_COMM_WORLD;
  if (!strcmp(operation, "barrier"))
    return MPI_Barrier(world);
  if (!strcmp(operation, "pending"))
    return pending(bytes);
  if (!strcmp(operation, "send"))
    return send_and_receive(bytes);
  if (!strcmp(operation, "sendrecv") || !strcmp(operation, "waitall"))
    return pass_on(bytes, !strcmp(operation, "sendrecv"));
  if (!strcmp(operation, "broadcast"))
    return MPI_Bcast(from, bytes, MPI_BYTE, root, world);
  if (!strcmp(operation, "reduce"))
    return MPI_Reduce(from, to, elements, MPI_FLOAT, MPI_SUM, root, world);
  if (!strcmp(operation, "allreduce"))
    return MPI_Allreduce(from, to, elements, MPI_FLOAT, MPI_SUM, world);
  if (!strcmp(operation, "gather"))
    return MPI_Gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, root, world);
  if (!strcmp(operation, "gatherv"))
    return MPI_Gatherv(from, bytes, MPI_BYTE, to, counts, places, MPI_BYTE, root, world);
  if (!strcmp(operation, "scatter"))
    return MPI_Scatter(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, root, world);
  if (!strcmp(operation, "scatterv"))
    return MPI_Scatterv(from, counts, places, MPI_BYTE, to, bytes, MPI_BYTE, root, world);
  if (!strcmp(operation, "allgather"))
    return MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, world);
  if (!strcmp(operation, "allgatherv"))
    return MPI_Allgatherv(from, bytes, MPI_BYTE, to, counts, places, MPI_BYTE, world);
  if (!strcmp(operation, "alltoall"))
    return MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, world);
  if (!strcmp(operation, "alltoallv"))
    return MPI_Alltoallv(from, counts, places, MPI_BYTE, to, counts, places, MPI_BYTE, world);
  if (!strcmp(operation, "reduce_scatter"))
    return MPI_Reduce_scatter(from, to, shares, MPI_FLOAT, MPI_SUM, world);
  if (!strcmp(operation, "reduce_scatter_block"))
    return MPI_Reduce_scatter_block(from, to, elements / ranks, MPI_FLOAT, MPI_SUM, world);
  if (!strcmp(operation, "scan"))
    return MPI_Scan(from, to, elements, MPI_FLOAT, MPI_SUM, world);
  if (!strcmp(operation, "exscan"))
    return MPI_Exscan(from, to, elements, MPI_FLOAT, MPI_SUM, world);
  fprintf(stderr, "strangers: no operation %s\n", operation);
  MPI_Abort(world, 2);
  return MPI_ERR_OTHER;
}

static double timed(const char* operation, int bytes, int root) {
  for (int i = 0; i < barriers; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  call(operation, bytes, root);
  return MPI_Wtime() - begin;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(const char* operation, int bytes, int warm, int calls, double limit_s) {
  prepare((size_t)bytes);
  /* How many calls fit into the limit is found by the first ones, barriers included. */
  const double begin = MPI_Wtime();
  int made = 0;
  for (int go_on = 1; made < warm && go_on; ++made) {
    timed(operation, bytes, made % ranks);
    go_on = made < 2 || MPI_Wtime() - begin < limit_s / 4;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  const double each_s = (MPI_Wtime() - begin) / (made > 0 ? made : 1);
  if (made > 0 && each_s * calls > limit_s)
    calls = each_s * 5 > limit_s ? 5 : (int)(limit_s / each_s);
  MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
  double* const times = malloc(sizeof(double) * (size_t)calls);
  const double begin_turns = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
    times[i] = timed(operation, bytes, i % ranks);
  const double turn_s = (MPI_Wtime() - begin_turns) / calls;
  qsort(times, (size_t)calls, sizeof(double), ascending);
  double median = times[calls / 2], sum = 0;
  MPI_Reduce(&median, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s %d %d %.4f %.4f\n", operation, bytes, calls, sum / ranks * 1e6, turn_s * 1e6);
    fflush(stdout);
  }
  free(times);
  free(from);
  free(to);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count != 6) {
    if (rank == 0)
      fprintf(stderr, "strangers WARM CALLS LIMIT_S OPERATION,.. BYTES,..\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int** const tables[] = {&counts, &places, &shares};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
    *tables[i] = calloc((size_t)ranks, sizeof(int));
  char* next_operation = NULL;
  for (char* operation = strtok_r(words[4], ",", &next_operation); operation != NULL;
       operation = strtok_r(NULL, ",", &next_operation)) {
    char* const sizes = strdup(words[5]);
    char* next_size = NULL;
    for (char* size = strtok_r(sizes, ",", &next_size); size != NULL;
         size = strtok_r(NULL, ",", &next_size)) {
      measure(operation, atoi(size), atoi(words[1]), atoi(words[2]), atof(words[3]));
      if (!strcmp(operation, "barrier"))
        break;
    }
    free(sizes);
  }
  MPI_Finalize();
  return 0;
}
