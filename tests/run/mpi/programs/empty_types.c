/* SPDX-License-Identifier: BSD-3-Clause */
// Datatypes without data, in counts above zero: nothing moves, and nothing is touched.
#include "forms.h"
#include "suites.h"

#include <string.h>

enum { EMPTY_KINDS = 3, COUNT = 5, WORDS = 4096 };

// Neither data nor extent, an extent alone, and a structure of nothing.
static MPI_Datatype empty_type(int kind) {
  MPI_Datatype type, wide;
  if (kind == 2)
    MUST(MPI_Type_create_struct(0, NULL, NULL, NULL, &type));
  else
    MUST(MPI_Type_contiguous(0, MPI_INT, &type));
  if (kind == 1) {
    MUST(MPI_Type_create_resized(type, 0, 2 * sizeof(int), &wide));
    MUST(MPI_Type_free(&type));
    type = wide;
  }
  MUST(MPI_Type_commit(&type));
  return type;
}

static const char* const calls[] = {"bcast",    "gather",     "scatter",   "allgather",
                                    "alltoall", "allgatherv", "alltoallv", "alltoallw"};
enum { CALLS = sizeof calls / sizeof calls[0] };

static void call_with(int call, Form form, const Group* on, int root, MPI_Datatype empty, int* from,
                      int* to) {
  int counts[64], displacements[64];
  MPI_Datatype types[64];
  for (int r = 0; r < on->size; ++r) {
    counts[r] = COUNT;
    displacements[r] = r;
    types[r] = empty;
  }
  switch (call) {
  case 0:
    form_bcast(form, to, COUNT, empty, root, on->comm);
    break;
  case 1:
    form_gather(form, from, COUNT, empty, to, COUNT, empty, root, on->comm);
    break;
  case 2:
    form_scatter(form, from, COUNT, empty, to, COUNT, empty, root, on->comm);
    break;
  case 3:
    form_allgather(form, from, COUNT, empty, to, COUNT, empty, on->comm);
    break;
  case 4:
    form_alltoall(form, from, COUNT, empty, to, COUNT, empty, on->comm);
    break;
  case 5:
    form_allgatherv(form, from, COUNT, empty, to, counts, displacements, empty, on->comm);
    break;
  case 6:
    form_alltoallv(form, from, counts, displacements, empty, to, counts, displacements, empty, on->comm);
    break;
  default:
    form_alltoallw(form, from, counts, displacements, types, to, counts, displacements, types, on->comm);
  }
}

// Types with and without data in one call: rank r has something for r + 1 alone.
static void check_mixed(Form form, const Group* on, MPI_Datatype empty) {
  int sent[64] = {0}, received[64], counts[64], displacements[64];
  MPI_Datatype send_types[64], receive_types[64];
  const int to = (on->rank + 1) % on->size, from = (on->rank + on->size - 1) % on->size;
  for (int r = 0; r < on->size; ++r) {
    counts[r] = 1;
    displacements[r] = r * (int)sizeof(int);
    sent[r] = 100 * on->rank + r;
    received[r] = -1;
    send_types[r] = r == to ? MPI_INT : empty;
    receive_types[r] = r == from ? MPI_INT : empty;
  }
  form_alltoallw(form, sent, counts, displacements, send_types, received, counts, displacements,
                 receive_types, on->comm);
  for (int r = 0; r < on->size; ++r) {
    const int wanted = r == from ? 100 * from + on->rank : -1;
    REQUIRE(received[r] == wanted, "item %d is %d, expected %d", r, received[r], wanted);
  }
}

// A ring in which everybody sends nothing and receives nothing.
static void check_ring(const Group* on, MPI_Datatype empty) {
  int word = 7, items = -1;
  const int to = (on->rank + 1) % on->size, from = (on->rank + on->size - 1) % on->size;
  MPI_Status status;
  MUST(MPI_Sendrecv_replace(&word, COUNT, empty, to, 1, from, 1, on->comm, &status));
  MUST(MPI_Get_count(&status, MPI_BYTE, &items));
  REQUIRE(word == 7 && items == 0, "the word is %d, and %d bytes came", word, items);
}

void test_empty_types(void) {
  static int from[WORDS], to[WORDS];
  for (int kind = 0; kind < EMPTY_KINDS; ++kind) {
    MPI_Datatype empty = empty_type(kind);
    for (int i = 0; i < times(12); ++i)
      for (int call = 0; call <= CALLS; ++call) {
        const Group* on = group((i + call) % GROUP_COUNT);
        const Form form = form_of(i);
        context("empty_types: %s of kind %d, %s, group %s", call < CALLS ? calls[call] : "mixed alltoallw",
                kind, form_name(form), on->name);
        if (call == CALLS) {
          if (on->size > 1 || !known("alltoallw-one-rank"))
            check_mixed(form, on, empty);
          check_ring(on, empty);
          continue;
        }
        memset(from, 1, sizeof from);
        memset(to, 2, sizeof to);
        call_with(call, form, on, i % on->size, empty, from, to);
        for (int k = 0; k < WORDS; ++k)
          REQUIRE(from[k] == 0x01010101 && to[k] == 0x02020202, "word %d was touched", k);
      }
    MUST(MPI_Type_free(&empty));
  }
}
