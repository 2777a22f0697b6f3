/* SPDX-License-Identifier: BSD-3-Clause */
// User operations come and go in their thousands, are freed while in use, and have attributes that must be
// kept.
#include "complete.h"
#include "forms.h"
#include "suites.h"

#include <stdlib.h>

static void add_up(void* in, void* inout, int* length, MPI_Datatype* type) {
  REQUIRE(*type == MPI_INT, "a user operation on MPI_INT got another type");
  for (int i = 0; i < *length; ++i)
    ((int*)inout)[i] += ((int*)in)[i];
}

// Concatenates digits: associative and not commutative on (number of digits, number) pairs.
static void concatenate(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) {
    const long* left = (const long*)in + 2 * i;
    long* right = (long*)inout + 2 * i;
    long shift = 1;
    for (long digit = 0; digit < right[0]; ++digit)
      shift *= 10;
    right[1] += left[1] * shift;
    right[0] += left[0];
  }
}

static void check_many(int i) {
  MPI_Op op;
  int value = world_rank + i, sum = -1, commutes = -1;
  MPI_Request request;
  MUST(MPI_Op_create(add_up, i % 2, &op));
  MUST(MPI_Op_commutative(op, &commutes));
  REQUIRE(commutes == i % 2, "MPI_Op_commutative says %d instead of %d", commutes, i % 2);
  MUST(MPI_Iallreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request));
  MUST(MPI_Op_free(&op)); // legal: the call under way keeps it
  REQUIRE(op == MPI_OP_NULL, "MPI_Op_free left the handle");
  complete_one(&request, i, false);
  REQUIRE(sum == world_size * (world_size - 1) / 2 + i * world_size, "the sum is %d", sum);
}

// The digits of the ranks in order: up to nine of them, as more do not fit.
static void check_order(Form form, int root) {
  MPI_Op op;
  MPI_Datatype pair;
  const Group* on = group(1); // the reversed world: order is the communicator's, not the world's
  const long digits = on->rank < 9 ? 1 : 0;
  long mine[2] = {digits, digits ? on->rank + 1 : 0}, result[2] = {-1, -1}, expected = 0;
  MUST(MPI_Type_contiguous(2, MPI_LONG, &pair));
  MUST(MPI_Type_commit(&pair));
  MUST(MPI_Op_create(concatenate, 0, &op));
  for (int r = 0; r < on->size && r < 9; ++r)
    expected = expected * 10 + r + 1;
  form_allreduce(form, mine, result, 1, pair, op, on->comm);
  REQUIRE(result[1] == expected, "all-reduce in order of rank gave %ld instead of %ld", result[1], expected);
  result[1] = -1;
  form_reduce(form, mine, result, 1, pair, op, root % on->size, on->comm);
  if (on->rank == root % on->size)
    REQUIRE(result[1] == expected, "reduce in order of rank gave %ld instead of %ld", result[1], expected);
  expected = 0;
  for (int r = 0; r <= on->rank && r < 9; ++r)
    expected = expected * 10 + r + 1;
  form_scan(form, mine, result, 1, pair, op, on->comm);
  REQUIRE(result[1] == expected, "scan in order of rank gave %ld instead of %ld", result[1], expected);
  MUST(MPI_Op_free(&op));
  MUST(MPI_Type_free(&pair));
}

void test_user_operations(void) {
  for (int i = 0; i < times(150); ++i) {
    context("user_operations: number %d, freed under way", i);
    check_many(i);
  }
  for (int i = 0; i < times(12); ++i) {
    context("user_operations: order of ranks, %s, root %d", form_name(form_of(i)), i);
    check_order(form_of(i), i);
  }
}
