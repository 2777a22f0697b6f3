/* SPDX-License-Identifier: BSD-3-Clause */
// Flags between ranks that share a folder: how one rank sees that another has gone on, without a call of MPI
// and without time.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { flag_seconds = 60, flag_name_bytes = 512 };

struct Flags {
  char folder[flag_name_bytes];
};

// In a folder of their own below the one that is given. Collective.
static inline int make_flags(struct Flags* flags, const char* below) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(flags->folder, 0, sizeof flags->folder);
  snprintf(flags->folder, sizeof flags->folder, "%s/flags.XXXXXX", below);
  if (rank == 0 && mkdtemp(flags->folder) == NULL)
    flags->folder[0] = '\0';
  MPI_Bcast(flags->folder, flag_name_bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  return flags->folder[0] != '\0';
}

static inline void name_flag(char name[], const struct Flags* flags, int rank, int step) {
  snprintf(name, flag_name_bytes + 32, "%s/%d.%d", flags->folder, rank, step);
}

// This rank has come as far as the step.
static inline int raise_flag(const struct Flags* flags, int rank, int step) {
  char name[flag_name_bytes + 32];
  name_flag(name, flags, rank, step);
  FILE* const flag = fopen(name, "w");
  return flag != NULL && fclose(flag) == 0;
}

// Looks for the rank's flag until it is there, and takes it away. False after a minute: what that rank waits
// for does not come without a call.
static inline int see_flag(const struct Flags* flags, int rank, int step) {
  char name[flag_name_bytes + 32];
  name_flag(name, flags, rank, step);
  const struct timespec pause = {0, 1000000};
  for (time_t end = time(NULL) + flag_seconds; time(NULL) < end; nanosleep(&pause, NULL))
    if (access(name, F_OK) == 0)
      return unlink(name) == 0;
  return 0;
}

// When all flags have been seen.
static inline void remove_flags(const struct Flags* flags) {
  rmdir(flags->folder);
}
