/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that was compiled with the headers of 0.1, whose structures had no sizes, and whose calls did not
 * say a version. What it makes is refused, with what to do about it, and nothing of its memory is written.
 * Reordering goes on to work: its structures had sizes. */
#include "thalweg_0_1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int condition, const char* what) {
  if (condition)
    return;
  fprintf(stderr, "FAILED: %s: %s\n", what, thalweg_last_error()->message);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void must_be_refused(thalweg_status status, const void* made, const char* what) {
  const thalweg_error* const failed = thalweg_last_error();
  require(status == thalweg_error_unsupported && made == NULL, what);
  require(strstr(failed->message, "compiled with headers of Thalweg 0.1, and this library is of 0.2") != NULL,
          what);
  require(strstr(failed->remedy, "compile the program again") != NULL, what);
}

static int deliver(void* context, const char* items, size_t bytes) {
  (void)items;
  *(size_t*)context += bytes;
  return 0;
}

static void check_refusals(void) {
  thalweg_team* team = NULL;
  must_be_refused(thalweg_team_create(MPI_COMM_WORLD, &team), team, "a team");
  size_t bytes = 0;
  thalweg_stream* stream = NULL;
  const thalweg_stream_options options = {.item_bytes = 8};
  const thalweg_stream_handler handler = {.context = &bytes, .deliver = deliver};
  must_be_refused(thalweg_stream_create(MPI_COMM_WORLD, &options, &handler, &stream), stream, "a stream");
  thalweg_balancer* balancer = NULL;
  must_be_refused(thalweg_balancer_create(MPI_COMM_WORLD, NULL, &balancer), balancer, "a balancer");
  thalweg_objects* objects = NULL;
  must_be_refused(thalweg_objects_open(MPI_COMM_WORLD, &objects), objects, "objects");
  const int64_t shape[] = {4};
  thalweg_foreign_functions functions = {.context = NULL};
  thalweg_foreign_array* array = NULL;
  must_be_refused(thalweg_foreign_create(MPI_COMM_WORLD, shape, 1, "nothing", 7, &functions, &array), array,
                  "an array");
}

/* Other calls have nothing to work on: they fail before they look at a structure. */
static void check_calls_without_what_they_need(void) {
  int number = 7;
  thalweg_team_call call = THALWEG_TEAM_CALL_INIT;
  call.output = &number;
  require(thalweg_team_start(NULL, &call, NULL) == thalweg_error_invalid_argument, "a call of no team");
  struct {
    thalweg_moved moved;
    unsigned char behind[64];
  } result;
  memset(&result, 0x5a, sizeof result);
  const thalweg_tasks tasks = {.count = 0};
  const thalweg_balance_options options = THALWEG_BALANCE_DEFAULTS;
  require(thalweg_balance_tasks(NULL, &tasks, &options, &result.moved) == thalweg_error_invalid_argument,
          "tasks of no balancer");
  for (size_t at = 0; at < sizeof result; ++at)
    require(((const unsigned char*)&result)[at] == 0x5a, "a result is written");
}

static void check_reordering(void) {
  struct {
    thalweg_reordering found;
    unsigned char behind[64];
  } result;
  memset(&result, 0x5a, sizeof result);
  result.found.size = sizeof result.found;
  const thalweg_reorder_options options = THALWEG_REORDER_DEFAULTS;
  MPI_Comm made = MPI_COMM_NULL;
  require(thalweg_reorder(MPI_COMM_WORLD, NULL, 0, &options, &made, &result.found) == thalweg_success,
          "reorder");
  require(made != MPI_COMM_NULL && !result.found.is_renumbered, "ranks are numbered in another way");
  for (size_t at = 0; at < sizeof result.behind; ++at)
    require(result.behind[at] == 0x5a, "more is written than the program knows");
  MPI_Comm_free(&made);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check_refusals();
  check_calls_without_what_they_need();
  check_reordering();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    puts("all right");
  MPI_Finalize();
  return 0;
}
