/* SPDX-License-Identifier: BSD-3-Clause */
// Libraries give the handles of freed datatypes and operations to new ones: nothing may be remembered by
// them.
#include "suites.h"

#include <stdlib.h>
#include <string.h>

// Calls that differ in nothing but what the handle stands for.
static void check_type(int elements) {
  enum { max_items = 64 };
  int buffer[max_items];
  MPI_Datatype type;
  MUST(MPI_Type_contiguous(elements, MPI_INT, &type));
  MUST(MPI_Type_commit(&type));
  for (int i = 0; i < max_items; ++i)
    buffer[i] = world_rank == 0 ? elements * 100 + i : -1;
  MUST(MPI_Bcast(buffer, 1, type, 0, MPI_COMM_WORLD));
  for (int i = 0; i < max_items && world_rank != 0; ++i) {
    const int expected = i < elements ? elements * 100 + i : -1;
    REQUIRE(buffer[i] == expected, "element %d of %d is %d instead of %d", i, elements, buffer[i], expected);
  }
  MUST(MPI_Type_free(&type));
}

static void add_up(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i)
    ((int*)inout)[i] += ((int*)in)[i];
}

static void take_the_left(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  memcpy(inout, in, (size_t)*length * sizeof(int));
}

static void check_operation(int i) {
  MPI_Op op;
  const int adds = i % 2;
  int value = world_rank + i, result = -1;
  MUST(MPI_Op_create(adds ? add_up : take_the_left, adds, &op));
  MUST(MPI_Allreduce(&value, &result, 1, MPI_INT, op, MPI_COMM_WORLD));
  const int expected = adds ? world_size * (world_size - 1) / 2 + i * world_size : i;
  REQUIRE(result == expected, "the result is %d instead of %d", result, expected);
  MUST(MPI_Op_free(&op));
}

void test_handle_reuse(void) {
  for (int i = 0; i < times(300); ++i) {
    context("handle reuse: round %d", i);
    check_type(1 + i * 7 % 50);
    check_operation(i);
  }
}
