/* SPDX-License-Identifier: BSD-3-Clause */
/* A C program on a stream: a handler that delivers, arrays that are sent, and a handler that sends on. */

#include "thalweg/stream.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { item_count = 2000, rounds = 3 };

typedef struct item {
  int32_t source;
  int32_t number; /* of those from source to here; they come in order */
  int32_t hops;
  char pad[13]; /* a size that is not a usual one */
} item;

typedef struct program {
  thalweg_stream* stream;
  int rank;
  int ranks;
  int32_t* next; /* of each source */
  int64_t sent;
  int64_t handled;
} program;

static void require(int condition, const char* failure) {
  if (condition)
    return;
  fprintf(stderr, "%s; %s\n", failure, thalweg_error_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int deliver(void* context, const char* items, size_t bytes) {
  program* self = context;
  require(bytes % sizeof(item) == 0 && (uintptr_t)items % _Alignof(item) == 0, "no whole items, or askew");
  for (const item* at = (const item*)items; (const char*)at < items + bytes; ++at) {
    ++self->handled;
    if (at->hops == 0)
      continue;
    require(at->number == self->next[at->source]++, "an item is out of order");
    item again = *at;
    again.hops = 0;
    require(thalweg_stream_send(self->stream, (self->rank + 1) % self->ranks, &again) == thalweg_success,
            "a handler cannot send");
    ++self->sent;
  }
  return 0;
}

/* Every rank gets the same from each: half of it among what goes to others, half of it by itself. */
static void send_all(program* self, int round) {
  item* items = calloc(item_count, sizeof(item));
  int* ranks = malloc(item_count * sizeof(int));
  const int each = item_count / self->ranks;
  for (int i = 0; i < each * self->ranks; ++i) {
    ranks[i] = i % self->ranks;
    items[i] = (item){.source = self->rank, .number = 2 * round * each + i / self->ranks, .hops = 1};
  }
  const size_t count = (size_t)(each * self->ranks);
  require(thalweg_stream_send_many(self->stream, count, ranks, items) == thalweg_success, "an array");
  for (int to = 0; to < self->ranks; ++to) {
    for (int i = 0; i < each; ++i)
      items[i] = (item){.source = self->rank, .number = (2 * round + 1) * each + i, .hops = 1};
    require(thalweg_stream_send_many_to(self->stream, to, (size_t)each, items) == thalweg_success, "a row");
  }
  self->sent += 2 * (int64_t)count;
  free(items);
  free(ranks);
}

static void misuse(program* self) {
  const item one = {0};
  const int bad[2] = {0, self->ranks};
  const item items[2] = {{0}};
  require(thalweg_stream_send_many(self->stream, 2, bad, items) == thalweg_error_invalid_argument, "a rank");
  require(strstr(thalweg_error_message(), "an item for rank ") != NULL, "another failure");
  require(thalweg_stream_send_many_to(self->stream, -1, 1, &one) == thalweg_error_invalid_argument, "a rank");
  require(thalweg_stream_send_many(self->stream, 1, bad, NULL) == thalweg_error_invalid_argument, "no items");
  require(thalweg_stream_send_many(self->stream, 0, NULL, NULL) == thalweg_success, "nothing");
  require(thalweg_stream_send_many_to(self->stream, 0, 0, NULL) == thalweg_success, "nothing");
  const thalweg_stream_options differ = THALWEG_STREAM_OPTIONS_INIT;
  thalweg_stream_options equal = THALWEG_STREAM_OPTIONS_INIT;
  equal.item_bytes = sizeof(item);
  thalweg_stream_handler plain = THALWEG_STREAM_HANDLER_INIT;
  plain.context = self;
  const thalweg_stream_handler empty = plain;
  plain.deliver = deliver;
  thalweg_stream* stream = NULL;
  require(thalweg_stream_create(MPI_COMM_WORLD, &differ, &plain, &stream) == thalweg_error_invalid_argument,
          "nobody knows where items end");
  require(thalweg_stream_create(MPI_COMM_WORLD, &equal, &empty, &stream) == thalweg_error_invalid_argument,
          "nobody handles items");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  program self = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &self.ranks);
  self.next = calloc((size_t)self.ranks, sizeof(int32_t));
  thalweg_stream_options options = THALWEG_STREAM_OPTIONS_INIT;
  options.item_bytes = sizeof(item);
  options.buffer_bytes = 128;
  options.shape = argc > 1 ? argv[1] : NULL;
  thalweg_stream_handler handler = THALWEG_STREAM_HANDLER_INIT;
  handler.context = &self;
  handler.deliver = deliver;
  require(thalweg_stream_create(MPI_COMM_WORLD, &options, &handler, &self.stream) == thalweg_success,
          "create");
  misuse(&self);
  for (int round = 0; round < rounds; ++round) {
    send_all(&self, round);
    require(thalweg_stream_finish(self.stream) == thalweg_success, "finish");
  }
  int64_t left = self.sent - self.handled;
  MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  require(left == 0, "items were lost, or came twice");
  require(thalweg_stream_free(&self.stream) == thalweg_success, "free");
  free(self.next);
  printf("all right\n");
  MPI_Finalize();
}
