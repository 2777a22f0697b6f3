/* SPDX-License-Identifier: BSD-3-Clause */
#include "probes.h"

#include "core_probes.h"
#include "loaded_probes.h"
#include "memory_probes.h"
#include "noise.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { max_samples = 10001, tag = 7, token = 8 };

static int rank, ranks;
static char *from, *to;
static size_t capacity;
static double samples[max_samples];
/* The pair that this rank is of. */
static int peer, is_first;

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

static void put(int to_rank, int bytes) {
  MPI_Send(from, bytes, MPI_BYTE, to_rank, tag, MPI_COMM_WORLD);
}

static void get(int from_rank, int bytes) {
  MPI_Recv(to, bytes, MPI_BYTE, from_rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute_until(double end) {
  while (MPI_Wtime() < end)
    ;
}

/* Links that let bursts through forget the last sample. */
static void rest(int bytes) {
  compute_until(MPI_Wtime() + (bytes > 1024 ? 2e-3 : 0));
}

/* Half a round trip, `count` of them a sample. */
static double ping_pong(int bytes, int count) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    if (is_first)
      put(peer, bytes);
    get(peer, bytes);
    if (!is_first)
      put(peer, bytes);
  }
  return (MPI_Wtime() - begin) / count / 2;
}

/* A message that is overtaken by a token, and an answer. The receiver asks for the message before it is sent,
 * or when it has the token, by which it has seen the message. */
static double overtaken(int bytes, int is_posted) {
  MPI_Request request;
  if (is_first) {
    get(peer, 0); /* the other is ready */
    const double begin = MPI_Wtime();
    MPI_Isend(from, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
    MPI_Send(from, 0, MPI_BYTE, peer, token, MPI_COMM_WORLD);
    get(peer, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Wtime() - begin;
  }
  if (is_posted)
    MPI_Irecv(to, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
  put(peer, 0);
  MPI_Recv(NULL, 0, MPI_BYTE, peer, token, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is_posted)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  else
    get(peer, bytes);
  put(peer, 0);
  return 0;
}

/* What a message costs more that comes unexpected. */
static double unexpected(int bytes, int count) {
  double more = 0;
  for (int i = 0; i < count; ++i) {
    more += overtaken(bytes, 0);
    rest(bytes);
    more -= overtaken(bytes, 1);
    rest(bytes);
  }
  return more / count;
}

/* `count` messages in a row, all asked for before the first is sent, then a short answer; where `both_ways`,
 * as many come from the other at the same time. */
static double burst(int bytes, int count, int both_ways) {
  MPI_Request* requests = malloc(2 * (size_t)count * sizeof *requests);
  const int sends = is_first || both_ways, receives = !is_first || both_ways;
  int begun = 0;
  for (int i = 0; i < count && receives; ++i)
    MPI_Irecv(to, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[begun++]);
  if (is_first)
    MPI_Recv(NULL, 0, MPI_BYTE, peer, token, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(from, 0, MPI_BYTE, peer, token, MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < count && sends; ++i)
    MPI_Isend(from, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[begun++]);
  MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
  if (is_first)
    get(peer, 0);
  else
    put(peer, 0);
  free(requests);
  return (MPI_Wtime() - begin) / count;
}

/* The processor's part at one end: the time in calls, around a computation that is longer than the transfer.
 */
static double overhead(int bytes, double busy, int of_sender) {
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
    return begun - begin + MPI_Wtime() - computed;
  }
  const double begin = MPI_Wtime();
  MPI_Irecv(to, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
  const double begun = MPI_Wtime();
  put(peer, 0);
  const double sent = MPI_Wtime();
  if (!of_sender)
    compute_until(sent + busy);
  const double computed = MPI_Wtime();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return begun - begin + MPI_Wtime() - computed;
}

/* A computation of so many turns, and the time that it took. */
static double compute(double turns) {
  const double begin = MPI_Wtime();
  for (volatile double turn = 0; turn < turns; turn = turn + 1)
    ;
  return MPI_Wtime() - begin;
}

/* What a computation loses to a message sent and one received meanwhile, also to what the system does for
 * them. */
static double overlap(int bytes, double busy) {
  enum { few_turns = 10000 };
  const double turns = few_turns * busy / compute(few_turns);
  const double alone = compute(turns);
  MPI_Request requests[2];
  if (is_first)
    get(peer, 0);
  else
    put(peer, 0);
  const double begin = MPI_Wtime();
  MPI_Irecv(to, bytes, MPI_BYTE, peer, token, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from, bytes, MPI_BYTE, peer, token, MPI_COMM_WORLD, &requests[1]);
  compute(turns);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return MPI_Wtime() - begin - alone;
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

/* Rank 0 prints what the ranks `reporters` measured, of several the slowest. */
static void answer(const char* name, const int* reporters, int reporter_count, int count) {
  static double other[max_samples], slowest[max_samples];
  for (int t = 0; t < reporter_count; ++t) {
    const int reporter = reporters[t];
    if (reporter != 0 && rank == reporter)
      MPI_Send(samples, count, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
    if (reporter != 0 && rank == 0)
      MPI_Recv(other, count, MPI_DOUBLE, reporter, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double* reported = reporter == 0 ? samples : other;
    for (int s = 0; s < count; ++s)
      slowest[s] = t == 0 || reported[s] > slowest[s] ? reported[s] : slowest[s];
  }
  if (rank != 0)
    return;
  printf("{\"probe\": \"%s\", \"us\": [", name + 1);
  for (int s = 0; s < count; ++s)
    printf("%s%.4f", s ? ", " : "", 1e6 * slowest[s]);
  printf("]}\ndone\n");
  fflush(stdout);
}

static double measure_pair(const char* name, int bytes, int amount) {
  const struct Ends ends = {peer, is_first, from, to};
  if (strcmp(name, "@pingpong") == 0)
    return ping_pong(bytes, amount);
  if (strcmp(name, "@unexpected") == 0)
    return unexpected(bytes, amount);
  if (strcmp(name, "@burst") == 0)
    return burst(bytes, amount, 0);
  if (strcmp(name, "@exchange") == 0)
    return burst(bytes, amount, 1);
  if (strcmp(name, "@posted") == 0)
    return trip_among_receives(&ends, bytes, amount);
  if (strcmp(name, "@crossing") == 0)
    return crossing_trip(&ends, bytes, amount);
  if (strcmp(name, "@overlap") == 0)
    return overlap(bytes, amount * 1e-6);
  return overhead(bytes, amount * 1e-6, strcmp(name, "@send") == 0);
}

/* The first ranks of several pairs begin together. */
static void begin_together(const int* firsts, int count) {
  if (count < 2 || !is_first)
    return;
  const int leader = firsts[0];
  for (int t = 1; t < count; ++t)
    if (rank == leader)
      get(firsts[t], 0);
    else if (rank == firsts[t])
      put(leader, 0);
  for (int t = 1; t < count; ++t)
    if (rank == leader)
      put(firsts[t], 0);
    else if (rank == firsts[t])
      get(leader, 0);
}

static void probe_pairs(char** words, int count) {
  const char* name = words[0];
  const int bytes = atoi(words[1]), amount = atoi(words[2]), last = atoi(words[3]);
  const int of_second = strcmp(name, "@receive") == 0;
  static int firsts[max_words], reporters[max_words];
  const int pairs = (count - 4) / 2;
  if (last < 1 || last > max_samples || bytes < 0 || amount < 1)
    MPI_Abort(MPI_COMM_WORLD, 6);
  peer = -1;
  for (int p = 0; p < pairs; ++p) {
    const int a = atoi(words[4 + 2 * p]), b = atoi(words[5 + 2 * p]);
    firsts[p] = a;
    reporters[p] = of_second ? b : a;
    if (rank == a || rank == b) {
      peer = rank == a ? b : a;
      is_first = rank == a;
    }
  }
  reserve((size_t)bytes + sizeof(double));
  for (int s = 0; s < last && peer >= 0; ++s) {
    rest(bytes);
    begin_together(firsts, pairs);
    samples[s] = measure_pair(name, bytes, amount);
  }
  meet();
  answer(name, reporters, pairs, last);
}

/* This rank's part in two pairs of ranks; those below 0 are no pair. */
static void join(const int* group) {
  peer = -1;
  for (int p = 0; p < 2; ++p)
    if (rank == group[2 * p] || rank == group[2 * p + 1]) {
      peer = rank == group[2 * p] ? group[2 * p + 1] : group[2 * p];
      is_first = rank == group[2 * p];
    }
}

/* Two pairs of ranks at a time, group after group, so that what passes between requests is paid once. */
static void probe_meetings(char** words, int count) {
  const int bytes = atoi(words[1]), amount = atoi(words[2]), last = atoi(words[3]);
  const int groups = (count - 4) / 4;
  static double slowest[max_samples];
  if (last < 1 || groups * last > max_samples || bytes < 0 || amount < 1)
    MPI_Abort(MPI_COMM_WORLD, 6);
  reserve((size_t)bytes + sizeof(double));
  memset(samples, 0, sizeof samples);
  for (int g = 0; g < groups; ++g) {
    int group[4];
    for (int i = 0; i < 4; ++i)
      group[i] = atoi(words[4 + 4 * g + i]);
    const int firsts[2] = {group[0], group[2]};
    join(group);
    for (int s = 0; s < last; ++s) {
      meet();
      if (peer < 0)
        continue;
      begin_together(firsts, group[2] < 0 ? 1 : 2);
      const double seconds = burst(bytes, amount, 0);
      samples[g * last + s] = is_first ? seconds : 0;
    }
  }
  meet();
  MPI_Reduce(samples, slowest, groups * last, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (int g = 0; g < groups; ++g) {
    samples[g] = slowest[g * last];
    for (int s = 1; s < last; ++s)
      if (slowest[g * last + s] < samples[g])
        samples[g] = slowest[g * last + s];
  }
  const int reporter = 0;
  answer(words[0], &reporter, 1, groups);
}

/* Of all ranks, or of rank 0 alone. */
static void probe_one(char** words) {
  const char* name = words[0];
  const int amount = atoi(words[1]), last = atoi(words[2]);
  const int reporter = 0;
  if (last < 1 || last > max_samples || amount < 1)
    MPI_Abort(MPI_COMM_WORLD, 6);
  reserve((size_t)amount + sizeof(double));
  for (int s = 0; s < last; ++s)
    if (strcmp(name, "@ring") == 0)
      ring(amount, s);
    else if (rank == 0 && strcmp(name, "@copy") == 0)
      samples[s] = copy_seconds(to, from, (size_t)amount);
    else if (rank == 0 && strcmp(name, "@combine") == 0)
      samples[s] = combine_seconds(to, from, (size_t)amount);
  meet();
  answer(name, &reporter, 1, last);
}

/* All ranks look at their cores at the same time; one of them tells what it saw. */
static void probe_noise(char** words) {
  const int reporter = atoi(words[2]);
  int last = 0;
  meet();
  last = watch_core(atoi(words[1]) * 1e-3, samples, max_samples);
  meet();
  MPI_Bcast(&last, 1, MPI_INT, reporter, MPI_COMM_WORLD);
  answer(words[0], &reporter, 1, last);
}

void probe(char** words, int count) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (is_about_cores(words[0])) {
    if (rank == 0)
      answer_about_cores(words, count);
    meet();
  } else if (count == 3 && strcmp(words[0], "@noise") == 0)
    probe_noise(words);
  else if (count == 3)
    probe_one(words);
  else if (count >= 8 && count % 4 == 0 && strcmp(words[0], "@meetings") == 0)
    probe_meetings(words, count);
  else if (count >= 6 && count % 2 == 0)
    probe_pairs(words, count);
  else
    MPI_Abort(MPI_COMM_WORLD, 6);
}
