/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory_probes.h"

#include <mpi.h>
#include <string.h>

static int times_for(size_t bytes) {
  return bytes > (1U << 20) ? 1 : (int)((1U << 20) / bytes);
}

double copy_seconds(void* to, const void* from, size_t bytes) {
  const int times = times_for(bytes);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    memcpy(to, from, bytes);
    __asm__ volatile("" ::: "memory");
  }
  return (MPI_Wtime() - begin) / times;
}

double combine_seconds(void* to, const void* from, size_t bytes) {
  const int times = times_for(bytes);
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    MPI_Reduce_local(from, to, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM);
    __asm__ volatile("" ::: "memory");
  }
  return (MPI_Wtime() - begin) / times;
}
