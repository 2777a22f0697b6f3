/* SPDX-License-Identifier: BSD-3-Clause */
// Floating-point reductions: bitwise the same on all ranks, and a hash that the harness compares from run to
// run.
#include "forms.h"
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t hash_of(const void* data, size_t bytes, uint64_t hash) {
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ ((const unsigned char*)data)[i]) * 0x100000001b3u;
  return hash;
}

// Values of very different magnitude, so that another order of summing gives other bits.
static double awkward(int rank, int i) {
  const uint64_t bits = mix((uint64_t)(rank * 1000003 + i));
  return ((double)(bits % 2000003) - 1000001.0) / 7.0 * (double)(1ull << (bits >> 59));
}

void test_float_hash(void) {
  static const int counts[] = {1, 2, 5, 64, 1000, 20000};
  uint64_t total = 0xcbf29ce484222325u;
  for (int c = 0; c < 6; ++c)
    for (int f = 0; f < FORM_COUNT; ++f) {
      const int n = counts[c];
      const Form form = form_of(f);
      double *from = malloc(sizeof(double) * (size_t)n), *to = malloc(sizeof(double) * (size_t)n);
      context("float_hash: %d doubles, %s", n, form_name(form));
      for (int i = 0; i < n; ++i)
        from[i] = awkward(world_rank, i);
      form_allreduce(form, from, to, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      const uint64_t hash = hash_of(to, sizeof(double) * (size_t)n, 1);
      // By messages, not by a collective that might itself be wrong.
      uint64_t first = hash;
      if (world_rank == 0)
        for (int r = 1; r < world_size; ++r)
          MUST(MPI_Send(&hash, 1, MPI_UINT64_T, r, 77, MPI_COMM_WORLD));
      else
        MUST(MPI_Recv(&first, 1, MPI_UINT64_T, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      REQUIRE(hash == first, "the sum's bits are not those of rank 0");
      total = hash_of(&hash, sizeof hash, total);
      free(from);
      free(to);
    }
  if (world_rank == 0)
    printf("hash %016llx\n", (unsigned long long)total);
}
