/* SPDX-License-Identifier: BSD-3-Clause */
#include "core_probes.h"

#include "distance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_numbers = 1024 };

static const char distances[] = "@distances", processors[] = "@processors";

int is_about_cores(const char* name) {
  return strcmp(name, distances) == 0 || strcmp(name, processors) == 0;
}

/* In microseconds. */
static int measure_pairs(char** words, int count, double* numbers) {
  int found = 0;
  for (int word = 1; word + 1 < count && found + 3 <= max_numbers; word += 2) {
    const struct core_distance distance = measure_processors(atoi(words[word]), atoi(words[word + 1]));
    numbers[found++] = 1e6 * distance.round_trip;
    numbers[found++] = 1e6 * distance.block_write;
    numbers[found++] = 1e6 * distance.block_read;
  }
  return found;
}

void answer_about_cores(char** words, int count) {
  static double numbers[max_numbers];
  int found = 0;
  if (strcmp(words[0], distances) == 0)
    found = measure_pairs(words, count, numbers);
  else if (count == 3)
    found = usable_processors(atoi(words[1]), atoi(words[2]), numbers, max_numbers);
  printf("{\"probe\": \"%s\", \"us\": [", words[0] + 1);
  for (int i = 0; i < found; ++i)
    printf("%s%.4f", i ? ", " : "", numbers[i]);
  printf("]}\ndone\n");
  fflush(stdout);
}
