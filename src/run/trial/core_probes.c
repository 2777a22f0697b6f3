/* SPDX-License-Identifier: BSD-3-Clause */
#include "core_probes.h"

#include "distance.h"
#include "probes.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_numbers = 1024 };

static void print_numbers(const char* request, const double* numbers, int count) {
  printf("{\"probe\": \"%s\", \"us\": [", request + 1);
  for (int i = 0; i < count; ++i)
    printf("%s%.4f", i ? ", " : "", numbers[i]);
  printf("]}\ndone\n");
  fflush(stdout);
}

static int measure_pairs(char** words, int count, double* numbers) {
  int found = 0;
  for (int word = 1; word + 1 < count; word += 2) {
    const struct core_distance distance = measure_processors(atoi(words[word]), atoi(words[word + 1]));
    numbers[found++] = 1e6 * distance.round_trip;
    numbers[found++] = 1e6 * distance.block_write;
    numbers[found++] = 1e6 * distance.block_read;
  }
  return found;
}

int probe_cores(char** words, int count) {
  static double numbers[max_numbers];
  const int is_distances = strcmp(words[0], "@distances") == 0;
  if (!is_distances && strcmp(words[0], "@processors") != 0)
    return 0;
  int rank = 0, found = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && is_distances)
    found = measure_pairs(words, count, numbers);
  else if (rank == 0 && count == 3)
    found = usable_processors(atoi(words[1]), atoi(words[2]), numbers, max_numbers);
  meet();
  if (rank == 0)
    print_numbers(words[0], numbers, found);
  return 1;
}
