/* SPDX-License-Identifier: BSD-3-Clause */
#include "batches.h"

#include "distance.h"
#include "interposer.h"
#include "operations.h"
#include "overlap.h"
#include "team_calls.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Calls up to brief_seconds are timed in rows of batch_seconds, longer ones one by one, a batch's take
 * apart_seconds. Where ranks share cores they leave an alignment one after the other, as they are given a
 * core: one call by itself would be timed with that, which is more than most calls take. */
static const double apart_seconds = 2e-3;
static double brief_seconds = 2e-5, batch_seconds = 3e-4;
static int share_cores, sleeps;

/* What a rank's calls of a batch took, each in the mean. Only doubles, as ranks gather them. */
struct figures {
  double completion, cpu, exposed, waited, lost;
};
enum { figure_count = sizeof(struct figures) / sizeof(double) };

static double now(void) {
  return MPI_Wtime();
}

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void share_cores_between_ranks(int do_share) {
  share_cores = do_share;
  if (share_cores)
    brief_seconds *= 10, batch_seconds *= 10;
}

void sleep_through_computations(int do_sleep) {
  sleeps = do_sleep;
}

/* Batches begin together. Ranks are aligned by messages of this program's own, the same in every kind of job:
 * the barrier of a job may be a candidate itself, and the library's may take far longer than what is measured
 * where ranks outnumber cores. Hence also no waiting within the library. By dissemination (Hensgen, Finkel
 * and Manber 1988). */
static void align(void) {
  enum { tag = 77 };
  interposer.bypass(1);
  for (int distance = 1; distance < buffers.ranks; distance *= 2) {
    MPI_Request requests[2];
    int is_done = 0;
    const int before = (buffers.rank - distance + buffers.ranks) % buffers.ranks;
    MPI_Irecv(NULL, 0, MPI_BYTE, before, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(NULL, 0, MPI_BYTE, (buffers.rank + distance) % buffers.ranks, tag, MPI_COMM_WORLD,
              &requests[1]);
    while (MPI_Testall(2, requests, &is_done, MPI_STATUSES_IGNORE), !is_done)
      sched_yield();
  }
}

/* Chooses the candidate before ranks are aligned: choosing takes a while, and not the same on all ranks. The
 * reduce_scatter of MPI_Reduce_scatter_block is the selection "reduce_scatter" too. */
static void select_strategy(const char* operation, const char* candidate) {
  static const char of_team[] = "team_";
  const char* const name =
      operation + (is_of_team(operation) ? (int)sizeof of_team - 1 : prefix_of(operation));
  char selection[line_bytes];
  if (interposer.is_tuned && !is_of_team(operation))
    return;
  if (interposer.is_tuned) {
    begin_team();
    return;
  }
  if (strcmp(candidate, "native") == 0 || strcmp(candidate, "passed_on") == 0)
    selection[0] = 0;
  else
    snprintf(selection, sizeof selection, "%.*s=%s", (int)strcspn(name, "@"), name, candidate);
  if (interposer.choose(is_of_team(operation) ? "" : selection) != 0 ||
      (is_of_team(operation) && choose_for_team(selection) != 0))
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* A row of calls. Where they are apart, each begins together, as ranks that do not wait for others (a
 * broadcast's root) would run ahead otherwise. The time of aligning counts only where that is asked for:
 * what a call leaves to be done, and in which order the ranks get their cores, shows in what comes next. */
enum timing { in_row, apart, apart_and_aligning };

static struct figures run_batch(const char* operation, int bytes, const char* candidate, int calls,
                                enum timing timing) {
  const int is_native = strcmp(candidate, "native") == 0;
  call_function* const call = is_of_team(operation)      ? find_team_call(operation)
                              : is_overlapped(operation) ? find_overlapped(operation)
                                                         : find_operation(operation);
  double seconds = 0, processor = 0;
  const int together = timing == in_row ? calls : 1;
  select_strategy(operation, candidate);
  if (is_of_team(operation)) /* which makes a plan for each selection anew */
    call(bytes);
  if (timing == apart_and_aligning)
    align();
  exposed_seconds = 0;
  overlapped = (struct overlapped){0};
  for (int left = calls; left > 0; left -= together) {
    double begin = now();
    align();
    interposer.bypass(is_native);
    const double cpu_begin = cpu_now();
    if (timing != apart_and_aligning)
      begin = now();
    for (int i = 0; i < together; ++i)
      call(bytes);
    seconds += now() - begin;
    processor += cpu_now() - cpu_begin;
  }
  interposer.bypass(1);
  if (is_overlapped(operation))
    return (struct figures){overlapped.completion / calls, processor / calls - computation_cpu_seconds(),
                            overlapped.exposed / calls, overlapped.waited / calls,
                            overlapped.lost > 0 ? overlapped.lost / calls : 0};
  const double completion = prefix_of(operation) > 0 ? exposed_seconds : seconds;
  return (struct figures){.completion = completion / calls, .cpu = processor / calls};
}

/* The slowest rank's time, known to all. */
static double slowest_of(double seconds) {
  double slowest;
  interposer.bypass(1);
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

/* What a batch is judged by at first sight. */
static double weight_of(const char* operation, struct figures figures) {
  return is_overlapped(operation) ? figures.exposed + figures.lost : figures.completion;
}

/* Roughly what a call takes. One by itself may take as long as it takes the other ranks to get a core each,
 * and short rows of short calls too: they grow until that matters little. */
static double estimate(const char* operation, int bytes, const char* candidate) {
  enum { first_row = 8, max_row = 512, growth = 4 };
  static const double brief_row_seconds = 1e-3, significant_seconds = 3e-4;
  run_batch(operation, bytes, candidate, 1, apart);
  double lowest = slowest_of(weight_of(operation, run_batch(operation, bytes, candidate, 1, apart)));
  if (is_overlapped(operation)) {
    const double again = slowest_of(weight_of(operation, run_batch(operation, bytes, candidate, 2, apart)));
    return again < lowest ? again : lowest;
  }
  if (lowest > brief_row_seconds)
    return lowest;
  for (int row = first_row;; row *= growth) {
    const double each = slowest_of(run_batch(operation, bytes, candidate, row, in_row).completion);
    lowest = each < lowest ? each : lowest;
    if (row * each > significant_seconds || row == max_row)
      return lowest;
  }
}

/* The computation beside a call takes twice as long as the library's own call that is waited for at once. */
static void prepare_overlap(const struct trial* trial) {
  enum { tries = 5 };
  static const double longest_seconds = 0.1;
  double shortest = longest_seconds;
  prepare_computation(0, 0, share_cores || sleeps);
  for (int i = 0; i < tries; ++i) {
    const double each = slowest_of(run_batch(trial->operation, trial->bytes, "native", 1, apart).completion);
    shortest = each < shortest ? each : shortest;
  }
  prepare_computation(2 * shortest, trial->tests, share_cores || sleeps);
}

/* Ordinary calls of so many seconds in a batch. */
static int calls_in_batch(const struct trial* trial, double fastest, enum timing timing) {
  static const double overlap_seconds = 2e-3;
  if (is_overlapped(trial->operation)) {
    const double calls = overlap_seconds / (computation_seconds() + fastest);
    return calls < 2 ? 2 : calls > 10 ? 10 : (int)calls;
  }
  const double wanted =
      (timing == in_row ? batch_seconds : apart_seconds) / (fastest > 1e-8 ? fastest : 1e-8);
  const int max_row = prefix_of(trial->operation) > 0 ? 50 : 1000; /* as long as what is done meanwhile */
  const int max_calls = timing == in_row ? max_row : trial->alone ? 100 : 10;
  return wanted < 2 ? 1 : wanted > max_calls ? max_calls : (int)wanted;
}

static void print_samples(const char* name, const double* values, int count) {
  printf(", \"%s_us\": [", name);
  for (int i = 0; i < count; ++i)
    printf("%s%.4f", i ? ", " : "", 1e6 * values[i]);
  printf("]");
}

/* Of all ranks' figures of a batch, that of rank r standing at all[r * stride]: the last rank's completion,
 * all ranks' processor time, and what the rank had that its call held up the most. */
static struct figures figures_of_all(const struct figures* all, int stride) {
  struct figures found = {0};
  for (int r = 0; r < buffers.ranks; ++r) {
    const struct figures* one = &all[(size_t)r * (size_t)stride];
    found.completion = one->completion > found.completion ? one->completion : found.completion;
    found.cpu += one->cpu;
    if (r == 0 || one->exposed + one->lost > found.exposed + found.lost)
      found.exposed = one->exposed, found.waited = one->waited, found.lost = one->lost;
  }
  return found;
}

static void print_candidate(const struct trial* trial, const char* candidate, int calls,
                            const struct figures* own, int batches) {
  static double values[figure_count][max_batches];
  static const char* const names[] = {"completion", "cpu", "exposed", "waited", "lost"};
  const int is_root = buffers.rank == 0;
  struct figures* all =
      is_root ? calloc((size_t)buffers.ranks * (size_t)batches, sizeof(struct figures)) : NULL;
  interposer.bypass(1);
  MPI_Gather(own, batches * figure_count, MPI_DOUBLE, all, batches * figure_count, MPI_DOUBLE, 0,
             MPI_COMM_WORLD);
  if (!is_root)
    return;
  for (int b = 0; b < batches; ++b) {
    const struct figures found = figures_of_all(all + b, batches);
    for (int f = 0; f < figure_count; ++f)
      values[f][b] = ((const double*)&found)[f];
  }
  free(all);
  printf("{\"candidate\": \"%s\", \"calls\": %d", candidate, calls);
  for (int f = 0; f < (is_overlapped(trial->operation) ? figure_count : 2); ++f)
    print_samples(names[f], values[f], batches);
  printf("}\n");
}

/* How far the ranks are apart now, in the place of the turn that begins. */
static void look_at_distance(double* distances, int turn) {
  if (share_cores)
    return;
  align();
  distances[turn] = look_at_neighbor();
}

/* Of the pairs of ranks that were farthest apart. */
static void print_distances(const double* own, int count) {
  static double farthest[max_batches + 1];
  interposer.bypass(1);
  MPI_Reduce(own, farthest, count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  printf("{\"distances_ns\": [");
  for (int turn = 0; turn < count; ++turn)
    printf("%s%.1f", turn ? ", " : "", 1e9 * farthest[turn]);
  printf("]}\n");
}

void measure_trial(const struct trial* trial) {
  static struct figures figures[max_candidates][max_batches];
  static double distances[max_batches + 1];
  static double first[max_candidates];
  const int has_overlap = is_overlapped(trial->operation);
  double fastest = 1e9;
  if (has_overlap)
    prepare_overlap(trial);
  for (int c = 0; c < trial->candidate_count; ++c) {
    first[c] = estimate(trial->operation, trial->bytes, trial->candidates[c]);
    fastest = first[c] < fastest ? first[c] : fastest;
  }
  const int is_late = prefix_of(trial->operation) > 1; /* nobody waits for who is late */
  const int is_apart = trial->alone || is_late || has_overlap || fastest > brief_seconds;
  const enum timing timing = trial->alone && share_cores ? apart_and_aligning : is_apart ? apart : in_row;
  const int calls = calls_in_batch(trial, fastest, timing);
  /* Of next to nothing, a multiple is next to nothing too: a twentieth of the computation. */
  const double base =
      has_overlap && fastest < computation_seconds() / 20 ? computation_seconds() / 20 : fastest;
  look_at_distance(distances, 0);
  for (int b = 0; b < trial->batches; ++b) {
    for (int c = 0; c < trial->candidate_count; ++c)
      if (trial->limit <= 0 || first[c] <= trial->limit * base)
        figures[c][b] = run_batch(trial->operation, trial->bytes, trial->candidates[c], calls, timing);
    look_at_distance(distances, b + 1);
  }
  if (!share_cores)
    print_distances(distances, trial->batches + 1);
  for (int c = 0; c < trial->candidate_count; ++c) {
    const int is_done_with = trial->limit > 0 && first[c] > trial->limit * base;
    if (is_done_with) /* without the parts, all of which count as waiting */
      figures[c][0] = (struct figures){.completion = first[c], .exposed = first[c], .waited = first[c]};
    print_candidate(trial, trial->candidates[c], is_done_with ? 1 : calls, figures[c],
                    is_done_with ? 1 : trial->batches);
  }
}
