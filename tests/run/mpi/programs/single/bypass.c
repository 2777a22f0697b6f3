/* SPDX-License-Identifier: BSD-3-Clause */
// thalweg_bypass(0) restores what thalweg_bypass(1) found, and nothing more: a Thalweg that is disabled, does
// not fit the library or was ended with MPI stays out of the program's calls.
//
//   bypass active|out|early      what the program expects: Thalweg at work; out of its calls from the start;
//   at
//                                work, but bypassed before MPI_Init
#include "check.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int (*bypass)(int on);

static void check_sum(void) {
  int one = 1, sum = 0;
  MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  REQUIRE(sum == world_size, "the sum is %d", sum);
}

static void expect(int on, int wanted) {
  const int got = bypass(on);
  REQUIRE(got == wanted, "thalweg_bypass(%d) returned %d, expected %d", on, got, wanted);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "active";
  const int out = strcmp(mode, "out") == 0;
  context("bypass: %s", mode);
  *(void**)&bypass = dlsym(RTLD_DEFAULT, "thalweg_bypass");
  REQUIRE(bypass != NULL, "no interposer is preloaded");
  if (strcmp(mode, "early") == 0)
    expect(1, 1);
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  context("bypass: %s", mode);
  check_sum();
  expect(1, 1);
  check_sum();
  // What is freed meanwhile must not be taken for alive afterwards.
  MPI_Comm copy;
  expect(0, out);
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  expect(1, 1);
  MUST(MPI_Comm_free(&copy));
  expect(0, out);
  check_sum();
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  MUST(MPI_Barrier(copy));
  MUST(MPI_Comm_free(&copy));
  if (argc > 2)
    expect(1, 1); // MPI ends while bypassed
  end();
  expect(1, 1);
  expect(0, 1);
  if (world_rank == 0)
    puts("passed bypass");
  return 0;
}
