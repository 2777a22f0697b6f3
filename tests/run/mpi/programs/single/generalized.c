/* SPDX-License-Identifier: BSD-3-Clause */
// Generalized requests in every call that completes requests: what the call returns, and how often the
// program's functions are called. A query function that fails fails the call.
//
//     generalized late | early
//
// Beside each is a message of the other rank's, which comes after a while: where the call waits for both, it
// is under way, and else it is sent afterwards. `early`: the generalized request is complete before the call;
// `late`: another thread completes it while the call waits, where the library allows that.

#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FAILURE = MPI_ERR_OTHER, pause_us = 20000, patience_s = 60 };

static char text[1 << 16];
static size_t used;
static int rank, size;
static int queries, releases, answer, is_late;

static int query(void* state, MPI_Status* status) {
  (void)state;
  ++queries;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = 77;
  return answer;
}
static int release(void* state) {
  (void)state;
  ++releases;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

static void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += (size_t)vsnprintf(text + used, sizeof text - used, format, arguments);
  va_end(arguments);
}

static void* complete_soon(void* request) {
  usleep(pause_us);
  MPI_Grequest_complete(*(MPI_Request*)request);
  return NULL;
}

static int class_of(int code) {
  int kind = 0;
  MPI_Error_class(code, &kind);
  return kind;
}

static int test_until(int (*test)(MPI_Request*, int*, MPI_Status*), MPI_Request* requests,
                      MPI_Status* statuses) {
  int code = MPI_SUCCESS;
  for (int done = 0; done == 0 && code == MPI_SUCCESS;)
    code = test(requests, &done, statuses);
  return code;
}
// MPICH calls the query function with each test of both, until both are complete.
static int testall(MPI_Request* requests, int* done, MPI_Status* statuses) {
  int has_come = 0;
  while (has_come == 0)
    MPI_Request_get_status(requests[0], &has_come, MPI_STATUS_IGNORE);
  return MPI_Testall(2, requests, done, statuses);
}
static int testany(MPI_Request* requests, int* done, MPI_Status* statuses) {
  int index = 0;
  return MPI_Testany(2, requests, &index, done, statuses);
}
static int testsome(MPI_Request* requests, int* done, MPI_Status* statuses) {
  int indices[2];
  return MPI_Testsome(2, requests, done, indices, statuses);
}
static int test_second(MPI_Request* requests, int* done, MPI_Status* statuses) {
  return MPI_Test(&requests[1], done, statuses);
}
static int ask_second(MPI_Request* requests, int* done, MPI_Status* statuses) {
  return MPI_Request_get_status(requests[1], done, statuses);
}

static int complete_by(const char* call, MPI_Request* requests, MPI_Status* statuses) {
  int index = 0;
  int count = 0;
  int indices[2];
  MPI_Status* volatile ignored = MPI_STATUSES_IGNORE; // compilers take it for an array that is too short
  if (strcmp(call, "wait") == 0)
    return MPI_Wait(&requests[1], statuses);
  if (strcmp(call, "wait ignoring") == 0)
    return MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  if (strcmp(call, "waitall") == 0)
    return MPI_Waitall(2, requests, statuses);
  if (strcmp(call, "waitall ignoring") == 0)
    return MPI_Waitall(2, requests, ignored);
  if (strcmp(call, "waitany") == 0)
    return MPI_Waitany(2, requests, &index, statuses);
  if (strcmp(call, "waitsome") == 0)
    return MPI_Waitsome(2, requests, &count, indices, statuses);
  if (strcmp(call, "test") == 0)
    return test_until(test_second, requests, statuses);
  if (strcmp(call, "testall") == 0)
    return test_until(testall, requests, statuses);
  if (strcmp(call, "testany") == 0)
    return test_until(testany, requests, statuses);
  if (strcmp(call, "testsome") == 0)
    return test_until(testsome, requests, statuses);
  return test_until(ask_second, requests, statuses);
}

static void try(const char* call, int wanted) {
  static int row[2];
  static int sum;
  const int peer = (rank + 1) % size;
  MPI_Request requests[2];
  MPI_Request same, reduction;
  MPI_Status statuses[2];
  pthread_t other;
  queries = releases = 0;
  answer = wanted;
  memset(statuses, 0, sizeof statuses);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &reduction);
  MPI_Irecv(&row[0], 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Grequest_start(query, release, cancel, NULL, &requests[1]);
  same = requests[1];
  if (is_late)
    pthread_create(&other, NULL, complete_soon, &same);
  else
    MPI_Grequest_complete(same);
  // Those that wait for one request alone get no message before it.
  const int waits_for_both = strncmp(call, "waitall", 7) == 0 || strcmp(call, "testall") == 0;
  if (waits_for_both) {
    usleep(rank == 0 ? pause_us : 0);
    MPI_Send(&rank, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
  }
  const int code = complete_by(call, requests, statuses);
  say("%d %s, query %s: class %d, %d queries, %d releases, %s", rank, call, wanted ? "fails" : "succeeds",
      class_of(code), queries, releases, requests[1] == MPI_REQUEST_NULL ? "over" : "there");
  if (code == MPI_ERR_IN_STATUS)
    say(", classes %d %d", class_of(statuses[0].MPI_ERROR), class_of(statuses[1].MPI_ERROR));
  say("\n");
  if (is_late)
    pthread_join(other, NULL);
  if (rank != 0)
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &reduction);
  MPI_Wait(&reduction, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!waits_for_both)
    MPI_Send(&rank, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  if (requests[1] != MPI_REQUEST_NULL)
    MPI_Request_free(&requests[1]);
  say("%d %s, at the end: %d queries, %d releases\n", rank, call, queries, releases);
}

int main(int argc, char** argv) {
  static const char* const calls[] = {"wait",    "wait ignoring", "waitall",   "waitall ignoring",
                                      "waitany", "waitsome",      "test",      "testall",
                                      "testany", "testsome",      "get status"};
  int level = 0;
  is_late = argc > 1 && strcmp(argv[1], "late") == 0;
  MPI_Init_thread(&argc, &argv, is_late ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  alarm(patience_s);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (unsigned c = 0; c < sizeof calls / sizeof *calls; ++c) {
    // MPICH wants those that are waited for with others to be complete.
    if (is_late && strncmp(calls[c], "waitall", 7) == 0)
      continue;
    try(calls[c], MPI_SUCCESS);
    try(calls[c], FAILURE);
  }
  for (int r = 0; r < size; ++r) { // ranks one after the other
    int length = (int)used;
    if (rank == r && rank > 0)
      MPI_Send(text, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (rank == 0 && r > 0) {
      MPI_Status status;
      MPI_Recv(text, (int)sizeof text, MPI_CHAR, r, 0, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &length);
    }
    if (rank == 0)
      fwrite(text, 1, (size_t)length, stdout);
  }
  MPI_Finalize();
  return 0;
}
