/* SPDX-License-Identifier: BSD-3-Clause */
// Threads that are canceled in calls which block: cancels on | end CASE... A library lets
// go of one where it comes to a point of cancellation, or keeps it until the call returns. Another thread
// then goes on with MPI, and what it calls works as before; or it ends, where natively the library waits for
// the thread that was canceled.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { patience_s = 60, turns = 50, length = 100000 };

static int rank, size, wrong;
static const char* what;
static MPI_Comm apart;   // of the case alone, where what is left behind harms nobody
static MPI_Comm meeting; // of the threads that go on
static int buffer[length], sent[length];

static void nap_ms(int ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static void block(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (strcmp(what, "recv") == 0)
    MPI_Recv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, 7, apart, MPI_STATUS_IGNORE);
  else if (strcmp(what, "probe") == 0) {
    MPI_Probe(MPI_ANY_SOURCE, 7, apart, MPI_STATUS_IGNORE);
    MPI_Recv(buffer, 1, MPI_INT, 1, 7, apart, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "wait") == 0) {
    MPI_Irecv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, 7, apart, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "waitany") == 0) {
    int index = 0;
    MPI_Irecv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, 7, apart, &request);
    MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
  } else if (strcmp(what, "ssend") == 0)
    MPI_Ssend(buffer, 1, MPI_INT, 1, 7, apart);
  else if (strcmp(what, "bcast") == 0)
    MPI_Bcast(buffer, length, MPI_INT, 1, apart);
  else
    MPI_Allreduce(sent, buffer, length, MPI_INT, MPI_SUM, apart);
}

static void* run(void* entered) {
  *(volatile int*)entered = 1;
  block();
  pthread_testcancel();
  return NULL;
}

// What it waits for comes, from the other rank: a thread that no point of cancellation has let go returns.
static void let_go(void) {
  if (strcmp(what, "ssend") == 0)
    MPI_Recv(sent, 1, MPI_INT, 0, 7, apart, MPI_STATUS_IGNORE);
  else if (strcmp(what, "bcast") == 0 || strcmp(what, "allreduce") == 0)
    block();
  else
    MPI_Send(sent, 1, MPI_INT, 0, 7, apart);
}

static void go_on(void) {
  for (int turn = 0; turn < turns; ++turn) {
    int sum = 0;
    int from = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, meeting);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &from, 1, MPI_INT, (rank + size - 1) % size, 5,
                 meeting, MPI_STATUS_IGNORE);
    wrong += sum != size * (size - 1) / 2 || from != (rank + size - 1) % size;
  }
}

static void cancel_one(void) {
  if (rank != 0) {
    nap_ms(400);
    let_go();
    return;
  }
  pthread_t thread;
  volatile int entered = 0;
  void* result = NULL;
  pthread_create(&thread, NULL, run, (void*)&entered);
  while (entered == 0)
    nap_ms(1);
  nap_ms(50);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  wrong += result != PTHREAD_CANCELED;
}

static void end(void) {
  nap_ms(rank == 0 ? 0 : 2000); // rank 0 is the one that has something to say
  if (rank == 0 && wrong == 0)
    printf("passed cancels\n");
  fflush(stdout);
  raise(SIGKILL);
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  alarm(patience_s);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &meeting);
  for (int argument = 2; argument < argc; ++argument) {
    what = argv[argument];
    MPI_Comm_dup(MPI_COMM_WORLD, &apart); // not freed: what was left may be under way
    go_on();
    MPI_Request under_way = MPI_REQUEST_NULL;
    int sum = 0;
    if (rank == 0) // the other one comes when the thread has been canceled
      MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, meeting, &under_way);
    cancel_one();
    if (rank != 0)
      MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, meeting, &under_way);
    if (strcmp(argv[1], "end") == 0)
      end();
    MPI_Wait(&under_way, MPI_STATUS_IGNORE);
    wrong += sum != size * (size - 1) / 2;
    go_on();
  }
  int all = wrong;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, meeting);
  if (rank == 0 && all == 0)
    printf("passed cancels\n");
  MPI_Finalize();
  return all != 0;
}
