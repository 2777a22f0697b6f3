#include "probes.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_samples = 10001, tag = 7 };

static int rank, ranks;
static char *from, *to;
static size_t capacity;
static double samples[most_samples];

void meet(void) {
  MPI_Request request;
  int is_there = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (;;) {
    MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    if (is_there)
      return;
    usleep(300);
  }
}

static void reserve(size_t bytes) {
  if (bytes <= capacity)
    return;
  capacity = bytes;
  from = realloc(from, capacity);
  to = realloc(to, capacity);
  memset(from, 1, capacity);
  memset(to, 1, capacity);
}

static void put(int peer, int bytes) {
  MPI_Send(from, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
}

static void get(int peer, int bytes) {
  MPI_Recv(to, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute_until(double end) {
  while (MPI_Wtime() < end)
    ;
}

/* Half a round trip, `count` of them a sample. Where `late`, both wait before they ask for what has come by
 * then, and the wait is taken off. */
static void ping_pong(int peer, int is_first, int bytes, int count, int late, int s) {
  const double pause = late ? 50e-6 + bytes * 2e-9 : 0;
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    if (is_first)
      put(peer, bytes);
    if (late)
      compute_until(MPI_Wtime() + pause);
    get(peer, bytes);
    if (!is_first)
      put(peer, bytes);
  }
  samples[s] = (MPI_Wtime() - begin) / count / 2 - pause;
}

/* `count` messages in a row, all asked for before the first is sent, then a short answer. */
static void burst(int peer, int is_first, int bytes, int count, int s) {
  MPI_Request* requests = malloc((size_t)count * sizeof *requests);
  if (is_first)
    get(peer, 0);
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i)
    if (is_first)
      MPI_Isend(from, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(to, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[i]);
  if (!is_first)
    put(peer, 0);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  if (is_first)
    get(peer, 0);
  else
    put(peer, 0);
  samples[s] = (MPI_Wtime() - begin) / count;
  free(requests);
}

/* The processor's part at one end: the time in calls, around a computation that is longer than the transfer.
 */
static void overhead(int peer, int is_first, int bytes, double busy, int of_sender, int s) {
  MPI_Request request;
  if (is_first) {
    get(peer, 0); /* the other is ready */
    compute_until(MPI_Wtime() + 20e-6);
    const double begin = MPI_Wtime();
    MPI_Isend(from, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
    const double begun = MPI_Wtime();
    if (of_sender)
      compute_until(begun + busy);
    const double computed = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    samples[s] = begun - begin + MPI_Wtime() - computed;
    return;
  }
  const double begin = MPI_Wtime();
  MPI_Irecv(to, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
  const double begun = MPI_Wtime();
  put(peer, 0);
  const double told = MPI_Wtime();
  if (!of_sender)
    compute_until(told + busy);
  const double computed = MPI_Wtime();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  samples[s] = begun - begin + MPI_Wtime() - computed;
}

static void copy(size_t bytes, int s) {
  const int times = bytes > (1U << 20) ? 1 : (int)((1U << 20) / bytes);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    memcpy(to, from, bytes);
    __asm__ volatile("" ::: "memory");
  }
  samples[s] = (MPI_Wtime() - begin) / times;
}

static void combine(size_t bytes, int s) {
  const int times = bytes > (1U << 20) ? 1 : (int)((1U << 20) / bytes);
  const double* in = (const double*)from;
  double* sum = (double*)to;
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    MPI_Reduce_local(in, sum, (int)(bytes / sizeof *in), MPI_DOUBLE, MPI_SUM);
    __asm__ volatile("" ::: "memory");
  }
  samples[s] = (MPI_Wtime() - begin) / times;
}

static void ring(int count, int s) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    if (rank == 0)
      put(next, 0);
    get(previous, 0);
    if (rank != 0)
      put(next, 0);
  }
  samples[s] = (MPI_Wtime() - begin) / count / ranks;
}

/* Rank 0 tells what `teller` measured. */
static void answer(const char* name, int teller, int count) {
  if (teller != 0 && rank == teller)
    MPI_Send(samples, count, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
  if (rank != 0)
    return;
  if (teller != 0)
    MPI_Recv(samples, count, MPI_DOUBLE, teller, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("{\"probe\": \"%s\", \"us\": [", name + 1);
  for (int s = 0; s < count; ++s)
    printf("%s%.4f", s ? ", " : "", 1e6 * samples[s]);
  printf("]}\ndone\n");
  fflush(stdout);
}

void probe(char** words, int count) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* name = words[0];
  const int last = count > 2 ? atoi(words[count - 1]) : 0;
  if (last < 1 || last > most_samples)
    MPI_Abort(MPI_COMM_WORLD, 6);
  const int is_pair = count == 6;
  const int a = is_pair ? atoi(words[1]) : 0, b = is_pair ? atoi(words[2]) : 0;
  const int bytes = atoi(words[is_pair ? 3 : 1]);
  const int teller = strcmp(name, "@receive") == 0 ? b : a;
  reserve((size_t)bytes + sizeof(double));
  for (int s = 0; s < last; ++s) {
    if (strcmp(name, "@ring") == 0)
      ring(bytes, s);
    else if (!is_pair && rank == 0 && strcmp(name, "@copy") == 0)
      copy((size_t)bytes, s);
    else if (!is_pair && rank == 0 && strcmp(name, "@combine") == 0)
      combine((size_t)bytes, s);
    if (!is_pair || (rank != a && rank != b))
      continue;
    /* Links that let bursts through have forgotten the last sample. */
    compute_until(MPI_Wtime() + (bytes > 1024 ? 2e-3 : 0));
    const int peer = rank == a ? b : a;
    if (strcmp(name, "@pingpong") == 0)
      ping_pong(peer, rank == a, bytes, atoi(words[4]), 0, s);
    else if (strcmp(name, "@unexpected") == 0)
      ping_pong(peer, rank == a, bytes, atoi(words[4]), 1, s);
    else if (strcmp(name, "@burst") == 0)
      burst(peer, rank == a, bytes, atoi(words[4]), s);
    else
      overhead(peer, rank == a, bytes, atof(words[4]) * 1e-6, strcmp(name, "@send") == 0, s);
  }
  answer(name, teller, last);
  meet();
}
