/* SPDX-License-Identifier: BSD-3-Clause */
// All-reduce and reduce of every predefined type with every operation that applies, and MPI_Reduce_local
// itself.
#include "forms.h"
#include "reductions.h"
#include "suites.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 32 };

// count items with guard bytes around.
static char* guarded(const ReduceType* type, int count) {
  const size_t bytes = (size_t)count * (size_t)type->bytes;
  char* memory = malloc(bytes + 2 * GUARD);
  memset(memory, 0x77, bytes + 2 * GUARD);
  return memory + GUARD;
}

static void unguard(char* items, const ReduceType* type, int count) {
  const size_t bytes = (size_t)count * (size_t)type->bytes;
  for (int i = 0; i < GUARD; ++i)
    REQUIRE(items[-1 - i] == 0x77 && items[bytes + (size_t)i] == 0x77,
            "guard byte %d around %d %s was written", i, count, type->name);
  free(items - GUARD);
}

static void check_type(const Group* on, const ReduceType* type, int op_index, int i) {
  static const int counts[] = {1, 3, 0, 17, 64, 5, 259};
  const int count = counts[i % 7], root = i % on->size;
  const bool in_place = i % 3 == 0;
  const Form form = form_of(i / 2);
  const MPI_Op op = reduce_op(op_index);
  const uint64_t salt = (uint64_t)i;
  context("reduce_types: %d %s, %s, %s, %s, group %s, root %d", count, type->name, reduce_op_name(op_index),
          form_name(form), in_place ? "in place" : "not in place", on->name, root);
  char *from = guarded(type, count), *to = guarded(type, count), *expected = guarded(type, count);
  reduce_expect(type, op, expected, count, 0, on->size - 1, salt);
  reduce_fill(type, in_place ? to : from, count, on->rank, salt);
  form_allreduce(form, in_place ? MPI_IN_PLACE : from, to, count, type->type, op, on->comm);
  reduce_compare(type, to, expected, count, "all-reduce");
  reduce_fill(type, from, count, on->rank, salt);
  if (on->rank == root) {
    reduce_fill(type, to, count, on->rank, salt);
    form_reduce(form, in_place && form_reduces_in_place(form, root) ? MPI_IN_PLACE : from, to, count,
                type->type, op, root, on->comm);
    reduce_compare(type, to, expected, count, "reduce");
  } else {
    form_reduce(form, from, i % 2 ? NULL : NOWHERE, count, type->type, op, root, on->comm);
  }
  unguard(from, type, count);
  unguard(to, type, count);
  unguard(expected, type, count);
}

void test_reduce_types(void) {
  int i = 0;
  for (int t = 0; t < reduce_type_count(); ++t)
    for (int op = 0; op < reduce_op_count(); ++op)
      if (reduce_applies(op, reduce_type(t)))
        for (int repetition = 0; repetition < times(1); ++repetition, ++i)
          check_type(group(i % GROUP_COUNT), reduce_type(t), op, i);
}

// The reference of the other checks must itself be right: against plain C for int, and MINLOC's rule for
// ties.
void test_reduce_local(void) {
  int a[4] = {7, -3, 5, 0}, b[4] = {2, 9, 5, -8};
  MUST(MPI_Reduce_local(a, b, 4, MPI_INT, MPI_SUM));
  REQUIRE(b[0] == 9 && b[1] == 6 && b[2] == 10 && b[3] == -8, "MPI_Reduce_local of MPI_SUM is wrong");
  MUST(MPI_Reduce_local(a, b, 4, MPI_INT, MPI_MAX));
  REQUIRE(b[0] == 9 && b[1] == 6 && b[2] == 10 && b[3] == 0, "MPI_Reduce_local of MPI_MAX is wrong");
  int pairs_a[4] = {4, 9, 1, 2}, pairs_b[4] = {4, 3, 0, 5};
  MUST(MPI_Reduce_local(pairs_a, pairs_b, 2, MPI_2INT, MPI_MINLOC));
  REQUIRE(pairs_b[0] == 4 && pairs_b[1] == 3, "MPI_MINLOC of equal values must take the lower index, got %d",
          pairs_b[1]);
  REQUIRE(pairs_b[2] == 0 && pairs_b[3] == 5, "MPI_MINLOC is wrong");
}
