/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose communication changes: phases of one collective each, one after the other.
 *
 *   phases OPERATION:BYTES:CALLS[:DEGREE] ...
 *
 * BYTES are those of a unit: what each pair, rank or vector has. With DEGREE, an alltoallv in which each rank
 * sends to that many ranks after it and nothing to the others. "sum" and "maximum" are all-reduces of
 * floating-point numbers, "allreduce" is one of whole ones. Between calls ranks compute a little, and not
 * equally much. Rank 0 prints each phase's seconds, a line each. Every result is checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_words = 4 };

struct phase {
  const char* operation;
  int bytes, calls, degree;
};

static int rank, ranks;
static int* input;
static int* output;
static int* counts[2];
static int* places[2];

static struct phase read_phase(char* text) {
  struct phase phase = {"", 0, 0, 0};
  char* words[max_words] = {0};
  int count = 0;
  for (char* word = strtok(text, ":"); word != NULL && count < max_words; word = strtok(NULL, ":"))
    words[count++] = word;
  if (count < 3) {
    fprintf(stderr, "phases: '%s' is not OPERATION:BYTES:CALLS[:DEGREE]\n", text);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  phase.operation = words[0];
  phase.bytes = atoi(words[1]);
  phase.calls = atoi(words[2]);
  phase.degree = count > 3 ? atoi(words[3]) : ranks;
  return phase;
}

/* What rank `from` has for rank `to`, so that results can be told. */
static int value(int from, int to) {
  return from * 1000 + to;
}

static void expect(int found, int expected, const char* operation, int place) {
  if (found == expected)
    return;
  fprintf(stderr, "phases: rank %d: %s: %d at %d, not %d\n", rank, operation, found, place, expected);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(int unit) {
  for (int to = 0; to < ranks; ++to)
    for (int i = 0; i < unit; ++i)
      input[to * unit + i] = value(rank, to);
}

/* Each rank sends to the `degree` ranks after it; to itself too where that is said of all ranks. */
static int is_neighbor(int ahead, int degree) {
  return ahead == 0 ? degree >= ranks : ahead <= degree;
}

static void count_sparse(int unit, int degree) {
  for (int other = 0; other < ranks; ++other) {
    const int ahead = (other - rank + ranks) % ranks, behind = (rank - other + ranks) % ranks;
    counts[0][other] = is_neighbor(ahead, degree) ? unit : 0;
    counts[1][other] = is_neighbor(behind, degree) ? unit : 0;
    places[0][other] = places[1][other] = other * unit;
  }
}

static void reduce_doubles(struct phase phase, MPI_Op op, int expected) {
  const int numbers = phase.bytes / (int)sizeof(double);
  double* const own = (double*)(void*)input;
  double* const results = (double*)(void*)output;
  for (int i = 0; i < numbers; ++i)
    own[i] = rank;
  MPI_Allreduce(own, results, numbers, MPI_DOUBLE, op, MPI_COMM_WORLD);
  expect((int)results[0], expected, phase.operation, 0);
}

static void call_and_check(struct phase phase) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int unit = phase.bytes / (int)sizeof(int);
  const int last = unit - 1;
  if (strcmp(phase.operation, "alltoall") == 0) {
    MPI_Alltoall(input, unit, MPI_INT, output, unit, MPI_INT, world);
    for (int from = 0; from < ranks; ++from)
      expect(output[from * unit + last], value(from, rank), phase.operation, from);
  } else if (strcmp(phase.operation, "alltoallv") == 0) {
    MPI_Alltoallv(input, counts[0], places[0], MPI_INT, output, counts[1], places[1], MPI_INT, world);
    const int from = (rank - 1 + ranks) % ranks; /* a neighbor, however few there are */
    if (phase.degree > 0)
      expect(output[from * unit + last], value(from, rank), phase.operation, from);
  } else if (strcmp(phase.operation, "allgather") == 0) {
    MPI_Allgather(input, unit, MPI_INT, output, unit, MPI_INT, world);
    for (int from = 0; from < ranks; ++from)
      expect(output[from * unit + last], value(from, 0), phase.operation, from);
  } else if (strcmp(phase.operation, "broadcast") == 0) {
    int* buffer = rank == 0 ? input : output;
    MPI_Bcast(buffer, unit, MPI_INT, 0, world);
    expect(buffer[last], value(0, 0), phase.operation, last);
  } else if (strcmp(phase.operation, "allreduce") == 0) {
    MPI_Allreduce(input, output, unit, MPI_INT, MPI_MAX, world);
    expect(output[last], value(ranks - 1, 0), phase.operation, last);
  } else if (strcmp(phase.operation, "sum") == 0) {
    reduce_doubles(phase, MPI_SUM, ranks * (ranks - 1) / 2);
  } else if (strcmp(phase.operation, "maximum") == 0) {
    reduce_doubles(phase, MPI_MAX, ranks - 1);
  } else {
    fprintf(stderr, "phases: no operation '%s'\n", phase.operation);
    MPI_Abort(world, 2);
  }
}

/* A few hundred nanoseconds to microseconds, not the same on all ranks and calls. */
static void compute(int call) {
  volatile double sum = 0;
  for (int i = 0; i < 100 + (call * 7 + rank * 13) % 50 * 10; ++i)
    sum += i;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int side = 0; side < 2; ++side) {
    counts[side] = calloc((size_t)ranks, sizeof(int));
    places[side] = calloc((size_t)ranks, sizeof(int));
  }
  for (int arg = 1; arg < argc; ++arg) {
    const struct phase phase = read_phase(argv[arg]);
    const size_t bytes = (size_t)phase.bytes * (size_t)ranks + sizeof(int);
    input = realloc(input, bytes);
    output = realloc(output, bytes);
    memset(output, 0, bytes);
    fill(phase.bytes / (int)sizeof(int));
    count_sparse(phase.bytes / (int)sizeof(int), phase.degree);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int call = 0; call < phase.calls; ++call) {
      compute(call);
      call_and_check(phase);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
      printf("%s %.6f\n", phase.operation, MPI_Wtime() - begin);
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
