/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int world_rank = -1;
int world_size = 0;
double scale = 1;
static const char* known_deviations = "";
static _Thread_local char current[400];

void context(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(current, sizeof current, format, arguments);
  va_end(arguments);
}

void context_add(const char* text) {
  const size_t length = strlen(current);
  snprintf(current + length, sizeof current - length, ", %s", text);
}

void fail(const char* format, ...) {
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "FAILED %s: rank %d of %d: %s\n", current, world_rank, world_size, text);
  fflush(stderr);
  signal(SIGABRT, SIG_DFL);
  MPI_Abort(MPI_COMM_WORLD, 3);
  abort();
}

void succeed(int code, const char* call) {
  if (code == MPI_SUCCESS)
    return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail("%s returned %d: %s", call, code, text);
}

bool known(const char* deviation) {
  const size_t length = strlen(deviation);
  for (const char* at = known_deviations; (at = strstr(at, deviation)) != NULL; at += length)
    if ((at == known_deviations || at[-1] == ',') && (at[length] == ',' || at[length] == 0))
      return true;
  return false;
}

uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

Dice dice_of(uint64_t seed, uint64_t stream) {
  return (Dice){mix(seed * 1000003u + stream)};
}

int roll(Dice* dice, int sides) {
  dice->state += 0x9e3779b97f4a7c15u;
  return (int)(mix(dice->state) % (uint64_t)sides);
}

int times(int n) {
  const int scaled = (int)(n * scale);
  return scaled > 0 ? scaled : 1;
}

static void say(const char* what) {
  char text[600];
  const int length =
      snprintf(text, sizeof text, "%s %s: rank %d of %d\n", what, current, world_rank, world_size);
  if (write(STDERR_FILENO, text, (size_t)length) < 0)
    _exit(5);
}

// A job that hangs says where, on every rank, before it ends.
static void hung(int number) {
  (void)number;
  say("HUNG");
  sleep(1); // until the others have said it, too
  _exit(4);
}

static void crashed(int number) {
  say(number == SIGABRT ? "ABORTED" : "CRASHED");
  signal(number, SIG_DFL);
  raise(number);
}

void be_patient(int seconds) {
  signal(SIGALRM, hung);
  alarm((unsigned)seconds);
}

void read_options(int* argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < *argc; ++i) {
    if (strcmp(argv[i], "--known") == 0 && i + 1 < *argc)
      known_deviations = argv[++i];
    else if (strcmp(argv[i], "--scale") == 0 && i + 1 < *argc)
      scale = atof(argv[++i]);
    else
      argv[kept++] = argv[i];
  }
  *argc = kept;
}

void begin(int* argc, char*** argv, int thread_level) {
  int provided = 0;
  MPI_Init_thread(argc, argv, thread_level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  read_options(argc, *argv);
  context("begin");
  signal(SIGSEGV, crashed);
  signal(SIGBUS, crashed);
  signal(SIGFPE, crashed);
  signal(SIGABRT, crashed);
  // So that a failing call is reported with its context; communicators made from this one inherit it.
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  REQUIRE(provided >= thread_level, "thread level %d asked for, %d provided", thread_level, provided);
}

void end(void) {
  context("end");
  MUST(MPI_Finalize());
}
