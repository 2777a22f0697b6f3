/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

// What a library says of calls that it refuses: the error class, whose handlers it called, its text; and
// whether the next call works.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLERS = 3, WIDE = 64 };

static char text[1 << 20];
static size_t used;
static int calls[HANDLERS]; // of the handlers of MPI_COMM_WORLD, MPI_COMM_SELF and the duplicate
static int last_code;
static int size, rank;

static void note(int which, int code) {
  ++calls[which];
  last_code = code;
}
static void of_world(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  note(0, *code);
}
static void of_self(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  note(1, *code);
}
static void of_duplicate(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  note(2, *code);
}

static void hear(MPI_Comm comm, MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(function, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}

static void say(const char* name, int code, MPI_Comm good) {
  int kind = 0;
  int length = 0;
  char words[MPI_MAX_ERROR_STRING + 1] = "";
  MPI_Error_class(code, &kind);
  MPI_Error_string(code, words, &length);
  for (char* at = words; *at != '\0'; ++at)
    if (*at == '\n')
      *at = '|';
  used += (size_t)snprintf(text + used, sizeof text - used, "%d %s: class %d, handlers %d %d %d, %s\n", rank,
                           name, kind, calls[0], calls[1], calls[2], words);
  memset(calls, 0, sizeof calls);
  int sum = 0;
  const int one = 1;
  code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, good);
  if (code != MPI_SUCCESS || sum != size)
    used += (size_t)snprintf(text + used, sizeof text - used, "%d after %s: code %d, sum %d\n", rank, name,
                             code, sum);
}

#define TRY(name, call) say(name, (call), good)
