/* SPDX-License-Identifier: BSD-3-Clause */
/* Times collectives, strategy by strategy, in one MPI job.
 *
 * Rank 0 reads requests from its standard input, a line each, until it ends:
 *
 *   OPERATION BYTES BATCHES LIMIT CANDIDATE...
 *
 * BYTES are those of a unit: what each pair, rank or vector has. "alltoallv:2" is an alltoallv in which
 * each rank sends to two ranks, itself first, and nothing to the others. Of nonblocking calls ("ibarrier",
 * "iallreduce", "ibroadcast") the time counts that is waited for them after something else, also where the
 * last rank begins late ("late_ibarrier"), and of a "late_broadcast" what that rank waits. A candidate is
 * "native" (past Thalweg), "passed_on" (through Thalweg, no strategy chosen) or what stands behind "=" in
 * a selection ("ring", "bruck:radix=4"). Each candidate is tried with a few calls; those slower than LIMIT
 * times the fastest (0: no limit) are done with. The others take turns, BATCHES times; a batch is a row of
 * calls long enough to time, begun together; behind "BATCHESa" calls are timed alone, each begun together,
 * and where ranks share cores the time of beginning together counts, as it is no use to end one's call
 * before others get a core. Answers go to standard output: for each candidate a line of JSON with each
 * batch's time per call of the slowest rank and CPU time per call of all ranks, then "done". Requests that
 * begin with @ are probes (probes.h), but for "@devices": do network devices run collectives by now? With the
 * argument "native" the job is one without Thalweg, and every candidate is the library's own.
 *
 * The strategies are switched through the interposer's control functions (thalweg/control.h), which this
 * program looks up by name, so that it is an ordinary MPI program otherwise.
 */
#define _GNU_SOURCE
#include "operations.h"
#include "places.h"
#include "probes.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { max_candidates = 512, line_bytes = 65536, max_batches = 1001, name_width = 1024, max_pause = 100000 };

/* Calls up to brief_seconds are timed in rows of batch_seconds, longer ones one by one, a batch's take
 * apart_seconds. Where ranks share cores they leave an alignment one after the other, as they are given a
 * core: one call by itself would be timed with that, which is more than most calls take. */
static const double apart_seconds = 2e-3;
static double brief_seconds = 2e-5, batch_seconds = 3e-4;
static int share_cores;

static int rank, ranks;
static int (*choose)(const char* selections);
static int (*bypass)(int on);
static const char* (*fingerprint)(void);
static int (*leaf_of)(int of_rank);
static int (*has_nic_groups)(void);
/* With the argument "tuned": strategies are the tuning file's, not chosen here. */
static int is_tuned;

static double now(void) {
  return MPI_Wtime();
}

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Batches begin together. Ranks are aligned by messages of this program's own, the same in every kind of job:
 * the barrier of a job may be a candidate itself, and the library's may take far longer than what is measured
 * where ranks outnumber cores. Hence also no waiting within the library. By dissemination (Hensgen, Finkel
 * and Manber 1988). */
static void align(void) {
  enum { tag = 77 };
  bypass(1);
  for (int distance = 1; distance < ranks; distance *= 2) {
    MPI_Request requests[2];
    int is_done = 0;
    MPI_Irecv(NULL, 0, MPI_BYTE, (rank - distance + ranks) % ranks, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(NULL, 0, MPI_BYTE, (rank + distance) % ranks, tag, MPI_COMM_WORLD, &requests[1]);
    while (MPI_Testall(2, requests, &is_done, MPI_STATUSES_IGNORE), !is_done)
      sched_yield();
  }
}

/* Chooses the candidate before ranks are aligned: choosing takes a while, and not the same on all ranks. The
 * reduce_scatter of MPI_Reduce_scatter_block is the selection "reduce_scatter" too. */
static void select_strategy(const char* operation, const char* candidate) {
  char selection[line_bytes];
  if (is_tuned)
    return;
  if (strcmp(candidate, "native") == 0 || strcmp(candidate, "passed_on") == 0)
    selection[0] = 0;
  else
    snprintf(selection, sizeof selection, "%s=%s", operation + prefix_of(operation), candidate);
  if (choose(selection) != 0)
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* A row of calls. Where they are apart, each begins together, as ranks that do not wait for others (a
 * broadcast's root) would run ahead otherwise. The time of aligning counts only where that is asked for:
 * what a call leaves to be done, and in which order the ranks get their cores, shows in what comes next. */
enum timing { in_row, apart, apart_and_aligning };

static double run_batch(const char* operation, int bytes, const char* candidate, int calls,
                        enum timing timing, double* cpu) {
  const int is_native = strcmp(candidate, "native") == 0;
  call_function* const call = find_operation(operation);
  double seconds = 0, processor = 0;
  const int together = timing == in_row ? calls : 1;
  select_strategy(operation, candidate);
  if (timing == apart_and_aligning)
    align();
  exposed_seconds = 0;
  for (int left = calls; left > 0; left -= together) {
    double begin = now();
    align();
    bypass(is_native);
    const double cpu_begin = cpu_now();
    if (timing != apart_and_aligning)
      begin = now();
    for (int i = 0; i < together; ++i)
      call(bytes);
    seconds += now() - begin;
    processor += cpu_now() - cpu_begin;
  }
  bypass(1);
  *cpu = processor / calls;
  return (prefix_of(operation) > 0 ? exposed_seconds : seconds) / calls;
}

/* The slowest rank's time, known to all. */
static double slowest_of(double seconds) {
  double slowest;
  bypass(1);
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static void print_samples(const char* name, const double* values, int count, double scale) {
  printf("\"%s\": [", name);
  for (int i = 0; i < count; ++i)
    printf("%s%.4f", i ? ", " : "", scale * values[i]);
  printf("]");
}

/* Roughly what a call takes. One by itself may take as long as it takes the other ranks to get a core each,
 * and short rows of short calls too: they grow until that matters little. */
static double estimate(const char* operation, int bytes, const char* candidate) {
  enum { first_row = 8, max_row = 512, growth = 4 };
  static const double brief_row_seconds = 1e-3, significant_seconds = 3e-4;
  double ignored;
  run_batch(operation, bytes, candidate, 1, apart, &ignored);
  double lowest = slowest_of(run_batch(operation, bytes, candidate, 1, apart, &ignored));
  if (lowest > brief_row_seconds)
    return lowest;
  for (int row = first_row;; row *= growth) {
    const double each = slowest_of(run_batch(operation, bytes, candidate, row, in_row, &ignored));
    lowest = each < lowest ? each : lowest;
    if (row * each > significant_seconds || row == max_row)
      return lowest;
  }
}

static void measure_case(const char* operation, int bytes, char** candidates, int count, int batches,
                         double limit, int alone) {
  static double times[max_candidates][max_batches], cpus[max_candidates][max_batches];
  static double slowest[max_batches], total[max_batches], first[max_candidates];
  double fastest = 1e9;
  for (int c = 0; c < count; ++c) {
    first[c] = estimate(operation, bytes, candidates[c]);
    fastest = first[c] < fastest ? first[c] : fastest;
  }
  const int is_late = prefix_of(operation) > 1; /* each call by itself, as nobody waits for who is late */
  const enum timing timing = alone && share_cores                          ? apart_and_aligning
                             : alone || is_late || fastest > brief_seconds ? apart
                                                                           : in_row;
  const double wanted =
      (timing == in_row ? batch_seconds : apart_seconds) / (fastest > 1e-8 ? fastest : 1e-8);
  const int max_row = prefix_of(operation) > 0 ? 50 : 1000; /* they take as long as what is done meanwhile */
  const int max_calls = timing == in_row ? max_row : alone ? 100 : 10;
  const int calls = wanted < 2 ? 1 : wanted > max_calls ? max_calls : (int)wanted;
  for (int b = 0; b < batches; ++b)
    for (int c = 0; c < count; ++c)
      if (limit <= 0 || first[c] <= limit * fastest)
        times[c][b] = run_batch(operation, bytes, candidates[c], calls, timing, &cpus[c][b]);
  for (int c = 0; c < count; ++c) {
    const int is_done_with = limit > 0 && first[c] > limit * fastest;
    const int have = is_done_with ? 1 : batches;
    if (is_done_with)
      times[c][0] = first[c], cpus[c][0] = 0;
    bypass(1);
    MPI_Reduce(times[c], slowest, have, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(cpus[c], total, have, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      printf("{\"candidate\": \"%s\", \"calls\": %d, ", candidates[c], is_done_with ? 1 : calls);
      print_samples("completion_us", slowest, have, 1e6);
      printf(", ");
      print_samples("cpu_us", total, have, 1e6);
      printf("}\n");
    }
  }
}

/* Everybody gets rank 0's next line; false when there is none. Who waits for it looks more and more seldom:
 * another job may be measured meanwhile. */
static int next_line(char* line) {
  if (rank == 0 && fgets(line, line_bytes, stdin) == NULL)
    line[0] = 0;
  bypass(1);
  MPI_Request request;
  int is_there = 0;
  useconds_t pause = 1000;
  MPI_Ibcast(line, line_bytes, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
  for (;;) {
    MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    if (is_there)
      return line[0] != 0;
    usleep(pause);
    pause = pause < max_pause ? 2 * pause : pause;
  }
}

static void* control(const char* name) {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == NULL && rank == 0)
    fprintf(stderr, "trial: start it under thalweg run: %s is not there\n", name);
  if (symbol == NULL)
    MPI_Abort(MPI_COMM_WORLD, 4);
  return symbol;
}

/* Without Thalweg, which the argument "native" says. */
static int choose_nothing(const char* selections) {
  (void)selections;
  return 0;
}

static int bypass_nothing(int on) {
  return on;
}

static const char* no_fingerprint(void) {
  return "";
}

static int has_none(void) {
  return 0;
}

static int no_leaf(int of_rank) {
  (void)of_rank;
  return -1;
}

static void print_text(const char* text) {
  putchar('"');
  for (; *text != 0; ++text)
    if (*text == '\n')
      fputs("\\n", stdout);
    else if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else
      putchar(*text);
  putchar('"');
}

static void print_names(const char* key, const char* own) {
  char name[name_width] = {0};
  strncpy(name, own, name_width - 1);
  char* names = calloc((size_t)ranks, name_width);
  bypass(0);
  MPI_Gather(name, name_width, MPI_CHAR, names, name_width, MPI_CHAR, 0, MPI_COMM_WORLD);
  printf("\"%s\": [", key);
  for (int r = 0; r < ranks && rank == 0; ++r) {
    printf("%s", r ? ", " : "");
    print_text(names + (size_t)r * name_width);
  }
  printf("]");
  free(names);
}

/* Of some communicator, by what was measured so far; rank 0's word counts. */
static void report_devices(void) {
  if (rank != 0)
    return;
  printf("{\"devices\": %s}\ndone\n", has_nic_groups() ? "true" : "false");
  fflush(stdout);
}

/* Says where the ranks are: hosts, the booted machines that hosts may share, and their places in them; and
 * the switches that hosts are on. */
static void introduce(void) {
  char host[128] = {0}, machine[128] = {0}, place[name_width] = {0};
  gethostname(host, sizeof host - 1);
  read_line("/proc/sys/kernel/random/boot_id", machine, sizeof machine);
  if (machine[0] == 0)
    strcpy(machine, host);
  describe_place(place, sizeof place);
  if (rank != 0 && freopen("/dev/null", "w", stdout) == NULL)
    MPI_Abort(MPI_COMM_WORLD, 5);
  printf("{");
  print_names("hosts", host);
  printf(", ");
  print_names("machines", machine);
  printf(", ");
  print_names("places", place);
  printf(", \"leaves\": [");
  for (int r = 0; r < ranks; ++r)
    printf("%s%d", r ? ", " : "", leaf_of(r));
  printf("], \"fingerprint\": ");
  print_text(fingerprint());
  printf("}\n");
  fflush(stdout);
}

static void find_controls(int is_native) {
  if (is_native) {
    choose = choose_nothing;
    bypass = bypass_nothing;
    fingerprint = no_fingerprint;
    leaf_of = no_leaf;
    has_nic_groups = has_none;
    return;
  }
  *(void**)&choose = control("thalweg_set_selection");
  *(void**)&bypass = control("thalweg_bypass");
  *(void**)&fingerprint = control("thalweg_fingerprint");
  *(void**)&leaf_of = control("thalweg_leaf_of");
  *(void**)&has_nic_groups = control("thalweg_has_nic_groups");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  is_tuned = argc > 1 && strcmp(argv[1], "tuned") == 0;
  find_controls(argc > 1 && strcmp(argv[1], "native") == 0);
  bypass(1);
  share_cores = settle_on_cores();
  if (share_cores)
    brief_seconds *= 10, batch_seconds *= 10;
  introduce();
  static char line[line_bytes];
  while (next_line(line)) {
    char* candidates[max_candidates];
    int count = 0;
    char* operation = strtok(line, " \n");
    char* words[3] = {strtok(NULL, " \n"), strtok(NULL, " \n"), strtok(NULL, " \n")};
    if (operation != NULL && strcmp(operation, "@devices") == 0)
      report_devices();
    if (operation == NULL || words[1] == NULL)
      continue;
    if (operation[0] == '@') {
      char* request[max_words] = {operation, words[0], words[1], words[2]};
      int given = words[2] == NULL ? 3 : 4;
      while (given > 3 && given < max_words && (request[given] = strtok(NULL, " \n")) != NULL)
        ++given;
      probe(request, given);
      continue;
    }
    while (count < max_candidates && (candidates[count] = strtok(NULL, " \n")) != NULL)
      ++count;
    if (words[2] == NULL)
      MPI_Abort(MPI_COMM_WORLD, 2);
    const int bytes = atoi(words[0]);
    char* mode = NULL;
    const int batches = (int)strtol(words[1], &mode, 10);
    if (batches < 1 || batches > max_batches)
      MPI_Abort(MPI_COMM_WORLD, 2);
    char* degree = strchr(operation, ':');
    if (degree != NULL)
      *degree++ = 0;
    prepare_buffers(bytes, degree == NULL ? ranks : atoi(degree));
    measure_case(operation, bytes, candidates, count, batches, atof(words[2]), *mode == 'a');
    if (rank == 0) {
      printf("done\n");
      fflush(stdout);
    }
  }
  free_buffers();
  MPI_Finalize();
  return 0;
}
