/* SPDX-License-Identifier: BSD-3-Clause */
// Collectives over intercommunicators: the even ranks on one side, the odd ones on the other.
#include "forms.h"
#include "suites.h"

#include <stdlib.h>

typedef struct {
  MPI_Comm comm;
  int side; // 0 or 1
  int rank; // within the side
  int size;
  int remote_size;
} Inter;

static bool inter_make(Inter* inter) {
  if (world_size < 2)
    return false;
  inter->side = world_rank % 2;
  MPI_Comm local;
  MUST(MPI_Comm_split(MPI_COMM_WORLD, inter->side, world_rank, &local));
  MUST(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, inter->side ? 0 : 1, 91, &inter->comm));
  MUST(MPI_Comm_free(&local));
  MUST(MPI_Comm_rank(inter->comm, &inter->rank));
  MUST(MPI_Comm_size(inter->comm, &inter->size));
  MUST(MPI_Comm_remote_size(inter->comm, &inter->remote_size));
  return true;
}

// What rank `rank` of side `side` says, position i.
static int word(int side, int rank, int to, int i) {
  return side * 1000000 + rank * 10000 + to * 100 + i;
}

static void expect(const int* got, int i, int wanted, const char* what) {
  REQUIRE(got[i] == wanted, "%s: item %d is %d instead of %d", what, i, got[i], wanted);
}

enum { ITEMS = 5, MAX_ITEMS = ITEMS * 64 };

static void check_rooted(const Inter* on, Form form, int root_side, int root) {
  int buffer[MAX_ITEMS], all[MAX_ITEMS];
  const int remote = 1 - on->side;
  const bool sending = on->side == root_side;
  const int role = !sending ? root : on->rank == root ? MPI_ROOT : MPI_PROC_NULL;
  for (int i = 0; i < MAX_ITEMS; ++i)
    buffer[i] = all[i] = -1;
  for (int i = 0; role == MPI_ROOT && i < ITEMS; ++i)
    buffer[i] = word(on->side, root, 0, i);
  const bool blocking = form == BLOCKING || form == BLOCKING_C;
  form_bcast(blocking || !known("nonblocking-inter-bcast") ? form : BLOCKING, buffer, ITEMS, MPI_INT, role,
             on->comm);
  for (int i = 0; !sending && i < ITEMS; ++i)
    expect(buffer, i, word(remote, root, 0, i), "broadcast");

  for (int r = 0; role == MPI_ROOT && r < on->remote_size; ++r)
    for (int i = 0; i < ITEMS; ++i)
      all[r * ITEMS + i] = word(on->side, root, r, i);
  form_scatter(form, all, ITEMS, MPI_INT, buffer, ITEMS, MPI_INT, role, on->comm);
  for (int i = 0; !sending && i < ITEMS; ++i)
    expect(buffer, i, word(remote, root, on->rank, i), "scatter");

  for (int i = 0; i < ITEMS; ++i)
    buffer[i] = word(on->side, on->rank, 0, i);
  form_gather(form, buffer, ITEMS, MPI_INT, all, ITEMS, MPI_INT, role, on->comm);
  for (int r = 0; role == MPI_ROOT && r < on->remote_size; ++r)
    for (int i = 0; i < ITEMS; ++i)
      expect(all, r * ITEMS + i, word(remote, r, 0, i), "gather");

  form_reduce(form, buffer, all, ITEMS, MPI_INT, MPI_SUM, role, on->comm);
  for (int i = 0; role == MPI_ROOT && i < ITEMS; ++i) {
    int sum = 0;
    for (int r = 0; r < on->remote_size; ++r)
      sum += word(remote, r, 0, i);
    expect(all, i, sum, "reduce");
  }
}

static void check_rooted_varied(const Inter* on, Form form, int root_side, int root) {
  int buffer[MAX_ITEMS], all[MAX_ITEMS], counts[64], displacements[64];
  const int remote = 1 - on->side;
  const bool sending = on->side == root_side;
  const int role = !sending ? root : on->rank == root ? MPI_ROOT : MPI_PROC_NULL;
  for (int r = 0; r < 64; ++r) {
    counts[r] = r % 3;
    displacements[r] = r * ITEMS;
  }
  for (int i = 0; i < MAX_ITEMS; ++i)
    all[i] = word(on->side, root, i / ITEMS, i % ITEMS);
  form_scatterv(form, all, counts, displacements, MPI_INT, buffer, on->rank % 3, MPI_INT, role, on->comm);
  for (int i = 0; !sending && i < on->rank % 3; ++i)
    expect(buffer, i, word(remote, root, on->rank, i), "scatterv");
  for (int i = 0; i < ITEMS; ++i)
    buffer[i] = word(on->side, on->rank, 0, i);
  form_gatherv(form, buffer, on->rank % 3, MPI_INT, all, counts, displacements, MPI_INT, role, on->comm);
  for (int r = 0; role == MPI_ROOT && r < on->remote_size; ++r)
    for (int i = 0; i < r % 3; ++i)
      expect(all, r * ITEMS + i, word(remote, r, 0, i), "gatherv");
}

static void check_all(const Inter* on, Form form) {
  int from[MAX_ITEMS], to[MAX_ITEMS], counts[64], displacements[64];
  MPI_Datatype types[64];
  const int remote = 1 - on->side;
  for (int i = 0; i < ITEMS; ++i)
    from[i] = word(on->side, on->rank, 0, i);
  form_allgather(form, from, ITEMS, MPI_INT, to, ITEMS, MPI_INT, on->comm);
  for (int r = 0; r < on->remote_size; ++r)
    for (int i = 0; i < ITEMS; ++i)
      expect(to, r * ITEMS + i, word(remote, r, 0, i), "allgather");
  for (int r = 0; r < 64; ++r) {
    counts[r] = r % 4;
    displacements[r] = (63 - r) * ITEMS;
  }
  form_allgatherv(form, from, on->rank % 4, MPI_INT, to, counts, displacements, MPI_INT, on->comm);
  for (int r = 0; r < on->remote_size; ++r)
    for (int i = 0; i < r % 4; ++i)
      expect(to, (63 - r) * ITEMS + i, word(remote, r, 0, i), "allgatherv");
  for (int r = 0; r < on->remote_size; ++r)
    for (int i = 0; i < ITEMS; ++i)
      from[r * ITEMS + i] = word(on->side, on->rank, r, i);
  form_alltoall(form, from, ITEMS, MPI_INT, to, ITEMS, MPI_INT, on->comm);
  for (int r = 0; r < on->remote_size; ++r)
    for (int i = 0; i < ITEMS; ++i)
      expect(to, r * ITEMS + i, word(remote, r, on->rank, i), "alltoall");
  for (int r = 0; r < 64; ++r) {
    counts[r] = (r + on->rank) % 4;
    displacements[r] = r * ITEMS;
    types[r] = MPI_INT;
  }
  form_alltoallv(form, from, counts, displacements, MPI_INT, to, counts, displacements, MPI_INT, on->comm);
  for (int r = 0; r < on->remote_size; ++r)
    for (int i = 0; i < counts[r]; ++i)
      expect(to, r * ITEMS + i, word(remote, r, on->rank, i), "alltoallv");
  for (int r = 0; r < 64; ++r)
    displacements[r] *= (int)sizeof(int);
  form_alltoallw(form, from, counts, displacements, types, to, counts, displacements, types, on->comm);
  for (int r = 0; r < on->remote_size; ++r)
    for (int i = 0; i < counts[r]; ++i)
      expect(to, r * ITEMS + i, word(remote, r, on->rank, i), "alltoallw");
  form_barrier(form, on->comm);
}

static void check_reductions(const Inter* on, Form form) {
  int from[MAX_ITEMS], to[MAX_ITEMS], counts[64];
  const int remote = 1 - on->side;
  // A reduce-scatter divides the same number of items among both sides, so that number is a multiple of both
  // sizes.
  const int total = on->size * on->remote_size;
  for (int i = 0; i < total && i < MAX_ITEMS; ++i)
    from[i] = word(on->side, on->rank, 0, i);
  form_allreduce(form, from, to, ITEMS, MPI_INT, MPI_SUM, on->comm);
  for (int i = 0; i < ITEMS; ++i) {
    int sum = 0;
    for (int r = 0; r < on->remote_size; ++r)
      sum += i < total ? word(remote, r, 0, i) : 0;
    if (i < total)
      expect(to, i, sum, "allreduce");
  }
  const int mine = on->remote_size; // total / size
  for (int variant = 0; variant < 2; ++variant) {
    for (int r = 0; r < on->size; ++r)
      counts[r] = mine;
    if (variant == 0)
      form_reduce_scatter_block(form, from, to, mine, MPI_INT, MPI_SUM, on->comm);
    else
      form_reduce_scatter(form, from, to, counts, MPI_INT, MPI_SUM, on->comm);
    for (int i = 0; i < mine; ++i) {
      int sum = 0;
      for (int r = 0; r < on->remote_size; ++r)
        sum += word(remote, r, 0, on->rank * mine + i);
      expect(to, i, sum, variant ? "reduce_scatter" : "reduce_scatter_block");
    }
  }
}

void test_inter_moves(void) {
  Inter on;
  if (!inter_make(&on))
    return;
  int i = 0;
  for (int side = 0; side < 2; ++side) {
    const int roots = side == on.side ? on.size : on.remote_size;
    for (int root = 0; root < roots; ++root)
      for (int repetition = 0; repetition < times(3); ++repetition, ++i) {
        const Form form = form_of(i);
        context("inter_moves: %s, root %d of side %d", form_name(form), root, side);
        check_rooted(&on, form, side, root);
        context("inter_moves: varied, %s, root %d of side %d", form_name(form), root, side);
        check_rooted_varied(&on, form, side, root);
      }
  }
  for (i = 0; i < times(6); ++i) {
    context("inter_moves: %s", form_name(form_of(i)));
    check_all(&on, form_of(i));
  }
  MUST(MPI_Comm_free(&on.comm));
}

void test_inter_reduce(void) {
  Inter on;
  if (!inter_make(&on))
    return;
  for (int i = 0; i < times(6); ++i) {
    context("inter_reduce: %s", form_name(form_of(i)));
    check_reductions(&on, form_of(i));
  }
  MUST(MPI_Comm_free(&on.comm));
}
