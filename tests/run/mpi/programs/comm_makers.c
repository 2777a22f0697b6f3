/* SPDX-License-Identifier: BSD-3-Clause */
// Communicators from every function that makes one: collectives must work on them, and on their parents
// afterwards.
#include "complete.h"
#include "forms.h"
#include "suites.h"

#include <stdlib.h>
#include <string.h>

// A sum over an intracommunicator and an exchange that shows ranks in order.
static void use(MPI_Comm comm, const char* name, int i) {
  if (comm == MPI_COMM_NULL)
    return;
  int rank = -1, size = 0, inter = 0;
  MUST(MPI_Comm_test_inter(comm, &inter));
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  const Form form = form_of(i);
  int peers = size;
  if (inter)
    MUST(MPI_Comm_remote_size(comm, &peers));
  long sum = 0, mine = rank + 1;
  form_allreduce(form, &mine, &sum, 1, MPI_LONG, MPI_SUM, comm);
  REQUIRE(sum == (long)peers * (peers + 1) / 2, "%s (%s): sum over %d ranks is %ld", name, form_name(form),
          peers, sum);
  int ranks[64];
  memset(ranks, -1, sizeof ranks);
  form_allgather(form, &rank, 1, MPI_INT, ranks, 1, MPI_INT, comm);
  for (int r = 0; r < peers; ++r)
    REQUIRE(ranks[r] == r, "%s (%s): place %d of the all-gather holds %d", name, form_name(form), r,
            ranks[r]);
}

static void use_and_free(MPI_Comm* comm, const char* name, int i) {
  context("comm_makers: %s, repetition %d", name, i);
  use(*comm, name, i);
  if (*comm != MPI_COMM_NULL)
    MUST(MPI_Comm_free(comm));
  REQUIRE(*comm == MPI_COMM_NULL, "MPI_Comm_free left a handle");
  use(MPI_COMM_WORLD, "the world afterwards", i + 1);
}

static void make_from_groups(int i) {
  MPI_Group all, some;
  MPI_Comm made;
  const int count = world_size > 1 ? world_size - 1 : 1;
  int ranks[64];
  for (int r = 0; r < count; ++r) // all but one, in reverse order
    ranks[r] = world_size - 1 - r;
  MUST(MPI_Comm_group(MPI_COMM_WORLD, &all));
  MUST(MPI_Group_incl(all, count, ranks, &some));
  MUST(MPI_Comm_create(MPI_COMM_WORLD, some, &made));
  use_and_free(&made, "MPI_Comm_create", i);
  int member = MPI_UNDEFINED;
  MUST(MPI_Group_rank(some, &member));
  made = MPI_COMM_NULL;
  if (member != MPI_UNDEFINED) // only the group's members take part
    MUST(MPI_Comm_create_group(MPI_COMM_WORLD, some, 17 + i, &made));
  use_and_free(&made, "MPI_Comm_create_group", i);
  MUST(MPI_Group_free(&some));
  MUST(MPI_Group_free(&all));
}

static void make_copies(int i) {
  MPI_Comm made, second;
  MPI_Request request;
  MPI_Info info;
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &made));
  MUST(MPI_Comm_dup(made, &second));
  use_and_free(&second, "MPI_Comm_dup of an MPI_Comm_dup", i);
  use_and_free(&made, "MPI_Comm_dup", i + 1);
  MUST(MPI_Info_create(&info));
  MUST(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made));
  MUST(MPI_Info_free(&info));
  use_and_free(&made, "MPI_Comm_dup_with_info", i);
  MUST(MPI_Comm_idup(MPI_COMM_WORLD, &made, &request));
  int value = world_rank, sum = 0;
  MUST(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)); // while the copy is being made
  complete_one(&request, i, false);
  use_and_free(&made, "MPI_Comm_idup", i);
  MUST(MPI_Comm_dup(MPI_COMM_SELF, &made));
  use_and_free(&made, "MPI_Comm_dup of MPI_COMM_SELF", i);
}

static void make_by_split(int i) {
  MPI_Comm made;
  MUST(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3 == 1 ? MPI_UNDEFINED : world_rank % 2, -world_rank,
                      &made));
  use_and_free(&made, "MPI_Comm_split with undefined colors", i);
  MUST(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &made));
  use_and_free(&made, "MPI_Comm_split_type", i);
}

static void make_topologies(int i) {
  MPI_Comm grid, row;
  int dims[2] = {0, 0}, periodic[2] = {1, 0}, keep[2] = {i % 2, 1 - i % 2};
  MUST(MPI_Dims_create(world_size, 2, dims));
  MUST(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, i % 2, &grid));
  MUST(MPI_Cart_sub(grid, keep, &row));
  use_and_free(&row, "MPI_Cart_sub", i);
  MUST(MPI_Comm_dup(grid, &row));
  int kind = MPI_UNDEFINED;
  MUST(MPI_Topo_test(row, &kind));
  REQUIRE(kind == MPI_CART, "the copy of a grid is no grid");
  use_and_free(&row, "MPI_Comm_dup of a grid", i);
  use_and_free(&grid, "MPI_Cart_create", i);
}

static void make_inter(int i) {
  if (world_size < 2)
    return;
  MPI_Comm half, inter, merged, copy;
  MUST(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half));
  MUST(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world_rank % 2 ? 0 : 1, 7, &inter));
  MUST(MPI_Intercomm_merge(inter, world_rank % 2, &merged));
  MUST(MPI_Comm_dup(inter, &copy));
  use_and_free(&merged, "MPI_Intercomm_merge", i);
  use_and_free(&copy, "MPI_Comm_dup of an intercommunicator", i);
  use_and_free(&inter, "MPI_Intercomm_create", i);
  use_and_free(&half, "MPI_Comm_split", i);
}

void test_comm_makers(void) {
  for (int i = 0; i < times(4); ++i) {
    make_from_groups(i);
    make_copies(i);
    make_by_split(i);
    make_topologies(i);
    make_inter(i);
  }
}

// Programs make hundreds: nothing may run out, neither of the library's context ids nor of memory.
void test_comm_many(void) {
  enum { KEPT = 12 };
  MPI_Comm kept[KEPT];
  // Making them spins in MPICH, two hundred milliseconds each where eight ranks share two cores: there dozens
  // must do.
  const int repetitions = world_size <= 3 ? times(25) : times(4);
  for (int i = 0; i < repetitions; ++i) {
    context("comm_many: repetition %d", i);
    for (int k = 0; k < KEPT; ++k)
      if (k % 3 == 0)
        MUST(MPI_Comm_dup(k ? kept[k - 1] : MPI_COMM_WORLD, &kept[k]));
      else
        MUST(MPI_Comm_split(kept[k - 1], 0, k % 2 ? world_rank : -world_rank, &kept[k]));
    use(kept[i % KEPT], "one of many", i);
    for (int k = 0; k < KEPT; ++k)
      MUST(MPI_Comm_free(&kept[(k * 5 + i) % KEPT]));
  }
  // Freed while a collective is under way: the communicator lives until that is complete.
  for (int i = 0; i < times(20) && !known("comm-free-under-way"); ++i) {
    MPI_Comm made;
    MPI_Request request;
    int value = world_rank, sum = -1;
    context("comm_many: freed with a collective under way, repetition %d", i);
    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &made));
    MUST(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, made, &request));
    MUST(MPI_Comm_free(&made));
    complete_one(&request, i, false);
    REQUIRE(sum == world_size * (world_size - 1) / 2, "the sum is %d", sum);
  }
  for (int i = 0; i < times(100); ++i) { // operations and types come and go as well
    MPI_Datatype type;
    context("comm_many: types, repetition %d", i);
    MUST(MPI_Type_vector(2, 1, 2, MPI_INT, &type));
    MUST(MPI_Type_commit(&type));
    int data[4] = {world_rank, -1, world_rank, -1};
    MPI_Request request;
    MUST(MPI_Ibcast(data, 1, type, i % world_size, MPI_COMM_WORLD, &request));
    MUST(MPI_Type_free(&type)); // legal: the call under way keeps it
    complete_one(&request, i, false);
    REQUIRE(data[0] == i % world_size && data[2] == i % world_size && data[1] == -1 && data[3] == -1,
            "broadcast of a type freed under way gave %d %d %d %d", data[0], data[1], data[2], data[3]);
  }
}
