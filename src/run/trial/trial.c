/* SPDX-License-Identifier: BSD-3-Clause */
/* Times collectives, strategy by strategy, in one MPI job.
 *
 * Rank 0 reads requests from its standard input, a line each, until it ends:
 *
 *   OPERATION BYTES BATCHES LIMIT CANDIDATE...
 *
 * BYTES are those of a unit: what each pair, rank or vector has. "alltoallv:2" is an alltoallv in which
 * each rank sends to two ranks, itself first, and nothing to the others. "alltoall/2" is made by groups of
 * two neighboring ranks, all at once, and "alltoall/2s" by groups of ranks that are far apart. "broadcast^3"
 * has the root 3, others 0. "team_broadcast" is a team's (team_calls.h), and "native" is what it chooses then
 * by itself. "ialltoall"
 * and other nonblocking calls are begun before a computation and waited for after it (overlap.h), with four
 * tests of the request within it, or N behind "BATCHEStN"; in "late_ialltoall" the last rank begins late, and
 * of a "late_broadcast" that rank's time counts. Neighborhoods are those of a ring. A candidate is "native"
 * (past Thalweg), "passed_on" (through Thalweg, no strategy chosen) or what stands behind "=" in a selection
 * ("ring", "bruck:radix=4"). Each candidate is tried with a few calls; those slower than LIMIT times the
 * fastest (0: no limit) are done with. The others take turns, BATCHES times; a batch is a row of calls long
 * enough to time, begun together; behind "BATCHESa" calls are timed alone, each begun together, and where
 * ranks share cores the time of beginning together counts, as it is no use to end one's call before others
 * get a core. Answers go to standard output: for each candidate a line of JSON with each batch's time per
 * call of the slowest rank and CPU time per call of all ranks, then "done". Of nonblocking calls the
 * computation's own CPU time does not count, and there is what the rank that was held up the most had of it:
 * what it spent in calls
 * ("exposed"), in the wait alone ("waited"), and by how much its computation took longer ("lost"). Requests
 * that begin with @ are probes (probes.h), but for "@devices": do network devices run collectives by now?
 * Where each rank has a core of its own, a line says how far ranks were apart before the first turn and after
 * each one: what a cache line takes there and back between two ranks of a node, of all such pairs the most.
 * With the argument "native" the job is one without Thalweg, and every candidate is the library's own.
 */
#define _GNU_SOURCE
#include "batches.h"
#include "distance.h"
#include "interposer.h"
#include "operations.h"
#include "overlap.h"
#include "places.h"
#include "probes.h"
#include "team_calls.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { name_width = 1024, max_pause = 100000 };

/* Everybody gets rank 0's next line; false when there is none. Who waits for it looks more and more seldom:
 * another job may be measured meanwhile. */
static int next_line(char* line) {
  if (buffers.rank == 0 && fgets(line, line_bytes, stdin) == NULL)
    line[0] = 0;
  interposer.bypass(1);
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
  char* names = calloc((size_t)buffers.ranks, name_width);
  interposer.bypass(0);
  MPI_Gather(name, name_width, MPI_CHAR, names, name_width, MPI_CHAR, 0, MPI_COMM_WORLD);
  printf("\"%s\": [", key);
  for (int r = 0; r < buffers.ranks && buffers.rank == 0; ++r) {
    printf("%s", r ? ", " : "");
    print_text(names + (size_t)r * name_width);
  }
  printf("]");
  free(names);
}

/* Of some communicator, by what was measured so far; rank 0's word counts. */
static void report_devices(void) {
  if (buffers.rank != 0)
    return;
  printf("{\"devices\": %s}\ndone\n", interposer.has_nic_groups() ? "true" : "false");
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
  if (buffers.rank != 0 && freopen("/dev/null", "w", stdout) == NULL)
    MPI_Abort(MPI_COMM_WORLD, 5);
  printf("{");
  print_names("hosts", host);
  printf(", ");
  print_names("machines", machine);
  printf(", ");
  print_names("places", place);
  printf(", \"leaves\": [");
  for (int r = 0; r < buffers.ranks; ++r)
    printf("%s%d", r ? ", " : "", interposer.leaf_of(r));
  printf("], \"fingerprint\": ");
  print_text(interposer.fingerprint());
  printf("}\n");
  fflush(stdout);
}

static void run_trial(char* operation, char** words, char** candidates, int count) {
  enum { usual_tests = 4, max_tests = 1000 };
  char* mode = NULL;
  struct trial trial = {.operation = operation,
                        .bytes = atoi(words[0]),
                        .candidates = candidates,
                        .candidate_count = count,
                        .batches = (int)strtol(words[1], &mode, 10),
                        .limit = atof(words[2])};
  trial.alone = *mode == 'a';
  trial.tests = *mode == 't' ? atoi(mode + 1) : usual_tests;
  if (trial.batches < 1 || trial.batches > max_batches || trial.tests < 0 || trial.tests > max_tests)
    MPI_Abort(MPI_COMM_WORLD, 2);
  char* root = strchr(operation, '^');
  if (root != NULL)
    *root++ = 0;
  char* degree = strchr(operation, ':');
  if (degree != NULL)
    *degree++ = 0;
  char* groups = strchr(operation, '/');
  if (groups != NULL)
    *groups++ = 0;
  if (form_groups(groups == NULL ? 0 : atoi(groups), groups != NULL && strchr(groups, 's') != NULL)) {
    free_ring();
    leave_team();
  }
  group.root = root == NULL ? 0 : atoi(root);
  if (group.root < 0 || group.root >= group.ranks)
    MPI_Abort(MPI_COMM_WORLD, 2);
  prepare_buffers(trial.bytes, degree == NULL ? group.ranks : atoi(degree));
  measure_trial(&trial);
  if (buffers.rank == 0) {
    printf("done\n");
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  know_ranks();
  find_interposer(argc > 1 ? argv[1] : "");
  interposer.bypass(1);
  const int share_cores = settle_on_cores();
  share_cores_between_ranks(share_cores);
  share_lines(!share_cores);
  sleep_through_computations(do_hosts_share_cores());
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
    run_trial(operation, words, candidates, count);
  }
  free_ring();
  leave_team();
  leave_group();
  free_buffers();
  MPI_Finalize();
  return 0;
}
