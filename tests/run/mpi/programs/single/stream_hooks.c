/* SPDX-License-Identifier: BSD-3-Clause */
// A library with streams of another version: its hooks are of another size, and it reports what nobody knows.
// Hooks are called in MPI calls of the program, and in none that they make themselves.
#include "check.h"
#include "thalweg/interposer.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

static int progress_calls = 0;
static int report_calls = 0;
static int in_hook = 0;

static int progress(void) {
  REQUIRE(!in_hook, "a hook is called within itself");
  in_hook = 1;
  int flag = 0;
  MUST(MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  in_hook = 0;
  return ++progress_calls % 2;
}

static void report(void) {
  ++report_calls;
}

static void may_not_be_called(void) {
  fail("a hook that the structure has not is called");
}

static void receive_slowly(void) {
  int message = 0;
  if (world_rank == 0)
    for (int peer = 1; peer < world_size; ++peer)
      MUST(MPI_Recv(&message, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  else
    MUST(MPI_Ssend(&message, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
}

static void* interposers(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  REQUIRE(found != NULL, "the interposer has no %s", name);
  return found;
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  context("stream_hooks");
  void (*attach)(const thalweg_stream_hooks*) = NULL;
  void (*detach)(const thalweg_stream_hooks*) = NULL;
  void (*tell)(const char*) = NULL;
  *(void**)&attach = interposers("thalweg_attach_streams");
  *(void**)&detach = interposers("thalweg_detach_streams");
  *(void**)&tell = interposers("thalweg_report_stream");

  const thalweg_stream_hooks small = {offsetof(thalweg_stream_hooks, report), progress, may_not_be_called};
  attach(NULL);
  attach(&small);
  receive_slowly();
  const int calls = progress_calls;
  REQUIRE(world_size == 1 || calls > 0, "no hook was called in %d calls", calls);
  detach(&small);
  detach(&small);
  receive_slowly();
  REQUIRE(progress_calls == calls, "%d hooks were called that are gone", progress_calls - calls);

  const thalweg_stream_hooks empty = {sizeof(size_t), (int (*)(void))may_not_be_called, may_not_be_called};
  const thalweg_stream_hooks large = {2 * sizeof(thalweg_stream_hooks), progress, report};
  attach(&large);
  for (int library = 0; library < 10; ++library)
    attach(&empty);
  receive_slowly();
  for (int library = 0; library < 10; ++library)
    detach(&empty);

  tell(NULL);
  tell("no JSON");
  tell("{}");
  tell("{\"id\":\"1\",\"sum\":[],\"phases\":7,\"later\":{\"more\":1}}");
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  end();
  REQUIRE(report_calls == 1, "%d times was asked for reports", report_calls);
  if (world_rank == 0)
    printf("passed stream_hooks\n");
  return 0;
}
