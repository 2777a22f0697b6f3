/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "places.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { boot_id_length = 64 };

void read_line(const char* path, char* text, int capacity) {
  text[0] = 0;
  FILE* file = fopen(path, "r");
  if (file == NULL)
    return;
  if (fgets(text, capacity, file) == NULL)
    text[0] = 0;
  fclose(file);
  text[strcspn(text, "\n")] = 0;
}

void describe_place(char* text, size_t capacity) {
  enum { width = 256 };
  char may[width] = "", share[width] = "", socket[width] = "", path[128], line[width];
  const int processor = sched_getcpu();
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    sscanf(line, "Cpus_allowed_list: %255s", may);
  if (status != NULL)
    fclose(status);
  for (int level = 0; level < 8; ++level) {
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", processor,
             level);
    read_line(path, line, sizeof line);
    if (line[0] != 0)
      strcpy(share, line);
  }
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/package_cpus_list", processor);
  read_line(path, socket, sizeof socket);
  if (socket[0] == 0) { /* Linux before 5.3 */
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/core_siblings_list", processor);
    read_line(path, socket, sizeof socket);
  }
  snprintf(text, capacity, "%d;%s;%s;%s", processor, may, share, socket);
}

int settle_on_cores(void) {
  MPI_Comm node;
  int index = 0, here = 0, oversubscribed = 0;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &index);
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (here > 1 && here <= cores && sched_getaffinity(0, sizeof mine, &mine) == 0 &&
      CPU_COUNT(&mine) == cores) {
    int cpu = 0;
    for (int left = index; cpu < CPU_SETSIZE && (!CPU_ISSET(cpu, &mine) || left-- > 0);)
      ++cpu;
    CPU_ZERO(&mine);
    CPU_SET(cpu, &mine);
    sched_setaffinity(0, sizeof mine, &mine);
  }
  here = here > cores;
  MPI_Allreduce(&here, &oversubscribed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return oversubscribed;
}

int do_hosts_share_cores(void) {
  char machine[boot_id_length] = {0};
  int ranks = 0, here = 0, shared = 0;
  read_line("/proc/sys/kernel/random/boot_id", machine, sizeof machine);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* all = calloc((size_t)ranks, sizeof machine);
  MPI_Allgather(machine, sizeof machine, MPI_CHAR, all, sizeof machine, MPI_CHAR, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r)
    here += strcmp(all + (size_t)r * sizeof machine, machine) == 0;
  free(all);
  here = machine[0] != 0 && here > (int)sysconf(_SC_NPROCESSORS_ONLN);
  MPI_Allreduce(&here, &shared, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return shared;
}
