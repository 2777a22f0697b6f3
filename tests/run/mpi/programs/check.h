/* SPDX-License-Identifier: BSD-3-Clause */
// What every conformance program needs: precise failures, reproducible dice, and the list of an MPI's known
// deviations.
//
// A program never reports a mismatch and goes on: `fail` prints one line that names the check, the rank and
// the values, and ends the job with status 3, so that the harness shows the line as the test's failure.
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MPI-4 as the library really has it: Open MPI 5 says 3.1 and has the persistent collectives already.
#if MPI_VERSION >= 4
#define HAVE_LARGE_COUNTS 1
#define HAVE_SESSIONS 1
#else
#define HAVE_LARGE_COUNTS 0
#define HAVE_SESSIONS 0
#endif
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAVE_PERSISTENT_COLLECTIVES 1
#else
#define HAVE_PERSISTENT_COLLECTIVES 0
#endif

extern int world_rank;
extern int world_size;
// How much to do: 1 as a rule, less or more by --scale. Multiplied into numbers of repetitions.
extern double scale;

// Names the check that runs now on this thread; part of every failure's text.
void context(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Appends to the context what a check has rolled on this rank.
void context_add(const char* text);
_Noreturn void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Fails unless code is MPI_SUCCESS; `call` names the call in the text.
void succeed(int code, const char* call);

#define REQUIRE(condition, ...)                                                                              \
  do {                                                                                                       \
    if (!(condition))                                                                                        \
      fail(__VA_ARGS__);                                                                                     \
  } while (0)
#define MUST(call) succeed(call, #call)

// Deviations of this MPI that the harness knows about (--known name,name): checks ask before insisting.
bool known(const char* deviation);

// splitmix64: the same rolls on every rank that starts from the same seed.
typedef struct {
  uint64_t state;
} Dice;
Dice dice_of(uint64_t seed, uint64_t stream);
int roll(Dice* dice, int sides);
uint64_t mix(uint64_t value);

// Ends the process with status 4 and the current context, unless called again within so many seconds. 0:
// never.
void be_patient(int seconds);

// n repetitions at scale 1, at least one.
int times(int n);

// Takes --known and --scale out of the arguments; begin does it, too.
void read_options(int* argc, char** argv);

// Starts and ends a program; options as in main.c's usage. Asks for `thread_level` and requires it.
void begin(int* argc, char*** argv, int thread_level);
void end(void);
