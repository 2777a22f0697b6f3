/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends a pattern under many numberings of the ranks, in turns, for `thalweg bench place --metrics`:
 *
 *   mapped FILE ROUNDS
 *
 * FILE has whole numbers: the phases, for each its messages, and for each of these sender, receiver and
 * bytes; then the numberings, and for each the rank that has the place of sender or receiver 0, 1, … Phases
 * follow each other: a rank begins the next when its own messages are through. Prints the median seconds of
 * each numbering by its slowest rank.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { tag = 7 };

struct message {
  int from;
  int to;
  int bytes;
};

struct phase {
  int count;
  struct message* messages;
};

static FILE* file;

static int number(void) {
  int value = 0;
  if (fscanf(file, "%d", &value) != 1) {
    fprintf(stderr, "mapped: the file ends too early\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return value;
}

static void* room(size_t bytes) {
  void* const data = malloc(bytes + 1);
  if (data == NULL)
    MPI_Abort(MPI_COMM_WORLD, 3);
  return data;
}

/* Gives the bytes of all its messages. */
static size_t read_phase(struct phase* phase) {
  size_t bytes = 0;
  phase->count = number();
  phase->messages = room((size_t)phase->count * sizeof *phase->messages);
  for (int index = 0; index < phase->count; ++index) {
    const int from = number();
    const int to = number();
    phase->messages[index] = (struct message){from, to, number()};
    bytes += (size_t)phase->messages[index].bytes;
  }
  return bytes;
}

static int by_size(const void* a, const void* b) {
  const double difference = *(const double*)a - *(const double*)b;
  return (difference > 0) - (difference < 0);
}

static void send_phase(const struct phase* phase, const int* rank_of, int rank, char* data, char* in,
                       MPI_Request* requests) {
  int count = 0;
  for (int index = 0; index < phase->count; ++index) {
    const struct message* const message = &phase->messages[index];
    if (rank_of[message->to] == rank) {
      MPI_Irecv(in, message->bytes, MPI_BYTE, rank_of[message->from], tag, MPI_COMM_WORLD,
                &requests[count++]);
      in += message->bytes;
    }
    if (rank_of[message->from] == rank)
      MPI_Isend(data, message->bytes, MPI_BYTE, rank_of[message->to], tag, MPI_COMM_WORLD,
                &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  file = argc == 3 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) {
    fprintf(stderr, "mapped FILE ROUNDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int rounds = atoi(argv[2]);
  const int phases = number();
  struct phase* const all = room((size_t)phases * sizeof *all);
  size_t bytes_max = 0;
  int count_max = 0;
  for (int index = 0; index < phases; ++index) {
    const size_t bytes = read_phase(&all[index]);
    bytes_max = bytes > bytes_max ? bytes : bytes_max;
    count_max = all[index].count > count_max ? all[index].count : count_max;
  }
  const int numberings = number();
  int* const rank_of = room((size_t)numberings * (size_t)ranks * sizeof *rank_of);
  for (int index = 0; index < numberings * ranks; ++index)
    rank_of[index] = number();
  char* const data = room(bytes_max);
  char* const in = room(bytes_max);
  MPI_Request* const requests = room(2 * (size_t)count_max * sizeof *requests);
  double* const own = room((size_t)numberings * (size_t)(rounds + 1) * sizeof *own);
  /* The first round makes connections. */
  for (int round = -1; round < rounds; ++round)
    for (int turn = 0; turn < numberings; ++turn) {
      const int numbering = (turn + (round > 0 ? round : 0)) % numberings;
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int index = 0; index < phases; ++index)
        send_phase(&all[index], rank_of + (size_t)numbering * (size_t)ranks, rank, data, in, requests);
      if (round >= 0)
        own[numbering * rounds + round] = MPI_Wtime() - begin;
    }
  double* const slowest = room((size_t)numberings * (size_t)(rounds + 1) * sizeof *slowest);
  MPI_Reduce(own, slowest, numberings * rounds, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int numbering = 0; rank == 0 && numbering < numberings; ++numbering) {
    double* const times = slowest + (size_t)numbering * (size_t)rounds;
    qsort(times, (size_t)rounds, sizeof *times, by_size);
    printf("%.9f\n", times[rounds / 2]);
  }
  for (int index = 0; index < phases; ++index)
    free(all[index].messages);
  free(all);
  free(rank_of);
  free(data);
  free(in);
  free(requests);
  free(own);
  free(slowest);
  fclose(file);
  MPI_Finalize();
  return 0;
}
