/* SPDX-License-Identifier: BSD-3-Clause */
#include "noise.h"

#include <time.h>

static const double shortest_detour = 1e-6, looks_per_detour = 9;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double shortest_look(void) {
  double shortest = 1;
  double before = now();
  for (int i = 0; i < 10000; ++i) {
    const double after = now();
    if (after > before && after - before < shortest)
      shortest = after - before;
    before = after;
  }
  return shortest;
}

int watch_core(double seconds, double* numbers, int room) {
  const double usual = looks_per_detour * shortest_look();
  const double threshold = usual > shortest_detour ? usual : shortest_detour;
  const double begin = now();
  int count = 1;
  double before = begin;
  while (before - begin < seconds && count + 2 <= room) {
    const double after = now();
    if (after - before > threshold) {
      numbers[count++] = before - begin;
      numbers[count++] = after - before;
    }
    before = after;
  }
  numbers[0] = before - begin;
  return count;
}
