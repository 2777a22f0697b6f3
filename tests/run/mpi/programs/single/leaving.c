/* SPDX-License-Identifier: BSD-3-Clause */
// What a rank has for others leaves with the call that starts it, though no call follows. One of two ranks
// starts a collective in which it waits for nobody, and then does not call anything until the other has what
// it waits for: nonblocking, persistent and of neighbors.
//
// leaving FOLDER: one that both ranks see.
#include "../../../../flags.h"
#include "check.h"

enum { max_count = 100, nobody = -1 };

static double mine[max_count], row[max_count], all[2 * max_count], rows[2 * max_count];
static MPI_Comm neighbors;

#define WORLD MPI_COMM_WORLD
#define STARTED(name, ...)                                                                                   \
  static MPI_Request start_##name(int n) {                                                                   \
    MPI_Request request = MPI_REQUEST_NULL;                                                                  \
    MUST(MPI_I##name(__VA_ARGS__, &request));                                                                \
    (void)n;                                                                                                 \
    return request;                                                                                          \
  }
STARTED(bcast, row, n, MPI_DOUBLE, 0, WORLD)
STARTED(scatter, all, n, MPI_DOUBLE, row, n, MPI_DOUBLE, 0, WORLD)
STARTED(gather, mine, n, MPI_DOUBLE, rows, n, MPI_DOUBLE, 1, WORLD)
STARTED(reduce, mine, row, n, MPI_DOUBLE, MPI_SUM, 1, WORLD)
STARTED(scan, mine, row, n, MPI_DOUBLE, MPI_SUM, WORLD)
STARTED(exscan, mine, row, n, MPI_DOUBLE, MPI_SUM, WORLD)
STARTED(allgather, mine, n, MPI_DOUBLE, rows, n, MPI_DOUBLE, WORLD)
STARTED(alltoall, all, n, MPI_DOUBLE, rows, n, MPI_DOUBLE, WORLD)
STARTED(allreduce, mine, row, n, MPI_DOUBLE, MPI_SUM, WORLD)
STARTED(reduce_scatter_block, all, row, n, MPI_DOUBLE, MPI_SUM, WORLD)
STARTED(barrier, WORLD)
STARTED(neighbor_allgather, mine, n, MPI_DOUBLE, row, n, MPI_DOUBLE, neighbors)
STARTED(neighbor_alltoall, mine, n, MPI_DOUBLE, row, n, MPI_DOUBLE, neighbors)

#if HAVE_PERSISTENT_COLLECTIVES
#define PERSISTENT(name, ...)                                                                                \
  static MPI_Request make_##name(int n) {                                                                    \
    MPI_Request request = MPI_REQUEST_NULL;                                                                  \
    MUST(MPI_##name(__VA_ARGS__, MPI_INFO_NULL, &request));                                                  \
    (void)n;                                                                                                 \
    return request;                                                                                          \
  }
PERSISTENT(Bcast_init, row, n, MPI_DOUBLE, 0, WORLD)
PERSISTENT(Scatter_init, all, n, MPI_DOUBLE, row, n, MPI_DOUBLE, 0, WORLD)
PERSISTENT(Gather_init, mine, n, MPI_DOUBLE, rows, n, MPI_DOUBLE, 1, WORLD)
PERSISTENT(Reduce_init, mine, row, n, MPI_DOUBLE, MPI_SUM, 1, WORLD)
PERSISTENT(Allreduce_init, mine, row, n, MPI_DOUBLE, MPI_SUM, WORLD)
PERSISTENT(Barrier_init, WORLD)
#endif

// Those of which `leaving` has nothing to wait for once it has begun; nobody: both have to begin, no more.
static const struct {
  const char* name;
  int leaving;
  MPI_Request (*start)(int count); // null where it is persistent
  MPI_Request (*make)(int count);
} cases[] = {
    {"MPI_Ibcast", 0, start_bcast, NULL},
    {"MPI_Iscatter", 0, start_scatter, NULL},
    {"MPI_Igather", 0, start_gather, NULL},
    {"MPI_Ireduce", 0, start_reduce, NULL},
    {"MPI_Iscan", 0, start_scan, NULL},
    {"MPI_Iexscan", 0, start_exscan, NULL},
    {"MPI_Iallgather", nobody, start_allgather, NULL},
    {"MPI_Ialltoall", nobody, start_alltoall, NULL},
    {"MPI_Iallreduce", nobody, start_allreduce, NULL},
    {"MPI_Ireduce_scatter_block", nobody, start_reduce_scatter_block, NULL},
    {"MPI_Ibarrier", nobody, start_barrier, NULL},
    {"MPI_Ineighbor_allgather", nobody, start_neighbor_allgather, NULL},
    {"MPI_Ineighbor_alltoall", nobody, start_neighbor_alltoall, NULL},
#if HAVE_PERSISTENT_COLLECTIVES
    {"MPI_Bcast_init", 0, NULL, make_Bcast_init},
    {"MPI_Scatter_init", 0, NULL, make_Scatter_init},
    {"MPI_Gather_init", 0, NULL, make_Gather_init},
    {"MPI_Reduce_init", 0, NULL, make_Reduce_init},
    {"MPI_Allreduce_init", nobody, NULL, make_Allreduce_init},
    {"MPI_Barrier_init", nobody, NULL, make_Barrier_init},
#endif
};

static void run(size_t number, int count, int leaving, const struct Flags* flags) {
  static int step = 0;
  ++step;
  MPI_Request request = MPI_REQUEST_NULL;
  if (cases[number].start != NULL) {
    request = cases[number].start(count);
  } else {
    request = cases[number].make(count);
    MUST(MPI_Barrier(WORLD)); // what making it sends has come
    MUST(MPI_Start(&request));
  }
  if (world_rank == leaving) {
    REQUIRE(see_flag(flags, 1 - leaving, step), "%s of %d on rank %d has not left it, which makes no call",
            cases[number].name, count, leaving);
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else {
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    REQUIRE(raise_flag(flags, world_rank, step), "no flag can be made in %s", flags->folder);
  }
  if (cases[number].start == NULL)
    MUST(MPI_Request_free(&request));
  MUST(MPI_Barrier(WORLD));
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  context("leaving");
  REQUIRE(world_size == 2 && argc == 2, "two ranks and a folder are wanted");
  struct Flags flags;
  REQUIRE(make_flags(&flags, argv[1]), "no folder can be made in %s", argv[1]);
  const int other = 1 - world_rank;
  MUST(MPI_Dist_graph_create_adjacent(WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &neighbors));
  for (int count = 1; count <= max_count; count += max_count - 1)
    for (size_t number = 0; number < sizeof cases / sizeof *cases; ++number)
      for (int leaving = 0; leaving < 2; ++leaving)
        if (cases[number].leaving == nobody || cases[number].leaving == leaving)
          run(number, count, leaving, &flags);
  if (world_rank == 0)
    remove_flags(&flags);
  MUST(MPI_Comm_free(&neighbors));
  end();
}
