/* SPDX-License-Identifier: BSD-3-Clause */
// Many collectives under way at once with point-to-point among them, persistent ones restarted, and requests
// of other kinds.
#include "complete.h"
#include "forms.h"
#include "suites.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 12 };

// One operation of a batch: its buffers live until all of the batch is complete.
typedef struct {
  int kind;
  int from[64 * 2];
  int to[64 * 2];
} Slot;

static void start(Slot* slot, int kind, int salt, MPI_Comm comm, int rank, int size, MPI_Request* request) {
  slot->kind = kind;
  for (int i = 0; i < size * 2; ++i) {
    slot->from[i] = salt * 10000 + rank * 100 + i;
    slot->to[i] = -1;
  }
  switch (kind) {
  case 0:
    MUST(MPI_Iallreduce(slot->from, slot->to, 2, MPI_INT, MPI_SUM, comm, request));
    break;
  case 1:
    MUST(MPI_Ialltoall(slot->from, 1, MPI_INT, slot->to, 1, MPI_INT, comm, request));
    break;
  case 2:
    memcpy(slot->to, slot->from, sizeof(int));
    MUST(MPI_Ibcast(slot->to, 1, MPI_INT, salt % size, comm, request));
    break;
  case 3:
    MUST(MPI_Iallgather(slot->from, 1, MPI_INT, slot->to, 1, MPI_INT, comm, request));
    break;
  case 4:
    MUST(MPI_Ibarrier(comm, request));
    break;
  case 5:
    MUST(MPI_Irecv(slot->to, 1, MPI_INT, (rank + 1) % size, salt, comm, request));
    break;
  case 6:
    MUST(MPI_Isend(slot->from, 1, MPI_INT, (rank + size - 1) % size, salt - 1, comm, request));
    break;
  default:
    MUST(MPI_Igather(slot->from, 1, MPI_INT, slot->to, 1, MPI_INT, salt % size, comm, request));
    break;
  }
}

static void check(const Slot* slot, int salt, int rank, int size) {
  const int base = salt * 10000;
  const int got = slot->to[0];
  int wanted = got;
  switch (slot->kind) {
  case 0:
    wanted = size * base + 100 * (size * (size - 1) / 2);
    break;
  case 1:
    for (int r = 0; r < size; ++r)
      REQUIRE(slot->to[r] == base + r * 100 + rank, "all-to-all: item %d is %d", r, slot->to[r]);
    break;
  case 2:
    wanted = base + (salt % size) * 100;
    break;
  case 3:
    for (int r = 0; r < size; ++r)
      REQUIRE(slot->to[r] == base + r * 100, "all-gather: item %d is %d", r, slot->to[r]);
    break;
  case 5:
    wanted = base + 10000 + ((rank + 1) % size) * 100;
    break;
  case 7:
    for (int r = 0; rank == salt % size && r < size; ++r)
      REQUIRE(slot->to[r] == base + r * 100, "gather: item %d is %d", r, slot->to[r]);
    break;
  default:
    break;
  }
  REQUIRE(got == wanted, "operation of kind %d: got %d, expected %d", slot->kind, got, wanted);
}

void test_outstanding(void) {
  static Slot slots[GROUP_COUNT][BATCH];
  MPI_Request requests[GROUP_COUNT * BATCH];
  for (int i = 0; i < times(40); ++i) {
    Dice dice = dice_of(6006, (uint64_t)i);
    context("outstanding: batch %d", i);
    int started = 0;
    for (int g = 0; g < GROUP_COUNT; ++g)
      for (int s = 0; s < BATCH; ++s) {
        static const int kinds[] = {0, 1, 2, 3, 4, 7};
        // A receive and its send stand next to each other: 5 then 6.
        const int kind = s % 4 == 2 ? 5 : s % 4 == 3 ? 6 : kinds[roll(&dice, 6)];
        start(&slots[g][s], kind, s, group(g)->comm, group(g)->rank, group(g)->size, &requests[started++]);
      }
    for (int k = started - 1; k > 0 && i % 2; --k) { // completed in an order of their own at every rank
      Dice local = dice_of((uint64_t)(i * 100 + k), (uint64_t)world_rank);
      const int other = roll(&local, k + 1);
      const MPI_Request swapped = requests[k];
      requests[k] = requests[other];
      requests[other] = swapped;
    }
    // One by one in an order that differs from rank to rank is legal for non-blocking operations as well.
    complete_all(requests, started, i);
    for (int g = 0; g < GROUP_COUNT; ++g)
      for (int s = 0; s < BATCH; ++s)
        check(&slots[g][s], s, group(g)->rank, group(g)->size);
  }
}

// A rank that waits in a collective must let what it has begun go on: its partner sends too much to be
// buffered, and comes to the collective only then.
void test_going_on_in_collectives(void) {
  enum { NUMBERS = 1 << 18 };
  int* numbers = malloc(NUMBERS * sizeof(int));
  const int partner = world_rank ^ 1;
  for (int i = 0; i < times(12); ++i) {
    context("going_on_in_collectives: turn %d", i);
    MPI_Request request = MPI_REQUEST_NULL;
    const int sends = (world_rank + i) % 2;
    for (int k = 0; k < NUMBERS; ++k)
      numbers[k] = sends ? i + k : -1;
    if (partner < world_size && sends)
      MUST(MPI_Send(numbers, NUMBERS, MPI_INT, partner, i, MPI_COMM_WORLD));
    else if (partner < world_size)
      MUST(MPI_Irecv(numbers, NUMBERS, MPI_INT, partner, i, MPI_COMM_WORLD, &request));
    int one = 1, sum = 0;
    if (i % 2 == 0)
      MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    else
      MUST(MPI_Barrier(MPI_COMM_WORLD));
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    REQUIRE(i % 2 != 0 || sum == world_size, "the sum is %d", sum);
    for (int k = 0; k < NUMBERS && partner < world_size; ++k)
      REQUIRE(numbers[k] == i + k, "number %d is %d", k, numbers[k]);
  }
  free(numbers);
}

// The same where the collective is one that the library alone does right when it blocks: the root of a
// broadcast enters it while its partner still waits for what the root has to send.
void test_going_on_in_neighborhoods(void) {
  enum { NUMBERS = 1 << 20 };
  int* numbers = malloc(NUMBERS * sizeof(int));
  MPI_Comm ring;
  MUST(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){world_size < 2 ? 1 : 2}, (int[]){1}, 0, &ring));
  for (int i = 0; i < times(6) && ring != MPI_COMM_NULL; ++i) {
    context("going_on_in_neighborhoods: turn %d", i);
    int size, rank;
    MUST(MPI_Comm_size(ring, &size));
    MUST(MPI_Comm_rank(ring, &rank));
    for (int k = 0; k < NUMBERS; ++k)
      numbers[k] = rank == 0 ? i + k : -1;
    MPI_Request request;
    MUST(MPI_Ibcast(numbers, NUMBERS, MPI_INT, 0, ring, &request));
    if (rank != 0)
      MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    const int out[2] = {rank, rank}, partner = (rank + 1) % size;
    int in[2] = {-1, -1};
    MUST(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring));
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    REQUIRE(in[0] == partner && in[1] == partner, "the neighbors sent %d and %d", in[0], in[1]);
    for (int k = 0; k < NUMBERS; ++k)
      REQUIRE(numbers[k] == i + k, "number %d is %d", k, numbers[k]);
  }
  if (ring != MPI_COMM_NULL)
    MUST(MPI_Comm_free(&ring));
  free(numbers);
}

void test_persistent_restart(void) {
#if HAVE_PERSISTENT_COLLECTIVES
  enum { KINDS = 4 };
  MPI_Request requests[KINDS + 1];
  int from[64] = {0}, to[64], sum_from[2], sum_to[2], word = 0, token_in = -1;
  MUST(MPI_Alltoall_init(from, 1, MPI_INT, to, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
  MUST(
      MPI_Allreduce_init(sum_from, sum_to, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
  MUST(MPI_Bcast_init(&word, 1, MPI_INT, world_size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]));
  MUST(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]));
  MUST(MPI_Recv_init(&token_in, 1, MPI_INT, (world_rank + 1) % world_size, 3, MPI_COMM_WORLD,
                     &requests[KINDS]));
  for (int i = 0; i < times(40); ++i) {
    context("persistent_restart: start %d", i);
    for (int r = 0; r < world_size; ++r)
      from[r] = i * 1000 + world_rank * 64 + r;
    sum_from[0] = i + world_rank;
    sum_from[1] = -i;
    word = world_rank == world_size - 1 ? i : -1;
    if (i % 2) {
      MUST(MPI_Startall(KINDS + 1, requests));
    } else {
      for (int k = 0; k <= KINDS; ++k)
        MUST(MPI_Start(&requests[k]));
    }
    MUST(MPI_Send(&i, 1, MPI_INT, (world_rank + world_size - 1) % world_size, 3, MPI_COMM_WORLD));
    if (i % 3 == 0 && !known("persistent-testall"))
      MUST(MPI_Waitall(KINDS + 1, requests, MPI_STATUSES_IGNORE));
    else
      for (int k = KINDS; k >= 0; --k)
        complete_one(&requests[k], i + k, true);
    for (int r = 0; r < world_size; ++r)
      REQUIRE(to[r] == i * 1000 + r * 64 + world_rank, "all-to-all: item %d is %d", r, to[r]);
    REQUIRE(sum_to[0] == i * world_size + world_size * (world_size - 1) / 2 && sum_to[1] == -i * world_size,
            "all-reduce gave %d, %d", sum_to[0], sum_to[1]);
    REQUIRE(word == i, "broadcast gave %d", word);
    REQUIRE(token_in == i, "persistent receive gave %d", token_in);
  }
  // Inactive requests complete at once.
  MUST(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  for (int k = 0; k <= KINDS; ++k)
    MUST(MPI_Request_free(&requests[k]));
#endif
}

static int queried = 0, freed = 0;

static int query(void* extra, MPI_Status* status) {
  (void)extra;
  ++queried;
  MUST(MPI_Status_set_elements(status, MPI_INT, 3));
  MUST(MPI_Status_set_cancelled(status, 0));
  status->MPI_SOURCE = 42;
  status->MPI_TAG = 43;
  return MPI_SUCCESS;
}

static int release(void* extra) {
  (void)extra;
  ++freed;
  return MPI_SUCCESS;
}

static int cancel(void* extra, int complete) {
  (void)extra;
  (void)complete;
  return MPI_SUCCESS;
}

static void check_generalized(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int one = 1, sum = 0, flag = 1, count = 0;
  queried = freed = 0;
  MUST(MPI_Grequest_start(query, release, cancel, NULL, &requests[0]));
  MUST(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]));
  MUST(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
  REQUIRE(!flag, "a generalized request is complete before MPI_Grequest_complete");
  MUST(MPI_Grequest_complete(requests[0]));
  MUST(MPI_Waitall(2, requests, statuses));
  REQUIRE(sum == world_size, "the sum beside the generalized request is %d", sum);
  // How often a library asks for the status is its own affair; it must ask, and free exactly once.
  REQUIRE(queried >= 1 && freed == 1, "query was called %d times, free %d times", queried, freed);
  MUST(MPI_Get_count(&statuses[0], MPI_INT, &count));
  REQUIRE(count == 3 && statuses[0].MPI_SOURCE == 42 && statuses[0].MPI_TAG == 43,
          "the generalized request's status is source %d, tag %d, count %d", statuses[0].MPI_SOURCE,
          statuses[0].MPI_TAG, count);
}

static void check_null_and_empty(void) {
  MPI_Request nulls[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status;
  int flag = 0, index = 0, done = 0, indices[3], count = -1;
  MUST(MPI_Wait(&nulls[0], &status));
  MUST(MPI_Get_count(&status, MPI_INT, &count));
  REQUIRE(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0,
          "the empty status is source %d, tag %d, count %d", status.MPI_SOURCE, status.MPI_TAG, count);
  MUST(MPI_Test(&nulls[0], &flag, &status));
  REQUIRE(flag, "MPI_Test of a null request says incomplete");
  MUST(MPI_Testall(3, nulls, &flag, MPI_STATUSES_IGNORE));
  REQUIRE(flag, "MPI_Testall of null requests says incomplete");
  MUST(MPI_Testany(3, nulls, &index, &flag, &status));
  REQUIRE(flag && index == MPI_UNDEFINED, "MPI_Testany of null requests: flag %d, index %d", flag, index);
  MUST(MPI_Waitsome(3, nulls, &done, indices, MPI_STATUSES_IGNORE));
  REQUIRE(done == MPI_UNDEFINED, "MPI_Waitsome of null requests: %d", done);
  MUST(MPI_Testsome(3, nulls, &done, indices, MPI_STATUSES_IGNORE));
  REQUIRE(done == MPI_UNDEFINED, "MPI_Testsome of null requests: %d", done);
  MUST(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
}

// Statuses at the right places of a mixed array: collectives' are empty, messages' say who.
static void check_mixed_statuses(void) {
  MPI_Request requests[4];
  MPI_Status statuses[4];
  int in = -1, out = world_rank, sum = 0, count = 0;
  const int left = (world_rank + world_size - 1) % world_size, right = (world_rank + 1) % world_size;
  MUST(MPI_Iallreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &requests[1]));
  requests[2] = MPI_REQUEST_NULL;
  MUST(MPI_Isend(&out, 1, MPI_INT, right, 12, MPI_COMM_WORLD, &requests[3]));
  MUST(MPI_Waitall(4, requests, statuses));
  MUST(MPI_Get_count(&statuses[1], MPI_INT, &count));
  REQUIRE(statuses[1].MPI_SOURCE == left && statuses[1].MPI_TAG == 12 && count == 1 && in == left,
          "the receive's status is source %d, tag %d, count %d, value %d", statuses[1].MPI_SOURCE,
          statuses[1].MPI_TAG, count, in);
  REQUIRE(statuses[2].MPI_SOURCE == MPI_ANY_SOURCE, "the null request's status has source %d",
          statuses[2].MPI_SOURCE);
  REQUIRE(sum == world_size * (world_size - 1) / 2, "the sum is %d", sum);
}

void test_request_kinds(void) {
  for (int i = 0; i < times(5); ++i) {
    context("request_kinds: generalized, repetition %d", i);
    check_generalized();
    context("request_kinds: null requests");
    check_null_and_empty();
    context("request_kinds: statuses of mixed requests, repetition %d", i);
    check_mixed_statuses();
  }
}

void test_pcontrol(void) {
  for (int level = 0; level < 4; ++level) {
    context("pcontrol: level %d", level);
    MUST(MPI_Pcontrol(level));
    MUST(MPI_Pcontrol(level, "phase", 3));
    MUST(MPI_Barrier(MPI_COMM_WORLD));
  }
  MUST(MPI_Pcontrol(1));
}
