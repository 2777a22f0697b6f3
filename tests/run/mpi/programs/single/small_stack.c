/* SPDX-License-Identifier: BSD-3-Clause */
// A thread with the smallest stack that the system allows, and what children of a rank get to load.

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static volatile int ran;

static void* work(void* nothing) {
  ran = 1;
  return nothing;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  const int code = pthread_create(&thread, &attributes, work, NULL);
  if (code == 0)
    pthread_join(thread, NULL);
  char preload[4096] = "";
  FILE* child = popen("echo \"preload '$LD_PRELOAD'\"", "r");
  if (child == NULL || fgets(preload, sizeof preload, child) == NULL)
    strcpy(preload, "no child\n");
  if (child != NULL)
    pclose(child);
  if (rank == 0)
    printf("thread %s, ran %d; %s", strerror(code), ran, preload);
  MPI_Finalize();
  return 0;
}
