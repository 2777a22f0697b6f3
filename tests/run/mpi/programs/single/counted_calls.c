/* SPDX-License-Identifier: BSD-3-Clause */

// counted_calls SEED CALLS messages|collectives: threads make so many random calls each, mostly short ones,
// and count them. The first rank prints what all have made: a line for each function, with calls and bytes.

#include "check.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { threads = 3, longest = 64 };
enum { isend, recv, wait_one, test_one, iprobe, sendrecv, bcast, barrier, allreduce, iallreduce, functions };

static const char* const names[functions] = {"Isend",    "Recv",  "Wait",    "Test",      "Iprobe",
                                             "Sendrecv", "Bcast", "Barrier", "Allreduce", "Iallreduce"};

typedef struct {
  long calls[functions];
  long bytes[functions];
} Totals;

typedef struct {
  MPI_Comm comm;
  uint64_t state;
  int calls;
  int sends; // or meets
  Totals made;
} Thread;

static void made(Thread* thread, int function, long bytes) {
  ++thread->made.calls[function];
  thread->made.bytes[function] += bytes;
}

// The same on all ranks, which meet in the same calls.
static int below(Thread* thread, int limit) {
  thread->state = thread->state * 6364136223846793005U + 1442695040888963407U;
  return (int)((thread->state >> 33) % (uint64_t)limit);
}

static void end_request(Thread* thread, MPI_Request* request) {
  made(thread, wait_one, 0);
  MUST(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void exchange(Thread* thread, int own, int count, MPI_Datatype type, int size) {
  double sent[longest] = {0}, received[longest];
  MPI_Request request;
  made(thread, isend, (long)count * size);
  MUST(MPI_Isend(sent, count, type, own, 1, thread->comm, &request));
  made(thread, recv, (long)count * size);
  MUST(MPI_Recv(received, count, type, own, 1, thread->comm, MPI_STATUS_IGNORE));
  end_request(thread, &request);
}

static void look(Thread* thread, int own) {
  int flag = 1;
  double received;
  MPI_Request request;
  MUST(MPI_Irecv(&received, 1, MPI_DOUBLE, own, 2, thread->comm, &request));
  for (int looks = 0; looks < 3; ++looks) {
    made(thread, test_one, 0);
    MUST(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    made(thread, iprobe, 0);
    MUST(MPI_Iprobe(own, 3, thread->comm, &flag, MPI_STATUS_IGNORE));
  }
  made(thread, isend, sizeof(double));
  MPI_Request sending;
  MUST(MPI_Isend(&(double){1}, 1, MPI_DOUBLE, own, 2, thread->comm, &sending));
  end_request(thread, &sending);
  end_request(thread, &request);
}

static void meet(Thread* thread, int count) {
  int own[longest] = {0}, sums[longest];
  const long bytes = (long)count * (long)sizeof(int);
  MPI_Request request;
  switch (below(thread, 4)) {
  case 0:
    made(thread, bcast, bytes);
    MUST(MPI_Bcast(own, count, MPI_INT, 0, thread->comm));
    break;
  case 1:
    made(thread, barrier, 0);
    MUST(MPI_Barrier(thread->comm));
    break;
  case 2:
    made(thread, allreduce, bytes);
    MUST(MPI_Allreduce(own, sums, count, MPI_INT, MPI_SUM, thread->comm));
    break;
  default:
    made(thread, iallreduce, bytes);
    MUST(MPI_Iallreduce(own, sums, count, MPI_INT, MPI_SUM, thread->comm, &request));
    end_request(thread, &request);
  }
}

static void* work(void* argument) {
  Thread* const thread = argument;
  int own;
  MUST(MPI_Comm_rank(thread->comm, &own));
  MPI_Datatype pair;
  MUST(MPI_Type_contiguous(2, MPI_DOUBLE, &pair));
  MUST(MPI_Type_commit(&pair));
  for (int call = 0; call < thread->calls; ++call) {
    // One size for a while, as loops have it, then others.
    const int count = call / 100 % 2 == 0 ? 4 : below(thread, longest / 2);
    switch (thread->sends ? below(thread, 4) : 4) {
    case 0:
      exchange(thread, own, count, MPI_DOUBLE, sizeof(double));
      break;
    case 1:
      exchange(thread, own, count, pair, 2 * sizeof(double));
      break;
    case 2:
      look(thread, own);
      break;
    case 3: {
      char out[longest] = {0}, in[longest];
      made(thread, sendrecv, count);
      MUST(MPI_Sendrecv(out, count, MPI_CHAR, own, 4, in, count, MPI_CHAR, own, 4, thread->comm,
                        MPI_STATUS_IGNORE));
      break;
    }
    default:
      meet(thread, count);
    }
    if (below(thread, 400) == 0) { // handles are used again
      MPI_Comm next;
      MUST(MPI_Comm_dup(thread->comm, &next));
      MUST(MPI_Comm_free(&thread->comm));
      thread->comm = next;
    }
  }
  MUST(MPI_Type_free(&pair));
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_MULTIPLE);
  Thread all[threads] = {0};
  pthread_t running[threads];
  for (int number = 0; number < threads; ++number) {
    all[number].state = (uint64_t)atoi(argv[1]) * threads + (uint64_t)number;
    all[number].calls = atoi(argv[2]);
    all[number].sends = strcmp(argv[3], "messages") == 0;
    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &all[number].comm));
  }
  for (int number = 0; number < threads; ++number)
    pthread_create(&running[number], NULL, work, &all[number]);
  Totals own = {0}, sum = {0};
  for (int number = 0; number < threads; ++number) {
    pthread_join(running[number], NULL);
    for (int function = 0; function < functions; ++function) {
      own.calls[function] += all[number].made.calls[function];
      own.bytes[function] += all[number].made.bytes[function];
    }
    MUST(MPI_Comm_free(&all[number].comm));
  }
  MUST(MPI_Reduce(&own, &sum, 2 * functions, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD));
  int rank;
  MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  for (int function = 0; rank == 0 && function < functions; ++function)
    printf("MPI_%s %ld %ld\n", names[function], sum.calls[function], sum.bytes[function]);
  MUST(MPI_Finalize());
  return 0;
}
