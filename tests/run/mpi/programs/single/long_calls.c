/* SPDX-License-Identifier: BSD-3-Clause */
// Collectives of more than 2^31 bytes, in the memory of one vector a rank: long_calls bcast | allgather.
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { patience_s = 600, stride = 100003 };

static double value(size_t index, int from) {
  return (double)(index % 65521) + from;
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  be_patient(patience_s);
  const int gathers = argc > 1 && strcmp(argv[1], "allgather") == 0;
  const size_t block = ((size_t)1 << 28) / (gathers ? (size_t)world_size : 1) + 1;
  const size_t count = gathers ? block * (size_t)world_size : block;
  double* const data =
      mmap(NULL, count * sizeof(double), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(data != MAP_FAILED, "no memory for %zu values", count);
  const int root = world_size - 1;
  if (gathers || world_rank == root)
    for (size_t index = 0; index < block; ++index)
      data[(gathers ? block * (size_t)world_rank : 0) + index] = value(index, gathers ? world_rank : root);
  if (gathers)
    MUST(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, (int)block, MPI_DOUBLE, MPI_COMM_WORLD));
  else
    MUST(MPI_Bcast(data, (int)block, MPI_DOUBLE, root, MPI_COMM_WORLD));
  for (size_t index = 0; index < count; index += index + stride < count ? stride : count - 1 - index) {
    const double expected = value(index % block, gathers ? (int)(index / block) : root);
    REQUIRE(data[index] == expected, "value %zu is %g, not %g", index, data[index], expected);
    if (index == count - 1)
      break;
  }
  end();
  return 0;
}
