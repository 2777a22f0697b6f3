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
 *
 * A nonblocking call, as `ialltoall`, is waited for at once, and that is its time. Then it is begun before a
 * computation of that time and waited for afterwards, as OSU's osu_ialltoall does: "ialltoall:4" with four
 * tests of the request within the computation, "ialltoall" without. Rank 0 prints further
 *
 *     beside OPERATION BYTES COMPUTED_MICROSECONDS MICROSECONDS
 *
 * where the latter are those of start, computation and wait. What the computation takes longer than alone
 * is in them too, which OSU's overlap leaves out. Neighborhoods are a closed row of all ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { barriers = 2 };

static int rank, ranks;
static MPI_Comm row = MPI_COMM_NULL; /* all ranks, each with two neighbors */
static char *from, *to;
static int *counts, *places, *shares;

static void prepare(size_t bytes) {
  const size_t blocks = ranks > 1 ? (size_t)ranks : 2; /* a rank of the row has two neighbors */
  const size_t whole = bytes * blocks + 64;
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
  if (!strcmp(operation, "neighbor_allgather"))
    return MPI_Neighbor_allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, row);
  if (!strcmp(operation, "neighbor_alltoall"))
    return MPI_Neighbor_alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, row);
  if (!strcmp(operation, "scan"))
    return MPI_Scan(from, to, elements, MPI_FLOAT, MPI_SUM, world);
  if (!strcmp(operation, "exscan"))
    return MPI_Exscan(from, to, elements, MPI_FLOAT, MPI_SUM, world);
  fprintf(stderr, "strangers: no operation %s\n", operation);
  MPI_Abort(world, 2);
  return MPI_ERR_OTHER;
}

/* A nonblocking one is only begun. */
static int start(const char* operation, int bytes, int root, MPI_Request* request) {
  const int elements = bytes / (int)sizeof(float);
  const MPI_Comm world = MPI_COMM_WORLD;
  if (!strcmp(operation, "ibarrier"))
    return MPI_Ibarrier(world, request);
  if (!strcmp(operation, "ibroadcast"))
    return MPI_Ibcast(from, bytes, MPI_BYTE, root, world, request);
  if (!strcmp(operation, "ireduce"))
    return MPI_Ireduce(from, to, elements, MPI_FLOAT, MPI_SUM, root, world, request);
  if (!strcmp(operation, "iallreduce"))
    return MPI_Iallreduce(from, to, elements, MPI_FLOAT, MPI_SUM, world, request);
  if (!strcmp(operation, "iallgather"))
    return MPI_Iallgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, world, request);
  if (!strcmp(operation, "ialltoall"))
    return MPI_Ialltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, world, request);
  if (!strcmp(operation, "ialltoallv"))
    return MPI_Ialltoallv(from, counts, places, MPI_BYTE, to, counts, places, MPI_BYTE, world, request);
  if (!strcmp(operation, "ineighbor_allgather"))
    return MPI_Ineighbor_allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, row, request);
  if (!strcmp(operation, "ineighbor_alltoall"))
    return MPI_Ineighbor_alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, row, request);
  fprintf(stderr, "strangers: no operation %s\n", operation);
  MPI_Abort(world, 2);
  return MPI_ERR_OTHER;
}

static int is_nonblocking(const char* operation) {
  return operation[0] == 'i';
}

/* A chain of operations on registers, each of which waits for the one before. */
static void turn(long turns) {
  static volatile double kept = 1;
  double value = kept;
  for (long i = 0; i < turns; ++i)
    value = value * 0.999999 + 1e-9;
  kept = value;
}

static double turns_a_second; /* of all ranks at once; the fastest of some tries */

static void know_speed(void) {
  enum { tries = 9, few = 100000 };
  for (int i = 0; i < tries; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    turn(few);
    const double found = few / (MPI_Wtime() - begin);
    turns_a_second = found > turns_a_second ? found : turns_a_second;
  }
}

/* What is done between the start and the wait: nothing, or a computation with tests in it. */
static struct beside {
  double seconds;
  int tests;
} beside;

static int call_beside(const char* operation, int bytes, int root) {
  MPI_Request request;
  int is_done = 0;
  start(operation, bytes, root, &request);
  for (int part = 0; part <= beside.tests && beside.seconds > 0; ++part) {
    turn((long)(beside.seconds / (beside.tests + 1) * turns_a_second));
    if (part < beside.tests && !is_done)
      MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  }
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double timed(const char* operation, int bytes, int root) {
  for (int i = 0; i < barriers; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (is_nonblocking(operation))
    call_beside(operation, bytes, root);
  else
    call(operation, bytes, root);
  return MPI_Wtime() - begin;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The mean over the ranks of each rank's median, and what a turn takes, in seconds; known to all ranks. */
struct times {
  double call, turn;
};

static struct times times_of(const char* operation, int bytes, int calls) {
  double* const times = malloc(sizeof(double) * (size_t)calls);
  struct times found;
  const double begin_turns = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
    times[i] = timed(operation, bytes, i % ranks);
  found.turn = (MPI_Wtime() - begin_turns) / calls;
  qsort(times, (size_t)calls, sizeof(double), ascending);
  MPI_Allreduce(&times[calls / 2], &found.call, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  found.call /= ranks;
  free(times);
  return found;
}

static void measure_beside(const char* title, const char* operation, int bytes, int calls, double alone) {
  const char* tests = strchr(title, ':');
  beside = (struct beside){alone, tests == NULL ? 0 : atoi(tests + 1)};
  const struct times found = times_of(operation, bytes, calls);
  beside = (struct beside){0, 0};
  if (rank == 0)
    printf("beside %s %d %.4f %.4f\n", title, bytes, alone * 1e6, found.call * 1e6);
}

/* `title`: the operation as it was asked for. */
static void measure(const char* title, int bytes, int warm, int calls, double limit_s) {
  char operation[64] = {0};
  strncpy(operation, title, sizeof operation - 1);
  operation[strcspn(operation, ":")] = 0;
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
  const struct times found = times_of(operation, bytes, calls);
  if (rank == 0)
    printf("%s %d %d %.4f %.4f\n", title, bytes, calls, found.call * 1e6, found.turn * 1e6);
  if (is_nonblocking(operation))
    measure_beside(title, operation, bytes, calls, found.call);
  fflush(stdout);
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
  const int is_closed = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &is_closed, 0, &row);
  know_speed();
  char* next_operation = NULL;
  for (char* operation = strtok_r(words[4], ",", &next_operation); operation != NULL;
       operation = strtok_r(NULL, ",", &next_operation)) {
    char* const sizes = strdup(words[5]);
    char* next_size = NULL;
    for (char* size = strtok_r(sizes, ",", &next_size); size != NULL;
         size = strtok_r(NULL, ",", &next_size)) {
      measure(operation, atoi(size), atoi(words[1]), atoi(words[2]), atof(words[3]));
      if (!strcmp(operation, "barrier") || !strcmp(operation, "ibarrier"))
        break;
    }
    free(sizes);
  }
  MPI_Comm_free(&row);
  MPI_Finalize();
  return 0;
}
