/* SPDX-License-Identifier: BSD-3-Clause */
// A program that knows GPUs: some of its ranks pass device memory to collectives.
//
//   gpu_buffers LIBCUDA early|late [rank...]     loads LIBCUDA before MPI_Init or after some calls; the
//   ranks
//                                                   that have their buffers in device memory, all unless
//                                                   named
//
// Runs with device/aware.c preloaded behind the interposer, which ends who touches device memory.
#include "check.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 64, ROUNDS = 6 };

static char* (*memory)(void);
static void (*open_device)(int open);

static void load(const char* path) {
  REQUIRE(dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL, "cannot load %s: %s", path, dlerror());
}

static void check_calls(int* in, int* out, bool on_device) {
  for (int i = 0; i < ROUNDS; ++i) {
    if (on_device)
      open_device(1);
    for (int k = 0; k < NUMBERS; ++k)
      in[k] = world_rank + i + k;
    if (on_device)
      open_device(0);
    int sum = 0, all[NUMBERS], own = world_rank, *gathered = on_device ? out : all;
    MUST(MPI_Allreduce(in, out, NUMBERS, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (on_device)
      open_device(1);
    for (int k = 0; k < NUMBERS; ++k)
      sum += out[k] != world_size * (i + k) + world_size * (world_size - 1) / 2;
    if (on_device)
      open_device(0);
    REQUIRE(sum == 0, "round %d: %d numbers of the sum are wrong", i, sum);
    MUST(MPI_Allgather(&own, 1, MPI_INT, gathered, 1, MPI_INT, MPI_COMM_WORLD));
    MUST(MPI_Bcast(in, NUMBERS, MPI_INT, i % world_size, MPI_COMM_WORLD));
    if (on_device)
      open_device(1);
    for (int r = 0; r < world_size; ++r)
      REQUIRE(gathered[r] == r, "round %d: rank %d gave %d", i, r, gathered[r]);
    for (int k = 0; k < NUMBERS; ++k)
      REQUIRE(in[k] == i % world_size + i + k, "round %d: number %d of the broadcast is %d", i, k, in[k]);
    if (on_device)
      open_device(0);
    MUST(MPI_Allreduce(MPI_IN_PLACE, in, NUMBERS, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  }
}

int main(int argc, char** argv) {
  *(void**)&memory = dlsym(RTLD_DEFAULT, "fake_gpu_memory");
  *(void**)&open_device = dlsym(RTLD_DEFAULT, "fake_device_open");
  if (argc < 3 || memory == NULL || open_device == NULL)
    return 2;
  const bool early = strcmp(argv[2], "early") == 0;
  if (early)
    load(argv[1]);
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  context("gpu_buffers: %s", argv[2]);
  int host[2 * NUMBERS];
  check_calls(host, host + NUMBERS, false);
  if (!early)
    load(argv[1]);
  bool on_device = argc == 3;
  for (int i = 3; i < argc; ++i)
    on_device |= atoi(argv[i]) == world_rank;
  int* device = (int*)memory();
  REQUIRE(device != NULL, "there is no device memory");
  check_calls(on_device ? device : host, on_device ? device + 4096 : host + NUMBERS, on_device);
  check_calls(host, host + NUMBERS, false);
  end();
  if (world_rank == 0)
    puts("passed gpu_buffers");
  return 0;
}
