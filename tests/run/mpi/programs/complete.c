/* SPDX-License-Identifier: BSD-3-Clause */
#include "complete.h"

#include <sched.h>
#include <stdlib.h>

static bool test_some(MPI_Request* requests, int count, int* indices, int* left) {
  int done = 0;
  MUST(MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE));
  REQUIRE(done != MPI_UNDEFINED, "MPI_Testsome says that no request is active with %d left", *left);
  *left -= done;
  return *left == 0;
}

static void test_until_complete(MPI_Request* request) {
  int flag = 0;
  while (!flag) {
    MUST(MPI_Test(request, &flag, MPI_STATUS_IGNORE));
    sched_yield();
  }
}

static void test_all_until_complete(MPI_Request* request) {
  int flag = 0;
  while (!flag) {
    MPI_Status status;
    MUST(MPI_Testall(1, request, &flag, &status));
    sched_yield();
  }
}

static void test_any_until_complete(MPI_Request* request) {
  int flag = 0, index = -1;
  while (!flag) {
    MUST(MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE));
    sched_yield();
  }
  REQUIRE(index == 0, "MPI_Testany of one request returned index %d", index);
}

// Does not free the request by itself.
static void ask_until_complete(MPI_Request* request) {
  int flag = 0;
  while (!flag) {
    MUST(MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE));
    sched_yield();
  }
  REQUIRE(*request != MPI_REQUEST_NULL, "MPI_Request_get_status freed the request");
  MUST(MPI_Test(request, &flag, MPI_STATUS_IGNORE));
  REQUIRE(flag, "MPI_Test after MPI_Request_get_status found the request incomplete");
}

void complete_one(MPI_Request* request, int way, bool persistent) {
  int index = -1, left = 1;
  MPI_Status status;
  unsigned chosen = (unsigned)way % COMPLETION_COUNT;
  if (chosen == 5 && persistent && known("persistent-testall"))
    chosen = 1;
  switch (chosen) {
  case 0:
    MUST(MPI_Wait(request, MPI_STATUS_IGNORE));
    break;
  case 1:
    test_until_complete(request);
    break;
  case 2:
    MUST(MPI_Waitall(1, request, MPI_STATUSES_IGNORE));
    break;
  case 3:
    MUST(MPI_Waitany(1, request, &index, &status));
    REQUIRE(index == 0, "MPI_Waitany of one request returned index %d", index);
    break;
  case 4:
    MUST(MPI_Waitsome(1, request, &left, &index, &status));
    REQUIRE(left == 1 && index == 0, "MPI_Waitsome of one request returned count %d, index %d", left, index);
    break;
  case 5:
    test_all_until_complete(request);
    break;
  case 6:
    test_any_until_complete(request);
    break;
  case 7:
    while (!test_some(request, 1, &index, &left))
      sched_yield();
    break;
  case 8:
    ask_until_complete(request);
    break;
  default:
    MUST(MPI_Wait(request, &status));
    break;
  }
  if (persistent)
    REQUIRE(*request != MPI_REQUEST_NULL, "completing a persistent request freed it");
  else
    REQUIRE(*request == MPI_REQUEST_NULL, "a completed request is not MPI_REQUEST_NULL");
}

static void complete_by_any(MPI_Request* requests, int count) {
  for (int i = 0; i < count; ++i) {
    int index = -1;
    MUST(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
    REQUIRE(index >= 0 && index < count, "MPI_Waitany returned index %d with %d active requests", index,
            count - i);
    REQUIRE(requests[index] == MPI_REQUEST_NULL, "MPI_Waitany left the request that it completed");
  }
  int index = 0;
  MUST(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
  REQUIRE(index == MPI_UNDEFINED, "MPI_Waitany of null requests returned index %d", index);
}

static void complete_by_some(MPI_Request* requests, int count) {
  int* indices = malloc((size_t)count * sizeof *indices);
  int left = count;
  while (left > 0) {
    int done = 0;
    MUST(MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE));
    REQUIRE(done > 0 && done <= left, "MPI_Waitsome completed %d of %d requests", done, left);
    for (int i = 0; i < done; ++i)
      REQUIRE(requests[indices[i]] == MPI_REQUEST_NULL, "MPI_Waitsome left a request that it completed");
    left -= done;
  }
  free(indices);
}

static void complete_by_testing(MPI_Request* requests, int count, bool all) {
  int* indices = malloc((size_t)count * sizeof *indices);
  int left = count, flag = 0;
  while (all ? !flag : !test_some(requests, count, indices, &left)) {
    if (all)
      MUST(MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE));
    sched_yield();
  }
  free(indices);
}

static void complete_by_test_any(MPI_Request* requests, int count) {
  for (int left = count; left > 0;) {
    int index = -1, flag = 0;
    MUST(MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE));
    if (flag) {
      REQUIRE(index >= 0 && index < count, "MPI_Testany returned index %d with %d active requests", index,
              left);
      --left;
    } else {
      sched_yield();
    }
  }
}

void complete_all(MPI_Request* requests, int count, int way) {
  if (count == 0)
    return;
  switch ((unsigned)way % 7) {
  case 0:
    MUST(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    break;
  case 1:
    complete_by_any(requests, count);
    break;
  case 2:
    complete_by_some(requests, count);
    break;
  case 3:
    complete_by_testing(requests, count, true);
    break;
  case 4:
    complete_by_testing(requests, count, false);
    break;
  case 5:
    complete_by_test_any(requests, count);
    break;
  default:
    for (int i = 0; i < count; ++i)
      complete_one(&requests[i], way + i, false);
    break;
  }
  for (int i = 0; i < count; ++i)
    REQUIRE(requests[i] == MPI_REQUEST_NULL, "request %d of %d is not null after completion", i, count);
}
