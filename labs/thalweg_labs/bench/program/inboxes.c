/* SPDX-License-Identifier: BSD-3-Clause */
/* inboxes REPEATS SENDERS:QUEUED...: what a receive takes whose message is there, among messages with other
 * tags.
 *
 * The source's test of receives from anybody (Zhang 2002, section 4.2). For each case the first SENDERS ranks
 * behind rank 0 have sent it QUEUED messages each that nobody asks for yet. Then one after the other sends
 * some that rank 0 wants, which receives them once they are there. Prints a line for each case and way:
 * SENDERS QUEUED WAY SECONDS, the median. */

#include "thalweg/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WANTED = 1, OTHERS = 100, TURN = 1, MAX_REPEATS = 4096, A_TURN = 4 };

static thalweg_team* team;
static MPI_Comm messages; /* of MPI's own */
static double wanted_number, found;

/* To send, and to receive from the rank or anybody. */
typedef struct {
  const char* name;
  int is_card;
  int is_open;
} way;

static const way ways[] = {{"any", 1, 1}, {"named", 1, 0}, {"mpi-any", 0, 1}, {"mpi-named", 0, 0}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Leaves the core to those whose turn it is. */
static void wait_asleep(MPI_Request request) {
  const struct timespec pause = {0, 200000};
  for (int is_done = 0; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), !is_done;)
    nanosleep(&pause, NULL);
}

static void barrier(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_asleep(request);
}

static void await_turn(int rank, double* number) {
  MPI_Request request;
  MPI_Irecv(number, 1, MPI_DOUBLE, rank, TURN, MPI_COMM_WORLD, &request);
  wait_asleep(request);
}

static void send_to_first(const way* by, int tag, double number) {
  if (by->is_card)
    thalweg_team_send(team, 0, tag, &number, sizeof number);
  else
    MPI_Send(&number, 1, MPI_DOUBLE, 0, tag, messages);
}

static void receive(const way* by, int from, int tag) {
  if (by->is_card)
    thalweg_team_receive(team, from, tag, &found, sizeof found, NULL);
  else
    MPI_Recv(&found, 1, MPI_DOUBLE, from < 0 ? MPI_ANY_SOURCE : from, tag, messages, MPI_STATUS_IGNORE);
}

static int order(const void* a, const void* b) {
  const double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

/* Only the sender whose turn it is works, and says so once its message is there. */
static void time_first(const way* by, int senders, int queued, int repeats, double* seconds) {
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const int sender = 1 + repeat % senders;
    wanted_number = repeat;
    MPI_Send(&wanted_number, 1, MPI_DOUBLE, sender, TURN, MPI_COMM_WORLD);
    await_turn(sender, &wanted_number);
    const double begin = MPI_Wtime();
    for (int number = 0; number < A_TURN; ++number)
      receive(by, by->is_open ? -1 : sender, WANTED);
    seconds[repeat] = (MPI_Wtime() - begin) / A_TURN;
    if (found != repeat)
      MPI_Abort(MPI_COMM_WORLD, 3);
  }
  for (int sender = 1; sender <= senders; ++sender)
    for (int number = 0; number < queued; ++number)
      receive(by, sender, OTHERS + sender * queued + number);
}

static void serve_turns(const way* by, int rank, int senders, int queued, int repeats) {
  for (int number = 0; number < queued; ++number)
    send_to_first(by, OTHERS + rank * queued + number, 0);
  barrier();
  for (int repeat = rank - 1; repeat < repeats; repeat += senders) {
    double number;
    await_turn(0, &number);
    for (int sent = 0; sent < A_TURN; ++sent)
      send_to_first(by, WANTED, number);
    MPI_Send(&number, 1, MPI_DOUBLE, 0, TURN, MPI_COMM_WORLD);
  }
}

static void run(const way* by, int rank, int senders, int queued, int repeats) {
  static double seconds[MAX_REPEATS];
  if (rank > 0 && rank <= senders)
    serve_turns(by, rank, senders, queued, repeats);
  else
    barrier();
  if (rank == 0) {
    time_first(by, senders, queued, repeats, seconds);
    qsort(seconds, (size_t)repeats, sizeof *seconds, order);
    printf("%d %d %s %.9f\n", senders, queued, by->name, seconds[repeats / 2]);
    fflush(stdout);
  }
  barrier();
}

int main(int count, char** words) {
  int rank = 0;
  const char* where = "";
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &messages);
  if (thalweg_team_create(MPI_COMM_WORLD, &team) || thalweg_team_open_inboxes(team) ||
      thalweg_team_inboxes(team, &where))
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 0)
    printf("%s\n", where);
  const int repeats = atoi(words[1]) < MAX_REPEATS ? atoi(words[1]) : MAX_REPEATS;
  for (int word = 2; word < count; ++word) {
    int senders = 0, queued = 0;
    if (sscanf(words[word], "%d:%d", &senders, &queued) == 2)
      for (int number = 0; number < WAYS; ++number)
        run(&ways[number], rank, senders, queued, repeats);
  }
  thalweg_team_free(&team);
  MPI_Finalize();
  return 0;
}
