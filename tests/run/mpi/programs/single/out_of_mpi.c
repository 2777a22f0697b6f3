/* SPDX-License-Identifier: BSD-3-Clause */
// out_of_mpi FOLDER SECONDS MAX_BYTES OPERATIONS...
//
// Rank 0 starts a nonblocking collective and makes no call of MPI until all others have completed theirs,
// which it sees by their files in a folder. Says of each call whether they could: "bcast 65536 goes on" or
// "bcast 4194304 waits", where they have not within so many seconds. At its end it says how many threads the
// first such call has brought.
#include "check.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* folder;
static double seconds;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int count_threads(void) {
  DIR* const tasks = opendir("/proc/self/task");
  REQUIRE(tasks != NULL, "/proc/self/task does not open");
  int count = 0;
  for (const struct dirent* entry; (entry = readdir(tasks)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

static void path_of(char path[PATH_MAX], int number, int rank) {
  snprintf(path, PATH_MAX, "%s/%d.%d", folder, number, rank);
}

static void say_complete(int number) {
  char path[PATH_MAX];
  path_of(path, number, world_rank);
  FILE* const file = fopen(path, "w");
  REQUIRE(file != NULL, "%s cannot be written", path);
  fclose(file);
}

static int have_others_completed(int number) {
  for (int rank = 1; rank < world_size; ++rank) {
    char path[PATH_MAX];
    path_of(path, number, rank);
    if (access(path, F_OK) != 0)
      return 0;
  }
  return 1;
}

static uint64_t word_of(int rank, int number, int index) {
  return (uint64_t)rank * 1000003u + (uint64_t)number * 101u + (uint64_t)index % 97u;
}

static void start(const char* operation, uint64_t* in, uint64_t* out, int words, MPI_Request* request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  if (strcmp(operation, "bcast") == 0)
    MUST(MPI_Ibcast(world_rank == 0 ? in : out, words, MPI_UINT64_T, 0, comm, request));
  else if (strcmp(operation, "allreduce") == 0)
    MUST(MPI_Iallreduce(in, out, words, MPI_UINT64_T, MPI_SUM, comm, request));
  else if (strcmp(operation, "allgather") == 0)
    MUST(MPI_Iallgather(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, comm, request));
  else if (strcmp(operation, "alltoall") == 0)
    MUST(MPI_Ialltoall(in, words, MPI_UINT64_T, out, words, MPI_UINT64_T, comm, request));
  else
    REQUIRE(0, "no operation %s", operation);
}

// What arrives at the index-th word of the block from `from`.
static uint64_t awaited(const char* operation, int from, int number, int words, int index) {
  if (strcmp(operation, "alltoall") == 0)
    return word_of(from, number, world_rank * words + index);
  if (strcmp(operation, "allreduce") != 0)
    return word_of(from, number, index);
  uint64_t sum = 0;
  for (int rank = 0; rank < world_size; ++rank)
    sum += word_of(rank, number, index);
  return sum;
}

static void check_result(const char* operation, const uint64_t* out, int number, int words) {
  const int to_all = strcmp(operation, "allgather") == 0 || strcmp(operation, "alltoall") == 0;
  if (world_rank == 0 && strcmp(operation, "bcast") == 0)
    return;
  for (int from = 0; from < (to_all ? world_size : 1); ++from)
    for (int index = 0; index < words; ++index) {
      const uint64_t right = awaited(operation, from, number, words, index);
      const uint64_t got = out[from * words + index];
      REQUIRE(got == right, "word %d from %d is %llu, not %llu", index, from, (unsigned long long)got,
              (unsigned long long)right);
    }
}

static void run(const char* operation, int number, int words) {
  const size_t all = (size_t)words * (size_t)world_size;
  uint64_t* const in = malloc(all * sizeof *in);
  uint64_t* const out = calloc(all, sizeof *out);
  for (size_t index = 0; index < all; ++index)
    in[index] = word_of(world_rank, number, (int)index);
  context("%s of %d words", operation, words);
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  MPI_Request request = MPI_REQUEST_NULL;
  start(operation, in, out, words, &request);
  int goes_on = 1;
  if (world_rank == 0) {
    const double end = now() + seconds;
    while (!(goes_on = have_others_completed(number)) && now() < end)
      usleep(1000);
    printf("%s %zu %s\n", operation, words * sizeof *in, goes_on ? "goes on" : "waits");
    fflush(stdout);
  }
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  check_result(operation, out, number, words);
  if (world_rank != 0)
    say_complete(number);
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  REQUIRE(argc > 4, "out_of_mpi FOLDER SECONDS MAX_BYTES OPERATIONS...");
  folder = argv[1];
  seconds = atof(argv[2]);
  be_patient(200);
  static const int words[] = {1, 8 << 10, 512 << 10};
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  const int threads = count_threads();
  int number = 0;
  for (int which = 4; which < argc; ++which)
    for (int size = 0; size < 3 && words[size] * 8 <= atoi(argv[3]); ++size)
      run(argv[which], number++, words[size]);
  if (world_rank == 0)
    printf("%d more threads\n", count_threads() - threads);
  end();
  return 0;
}
