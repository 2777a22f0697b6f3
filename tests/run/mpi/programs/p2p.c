/* SPDX-License-Identifier: BSD-3-Clause */
// Point-to-point: send modes, matching, statuses, errors, traffic, persistent requests. Blocking calls are
// intercepted when ranks outnumber cores, so they must keep every promise that MPI makes for them.
#include "complete.h"
#include "layout.h"
#include "suites.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int left(void) {
  return (world_rank + world_size - 1) % world_size;
}
static int right(void) {
  return (world_rank + 1) % world_size;
}

static void check_send_mode(int mode, int count) {
  int* out = malloc(sizeof(int) * ((size_t)count + 1));
  int* in = malloc(sizeof(int) * ((size_t)count + 1));
  MPI_Request request;
  for (int i = 0; i <= count; ++i) {
    out[i] = world_rank * 1000 + i;
    in[i] = -1;
  }
  MUST(MPI_Irecv(in, count, MPI_INT, left(), mode, MPI_COMM_WORLD, &request));
  if (mode == 3) // a ready send needs its receive posted
    MUST(MPI_Barrier(MPI_COMM_WORLD));
  if (mode == 0)
    MUST(MPI_Send(out, count, MPI_INT, right(), mode, MPI_COMM_WORLD));
  else if (mode == 1)
    MUST(MPI_Ssend(out, count, MPI_INT, right(), mode, MPI_COMM_WORLD));
  else if (mode == 2)
    MUST(MPI_Bsend(out, count, MPI_INT, right(), mode, MPI_COMM_WORLD));
  else
    MUST(MPI_Rsend(out, count, MPI_INT, right(), mode, MPI_COMM_WORLD));
  complete_one(&request, count, false);
  for (int i = 0; i < count; ++i)
    REQUIRE(in[i] == left() * 1000 + i, "item %d of %d is %d", i, count, in[i]);
  REQUIRE(in[count] == -1, "the item behind %d received ones was written", count);
  free(out);
  free(in);
}

// MPI_Ssend must not return before its receive is posted: rank 1 says by message from rank 0's other tag when
// it has.
static void check_synchronous(void) {
  if (world_size < 2 || world_rank > 1)
    return;
  int word = 5, flag = 1, go = 0;
  MPI_Request request;
  if (world_rank == 0) {
    MUST(MPI_Issend(&word, 1, MPI_INT, 1, 21, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 50; ++i) {
      MUST(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
      REQUIRE(!flag, "a synchronous send was complete before its receive was posted");
      sched_yield();
    }
    MUST(MPI_Send(&go, 1, MPI_INT, 1, 22, MPI_COMM_WORLD));
    complete_one(&request, 0, false);
    MUST(MPI_Ssend(&word, 1, MPI_INT, 1, 23, MPI_COMM_WORLD));
    MUST(MPI_Iprobe(1, 24, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    MUST(MPI_Recv(&go, 1, MPI_INT, 1, 24, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else {
    MUST(MPI_Recv(&go, 1, MPI_INT, 0, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MUST(MPI_Recv(&word, 1, MPI_INT, 0, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MUST(MPI_Send(&go, 1, MPI_INT, 0, 24, MPI_COMM_WORLD));
    MUST(MPI_Recv(&word, 1, MPI_INT, 0, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
}

void test_p2p_modes(void) {
  static const int counts[] = {0, 1, 100, 20000, 300000};
  static const char* const names[] = {"standard", "synchronous", "buffered", "ready"};
  const int buffer_bytes = 4 << 20;
  void* buffer = malloc((size_t)buffer_bytes);
  MUST(MPI_Buffer_attach(buffer, buffer_bytes));
  for (int mode = 0; mode < 4; ++mode)
    for (int c = 0; c < 5; ++c) {
      context("p2p_modes: %s send of %d ints", names[mode], counts[c]);
      check_send_mode(mode, counts[c]);
    }
  void* detached = NULL;
  int bytes = 0;
  MUST(MPI_Buffer_detach(&detached, &bytes));
  REQUIRE(detached == buffer && bytes == buffer_bytes, "MPI_Buffer_detach gave another buffer");
  free(buffer);
  context("p2p_modes: a synchronous send waits for its receive");
  check_synchronous();
}

// Messages of one pair keep their order per tag; tags and sources select; wildcards take what comes.
static void check_order_and_tags(void) {
  enum { MESSAGES = 20 };
  context("p2p_matching: order and tags");
  int sent[MESSAGES];
  MPI_Request sends[MESSAGES];
  // Not blocking: a rank alone sends to itself, and no library owes it a buffer.
  for (int i = 0; i < MESSAGES; ++i) {
    sent[i] = i;
    MUST(MPI_Isend(&sent[i], 1, MPI_INT, right(), 100 + i % 2, MPI_COMM_WORLD, &sends[i]));
  }
  for (int tag = 101; tag >= 100; --tag)
    for (int i = tag - 100; i < MESSAGES; i += 2) {
      int got = -1;
      MUST(MPI_Recv(&got, 1, MPI_INT, left(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      REQUIRE(got == i, "tag %d: got message %d instead of %d", tag, got, i);
    }
  MUST(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
}

static void check_wildcards(void) {
  context("p2p_matching: wildcards");
  if (world_rank == 0) {
    int seen[64] = {0};
    for (int i = 0; i < 3 * (world_size - 1); ++i) {
      int got = -1;
      MPI_Status status;
      MUST(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
      REQUIRE(got == status.MPI_SOURCE * 10 + status.MPI_TAG, "a message from rank %d with tag %d holds %d",
              status.MPI_SOURCE, status.MPI_TAG, got);
      REQUIRE(seen[status.MPI_SOURCE]++ == status.MPI_TAG, "messages of rank %d overtook each other",
              status.MPI_SOURCE);
    }
  } else {
    for (int i = 0; i < 3; ++i) {
      const int word = world_rank * 10 + i;
      MUST(MPI_Send(&word, 1, MPI_INT, 0, i, MPI_COMM_WORLD));
    }
  }
  // Nobody else may send to rank 0's wildcards before it has them all.
  MUST(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_probes(void) {
  context("p2p_matching: probes");
  const int word = world_rank;
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  int count = -1, got = -1, flag = 0;
  MUST(MPI_Isend(&word, 1, MPI_INT, right(), 31, MPI_COMM_WORLD, &request));
  MUST(MPI_Probe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &status));
  MUST(MPI_Get_count(&status, MPI_INT, &count));
  REQUIRE(status.MPI_SOURCE == left() && status.MPI_TAG == 31 && count == 1,
          "MPI_Probe says source %d, tag %d, count %d", status.MPI_SOURCE, status.MPI_TAG, count);
  MUST(MPI_Mprobe(left(), MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
  MUST(MPI_Iprobe(left(), 31, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
  REQUIRE(!flag, "MPI_Iprobe still sees the message that MPI_Mprobe took");
  MUST(MPI_Mrecv(&got, 1, MPI_INT, &message, &status));
  REQUIRE(got == left() && message == MPI_MESSAGE_NULL, "MPI_Mrecv got %d", got);
  complete_one(&request, 3, false);
  MUST(MPI_Isend(&word, 1, MPI_INT, right(), 32, MPI_COMM_WORLD, &request));
  for (flag = 0; !flag; sched_yield())
    MUST(MPI_Improbe(left(), 32, MPI_COMM_WORLD, &flag, &message, &status));
  MPI_Request receive;
  MUST(MPI_Imrecv(&got, 1, MPI_INT, &message, &receive));
  complete_one(&receive, 1, false);
  complete_one(&request, 2, false);
}

void test_p2p_matching(void) {
  check_order_and_tags();
  check_wildcards();
  check_probes();
}

void test_p2p_status(void) {
  context("p2p_status: counts and elements");
  MPI_Request request;
  MPI_Status status;
  MPI_Datatype pair;
  int out[6] = {1, 2, 3, 4, 5, 6}, in[8], count = 0, elements = 0;
  MUST(MPI_Type_contiguous(2, MPI_INT, &pair));
  MUST(MPI_Type_commit(&pair));
  for (int sent = 0; sent <= 6; ++sent) {
    MUST(MPI_Isend(out, sent, MPI_INT, right(), 50 + sent, MPI_COMM_WORLD, &request));
    memset(&status, 0x7f, sizeof status);
    MUST(MPI_Recv(in, 4, pair, MPI_ANY_SOURCE, 50 + sent, MPI_COMM_WORLD, &status));
    MUST(MPI_Get_count(&status, pair, &count));
    MUST(MPI_Get_elements(&status, pair, &elements));
    REQUIRE(count == (sent % 2 ? MPI_UNDEFINED : sent / 2), "count of %d ints in pairs is %d", sent, count);
    REQUIRE(elements == sent, "elements of %d ints in pairs are %d", sent, elements);
    REQUIRE(status.MPI_SOURCE == left() && status.MPI_TAG == 50 + sent, "status: source %d, tag %d",
            status.MPI_SOURCE, status.MPI_TAG);
    int canceled = 1;
    MUST(MPI_Test_cancelled(&status, &canceled));
    REQUIRE(!canceled, "a received message counts as canceled");
    complete_one(&request, sent, false);
  }
  MUST(MPI_Type_free(&pair));
  context("p2p_status: MPI_PROC_NULL");
  in[0] = -1;
  MUST(MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  MUST(MPI_Ssend(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  MUST(MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
  MUST(MPI_Get_count(&status, MPI_INT, &count));
  REQUIRE(in[0] == -1 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0,
          "receiving from MPI_PROC_NULL: source %d, tag %d, count %d", status.MPI_SOURCE, status.MPI_TAG,
          count);
  MUST(MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
  REQUIRE(status.MPI_SOURCE == MPI_PROC_NULL, "probing MPI_PROC_NULL: source %d", status.MPI_SOURCE);
  context("p2p_status: layouts");
  for (int i = 0; i < times(20); ++i) {
    Dice local = dice_of(8080 + (uint64_t)i, (uint64_t)world_rank);
    const int units = 1 + i * i;
    const Layout *from = some_layout(&local, units), *to = some_layout(&local, units);
    Image sent = image_new(widen((Span){0, 0}, from, 0, units)),
          got = image_new(widen((Span){0, 0}, to, 0, units));
    fill_block(&sent, from, 0, units, (uint64_t)i, world_rank, right());
    Image expected = image_copy(&got);
    fill_block(&expected, to, 0, units, (uint64_t)i, left(), world_rank);
    MUST(MPI_Sendrecv(sent.origin, units * from->factor, from->type, right(), i, got.origin,
                      units * to->factor, to->type, left(), i, MPI_COMM_WORLD, &status));
    image_compare(&got, &expected, "receive buffer");
    MUST(MPI_Get_elements(&status, to->type, &elements));
    REQUIRE(elements == units * UNIT, "elements are %d instead of %d", elements, units * UNIT);
    image_free(&sent);
    image_free(&got);
    image_free(&expected);
  }
}

void test_p2p_errors(void) {
  if (world_size < 2)
    return;
  MPI_Comm comm;
  MPI_Status status;
  int out[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[9];
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  MUST(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  for (int blocking = 0; blocking < 2; ++blocking) {
    context("p2p_errors: truncation, %s", blocking ? "blocking" : "non-blocking");
    int code = MPI_SUCCESS, class = MPI_SUCCESS;
    for (int i = 0; i < 9; ++i)
      in[i] = -1;
    if (world_rank == 0) {
      MUST(MPI_Send(out, 8, MPI_INT, 1, 1, comm));
    } else if (world_rank == 1) {
      if (blocking) {
        code = MPI_Recv(in, 4, MPI_INT, 0, 1, comm, &status);
      } else {
        MPI_Request request;
        MUST(MPI_Irecv(in, 4, MPI_INT, 0, 1, comm, &request));
        code = MPI_Wait(&request, &status);
      }
      REQUIRE(code != MPI_SUCCESS, "receiving 8 ints into 4 succeeded");
      MUST(MPI_Error_class(code, &class));
      REQUIRE(class == MPI_ERR_TRUNCATE, "receiving 8 ints into 4 returned class %d", class);
      for (int i = 4; i < 9; ++i)
        REQUIRE(in[i] == -1, "item %d behind the buffer was written", i);
    }
    MUST(MPI_Barrier(comm));
  }
  context("p2p_errors: canceling a receive");
  MPI_Request request;
  int canceled = 0;
  MUST(MPI_Irecv(in, 1, MPI_INT, left(), 999, comm, &request));
  MUST(MPI_Cancel(&request));
  MUST(MPI_Wait(&request, &status));
  MUST(MPI_Test_cancelled(&status, &canceled));
  REQUIRE(canceled, "a receive that nothing matches was not canceled");
  context("p2p_errors: freeing the request of a send");
  MUST(MPI_Irecv(in, 1, MPI_INT, left(), 998, comm, &request));
  MPI_Request send;
  MUST(MPI_Isend(out, 1, MPI_INT, right(), 998, comm, &send));
  MUST(MPI_Request_free(&send));
  complete_one(&request, 4, false);
  REQUIRE(in[0] == 1, "the message of the freed request holds %d", in[0]);
  MUST(MPI_Comm_free(&comm));
}

// Rings, floods of unexpected messages, large messages, exchanges in place, messages to oneself.
static void send_around_ring(void) {
  context("p2p_traffic: ring");
  for (int turn = 0; turn < times(20); ++turn) {
    int token = turn;
    if (world_size == 1)
      break;
    if (world_rank == 0) {
      MUST(MPI_Send(&token, 1, MPI_INT, right(), 60, MPI_COMM_WORLD));
      MUST(MPI_Recv(&token, 1, MPI_INT, left(), 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      REQUIRE(token == turn + world_size - 1, "the token came back as %d", token);
    } else {
      MUST(MPI_Recv(&token, 1, MPI_INT, left(), 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      ++token;
      MUST(MPI_Send(&token, 1, MPI_INT, right(), 60, MPI_COMM_WORLD));
    }
  }
}

static void flood_with_unexpected_messages(void) {
  context("p2p_traffic: flood of unexpected messages");
  const int flood = times(300);
  for (int i = 0; world_rank > 0 && i < flood; ++i)
    MUST(MPI_Send(&i, 1, MPI_INT, 0, world_rank, MPI_COMM_WORLD));
  for (int r = world_size - 1; world_rank == 0 && r > 0; --r)
    for (int i = 0; i < flood; ++i) {
      int got = -1;
      MUST(MPI_Recv(&got, 1, MPI_INT, r, r, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      REQUIRE(got == i, "flood from rank %d: got %d instead of %d", r, got, i);
    }
}

static void exchange_much(void) {
  context("p2p_traffic: large exchange");
  enum { LARGE = 1 << 20 };
  int* data = malloc(sizeof(int) * LARGE);
  for (int i = 0; i < LARGE; ++i)
    data[i] = world_rank * 7 + i;
  MUST(
      MPI_Sendrecv_replace(data, LARGE, MPI_INT, right(), 61, left(), 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  for (int i = 0; i < LARGE; ++i)
    REQUIRE(data[i] == left() * 7 + i, "item %d of the replaced buffer is %d", i, data[i]);
  free(data);
}

static void send_to_oneself(void) {
  context("p2p_traffic: messages to oneself");
  int out = world_rank, in = -1;
  MPI_Request requests[2];
  MUST(MPI_Irecv(&in, 1, MPI_INT, world_rank, 62, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Send(&out, 1, MPI_INT, world_rank, 62, MPI_COMM_WORLD));
  complete_one(&requests[0], 0, false);
  MUST(MPI_Isend(&out, 1, MPI_INT, 0, 63, MPI_COMM_SELF, &requests[1]));
  MUST(MPI_Recv(&in, 1, MPI_INT, 0, 63, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  complete_one(&requests[1], 0, false);
  REQUIRE(in == world_rank, "the message to oneself holds %d", in);
}

static void exchange_with_everybody(void) {
  context("p2p_traffic: everybody with everybody");
  MPI_Request all[128];
  int got[64], sent[64];
  for (int way = 0; way < times(7); ++way) {
    for (int r = 0; r < world_size; ++r) {
      got[r] = -1;
      sent[r] = world_rank * 100 + r;
      MUST(MPI_Irecv(&got[r], 1, MPI_INT, r, 64, MPI_COMM_WORLD, &all[r]));
    }
    for (int r = 0; r < world_size; ++r)
      MUST(MPI_Issend(&sent[r], 1, MPI_INT, r, 64, MPI_COMM_WORLD, &all[world_size + r]));
    complete_all(all, 2 * world_size, way);
    for (int r = 0; r < world_size; ++r)
      REQUIRE(got[r] == r * 100 + world_rank, "from rank %d: %d", r, got[r]);
  }
}

static void take_back_receive(void) {
  context("p2p_traffic: a receive that is canceled, and its request freed");
  int in;
  MPI_Request request;
  MUST(MPI_Irecv(&in, 1, MPI_INT, left(), 65, MPI_COMM_WORLD, &request));
  MUST(MPI_Cancel(&request));
  MUST(MPI_Request_free(&request));
}

void test_p2p_traffic(void) {
  send_around_ring();
  flood_with_unexpected_messages();
  exchange_much();
  send_to_oneself();
  exchange_with_everybody();
  take_back_receive();
}

void test_p2p_persistent(void) {
  MPI_Request requests[3];
  int out = 0, in = -1, synchronous_in = -1;
  context("p2p_persistent");
  MUST(MPI_Recv_init(&in, 1, MPI_INT, left(), 70, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Send_init(&out, 1, MPI_INT, right(), 70, MPI_COMM_WORLD, &requests[1]));
  MUST(MPI_Ssend_init(&out, 1, MPI_INT, right(), 71, MPI_COMM_WORLD, &requests[2]));
  for (int i = 0; i < times(20); ++i) {
    out = world_rank + i;
    MPI_Request receive;
    MUST(MPI_Irecv(&synchronous_in, 1, MPI_INT, left(), 71, MPI_COMM_WORLD, &receive));
    MUST(MPI_Startall(3, requests));
    for (int k = 0; k < 3; ++k)
      complete_one(&requests[k], i + k, true);
    complete_one(&receive, i, false);
    REQUIRE(in == left() + i && synchronous_in == left() + i, "start %d: got %d and %d", i, in,
            synchronous_in);
  }
  for (int k = 0; k < 3; ++k)
    MUST(MPI_Request_free(&requests[k]));
}
