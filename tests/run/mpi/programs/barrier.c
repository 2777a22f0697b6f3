/* SPDX-License-Identifier: BSD-3-Clause */
// Nobody leaves a barrier before everybody has entered it.
#include "complete.h"
#include "forms.h"
#include "suites.h"

#include <sched.h>
#include <stdatomic.h>

// Each rank counts its entries where all see them (the ranks of a test share one node).
typedef struct {
  MPI_Win window;
  atomic_int* mine;
} Entries;

static Entries entries_make(MPI_Comm comm) {
  Entries entries;
  MUST(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, comm, &entries.mine, &entries.window));
  atomic_store(entries.mine, 0);
  MUST(MPI_Barrier(comm));
  return entries;
}

static int entries_of(const Entries* entries, int rank) {
  MPI_Aint bytes;
  int unit;
  atomic_int* there;
  MUST(MPI_Win_shared_query(entries->window, rank, &bytes, &unit, &there));
  return atomic_load(there);
}

static void check_all_entered(const Group* on, const Entries* entries, Form form, int late) {
  for (int i = 0; on->rank == late && i < 100; ++i)
    sched_yield();
  const int entered = atomic_fetch_add(entries->mine, 1) + 1;
  form_barrier(form, on->comm);
  for (int r = 0; r < on->size; ++r) {
    const int seen = entries_of(entries, r);
    REQUIRE(seen >= entered, "left barrier %d while rank %d had entered only %d", entered, r, seen);
  }
}

// A non-blocking barrier must not be complete before the last rank has started it, however often it is
// tested.
static void check_not_early(const Group* on, int last) {
  MPI_Request request;
  int flag = 0, go = 1;
  if (on->rank == last) {
    for (int r = 0; r < on->size; ++r)
      if (r != last)
        MUST(MPI_Recv(&go, 1, MPI_INT, r, 6, on->comm, MPI_STATUS_IGNORE));
    MUST(MPI_Ibarrier(on->comm, &request));
  } else {
    MUST(MPI_Ibarrier(on->comm, &request));
    for (int i = 0; i < 20; ++i) {
      MUST(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
      REQUIRE(!flag, "MPI_Ibarrier was complete before rank %d had entered", last);
      sched_yield();
    }
    MUST(MPI_Send(&go, 1, MPI_INT, last, 6, on->comm));
  }
  complete_one(&request, on->rank, false);
}

void test_barrier(void) {
  for (int g = 0; g < GROUP_COUNT; ++g) {
    const Group* on = group(g);
    Entries entries = entries_make(on->comm);
    for (int i = 0; i < times(24); ++i) {
      const Form form = form_of(i);
      const int late = (i / 2) % on->size;
      context("barrier: %s, group %s, late rank %d", form_name(form), on->name, late);
      check_all_entered(on, &entries, form, late);
    }
    for (int last = 0; on->size > 1 && last < on->size; ++last) {
      context("barrier: non-blocking, group %s, last rank %d", on->name, last);
      check_not_early(on, last);
    }
    MUST(MPI_Win_free(&entries.window));
  }
}
