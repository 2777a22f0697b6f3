/* SPDX-License-Identifier: BSD-3-Clause */
// The communication of sparse matrices by vectors: neighborhoods WAY MATRIX VECTORS CALLS ROUNDS. A rank gets
// the elements of vectors that its rows need from the ranks that have them, CALLS times in each of ROUNDS
// rounds. Matrices have CELLS rows on each rank:
//   stencil2d:SIDE, stencil3d:SIDE   SIDE^2 or SIDE^3 cells of a torus, in boxes; each needs those around it
//   random:CELLS:DEGREE              DEGREE columns a row, anywhere
//   power:CELLS:DEGREE               the same, but more the lower their number is
// Ways are mpi, an MPI_Neighbor_alltoallv, and those of MPI Advance, where it is compiled with that:
// standard, locality, and dedup, where equal elements travel once. Rank 0 writes the median of the rounds, in
// seconds a call, the means of neighbors and bytes of a rank, and a checksum of what came.
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_MPI_ADVANCE
#include <locality_aware.h>
#endif

static int rank, ranks;

static void fail(const char* what) {
  fprintf(stderr, "neighborhoods: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void* room(size_t count, size_t size) {
  void* memory = calloc(count + 1, size);
  if (memory == NULL)
    fail("no memory");
  return memory;
}

static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/* Columns by number: those of rank r are r * cells .. (r + 1) * cells - 1. */
struct needs {
  long cells, count, capacity;
  long* columns;
};

static void need(struct needs* needs, long column) {
  if (column / needs->cells == rank)
    return;
  if (needs->count == needs->capacity) {
    needs->capacity = 2 * needs->capacity + 64;
    needs->columns = realloc(needs->columns, (size_t)needs->capacity * sizeof(long));
    if (needs->columns == NULL)
      fail("no memory");
  }
  needs->columns[needs->count++] = column;
}

static int compare(const void* a, const void* b) {
  const long x = *(const long*)a, y = *(const long*)b;
  return (x > y) - (x < y);
}

static void sort_once(struct needs* needs) {
  long kept = 0;
  qsort(needs->columns, (size_t)needs->count, sizeof(long), compare);
  for (long i = 0; i < needs->count; ++i)
    if (kept == 0 || needs->columns[kept - 1] != needs->columns[i])
      needs->columns[kept++] = needs->columns[i];
  needs->count = kept;
}

/* The cells around a box of side^dimensions ones. */
static void need_stencil(struct needs* needs, int dimensions, long side) {
  int boxes[3] = {0, 0, dimensions == 2 ? 1 : 0};
  MPI_Dims_create(ranks, 3, boxes);
  const long sides[3] = {side, side, dimensions == 2 ? 1 : side};
  const long own[3] = {rank % boxes[0], rank / boxes[0] % boxes[1], rank / boxes[0] / boxes[1]};
  const long deep = dimensions == 2 ? 0 : 1;
  needs->cells = sides[0] * sides[1] * sides[2];
  for (long z = -deep; z < sides[2] + deep; ++z)
    for (long y = -1; y <= side; ++y)
      for (long x = -1; x <= side; ++x) {
        const long at[3] = {x, y, z};
        long box[3], cell[3];
        for (int d = 0; d < 3; ++d) {
          const long total = sides[d] * boxes[d];
          const long place = (own[d] * sides[d] + at[d] + total) % total;
          box[d] = place / sides[d];
          cell[d] = place % sides[d];
        }
        const long owner = box[0] + boxes[0] * (box[1] + boxes[1] * box[2]);
        need(needs, owner * needs->cells + cell[0] + sides[0] * (cell[1] + sides[1] * cell[2]));
      }
}

static void need_anywhere(struct needs* needs, long degree, bool is_skewed) {
  for (long row = 0; row < needs->cells; ++row)
    for (long one = 0; one < degree; ++one) {
      const uint64_t dice = mixed((uint64_t)((rank * needs->cells + row) * 1000 + one));
      double where = (double)(dice >> 11) / 9007199254740992.0;
      if (is_skewed)
        where = where * where * where;
      need(needs, (long)(where * (double)(needs->cells * ranks)));
    }
}

static struct needs needs_of(const char* matrix) {
  struct needs needs = {0, 0, 0, NULL};
  long first = 0, second = 0;
  if (sscanf(matrix, "stencil2d:%ld", &first) == 1)
    need_stencil(&needs, 2, first);
  else if (sscanf(matrix, "stencil3d:%ld", &first) == 1)
    need_stencil(&needs, 3, first);
  else if (sscanf(matrix, "random:%ld:%ld", &needs.cells, &second) == 2)
    need_anywhere(&needs, second, false);
  else if (sscanf(matrix, "power:%ld:%ld", &needs.cells, &second) == 2)
    need_anywhere(&needs, second, true);
  else
    fail("unknown matrix");
  sort_once(&needs);
  return needs;
}

/* Who sends to, or comes to, this rank, how many elements, and which. */
struct side {
  int neighbors, *ranks, *counts, *places;
  long total;
  long* columns;
  double* values;
};

static struct side side_of(const int* counts, const long* columns, int vectors) {
  struct side side = {0,
                      room((size_t)ranks, sizeof(int)),
                      room((size_t)ranks, sizeof(int)),
                      room((size_t)ranks, sizeof(int)),
                      0,
                      NULL,
                      NULL};
  for (int peer = 0; peer < ranks; ++peer)
    if (counts[peer] > 0) {
      side.ranks[side.neighbors] = peer;
      side.places[side.neighbors] = (int)side.total;
      side.counts[side.neighbors++] = counts[peer] * vectors;
      side.total += (long)counts[peer] * vectors;
    }
  side.columns = room((size_t)side.total, sizeof(long));
  side.values = room((size_t)side.total, sizeof(double));
  for (long i = 0; i < side.total; ++i)
    side.columns[i] = columns[i / vectors] * vectors + i % vectors;
  return side;
}

struct exchange {
  struct side in, out;
  MPI_Comm comm;
#ifdef WITH_MPI_ADVANCE
  MPIL_Comm* advance;
  MPIL_Info* info;
  MPIL_Topo* topology;
  MPIL_Request* request;
#endif
};

static void find_sides(struct exchange* e, const struct needs* needs, int vectors) {
  int* wanted = room((size_t)ranks, sizeof(int));
  int* asked = room((size_t)ranks, sizeof(int));
  int* from = room((size_t)ranks, sizeof(int));
  int* to = room((size_t)ranks, sizeof(int));
  long total = 0;
  for (long i = 0; i < needs->count; ++i)
    ++wanted[needs->columns[i] / needs->cells];
  MPI_Alltoall(wanted, 1, MPI_INT, asked, 1, MPI_INT, MPI_COMM_WORLD);
  for (int peer = 0; peer < ranks; ++peer) {
    to[peer] = peer == 0 ? 0 : to[peer - 1] + wanted[peer - 1];
    from[peer] = (int)total;
    total += asked[peer];
  }
  long* columns = room((size_t)total, sizeof(long));
  MPI_Alltoallv(needs->columns, wanted, to, MPI_LONG, columns, asked, from, MPI_LONG, MPI_COMM_WORLD);
  e->in = side_of(wanted, needs->columns, vectors);
  e->out = side_of(asked, columns, vectors);
  free(wanted), free(asked), free(from), free(to), free(columns);
}

static double value_of(long column, int round) {
  return (double)(mixed((uint64_t)column * 64 + (uint64_t)round) >> 12);
}

#ifdef WITH_MPI_ADVANCE
static void begin_advance(struct exchange* e, const char* way) {
  MPIL_Comm_init(&e->advance, MPI_COMM_WORLD);
  MPIL_Info_init(&e->info);
  MPIL_Topo_init(e->in.neighbors, e->in.ranks, e->in.counts, e->out.neighbors, e->out.ranks, e->out.counts,
                 e->info, &e->topology);
  const bool is_standard = strcmp(way, "standard") == 0;
  MPIL_Set_alltoallv_neighbor_init_alogorithm(is_standard ? NEIGHBOR_ALLTOALLV_INIT_STANDARD
                                                          : NEIGHBOR_ALLTOALLV_INIT_LOCALITY);
  if (strcmp(way, "dedup") == 0)
    MPIL_Neighbor_alltoallv_init_ext_topo(e->out.values, e->out.counts, e->out.places, e->out.columns,
                                          MPI_DOUBLE, e->in.values, e->in.counts, e->in.places, e->in.columns,
                                          MPI_DOUBLE, e->topology, e->advance, e->info, &e->request);
  else
    MPIL_Neighbor_alltoallv_init_topo(e->out.values, e->out.counts, e->out.places, MPI_DOUBLE, e->in.values,
                                      e->in.counts, e->in.places, MPI_DOUBLE, e->topology, e->advance,
                                      e->info, &e->request);
}
#endif

static void begin(struct exchange* e, const char* way) {
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, e->in.neighbors, e->in.ranks, e->in.counts, e->out.neighbors,
                                 e->out.ranks, e->out.counts, MPI_INFO_NULL, 0, &e->comm);
  if (strcmp(way, "mpi") == 0)
    return;
#ifdef WITH_MPI_ADVANCE
  begin_advance(e, way);
#else
  fail("compiled without MPI Advance");
#endif
}

static void run(struct exchange* e, bool is_mpi) {
  if (is_mpi) {
    MPI_Neighbor_alltoallv(e->out.values, e->out.counts, e->out.places, MPI_DOUBLE, e->in.values,
                           e->in.counts, e->in.places, MPI_DOUBLE, e->comm);
    return;
  }
#ifdef WITH_MPI_ADVANCE
  MPI_Status status;
  MPIL_Start(e->request);
  MPIL_Wait(e->request, &status);
#endif
}

/* Seconds a call, of the slowest rank. */
static double round_of(struct exchange* e, bool is_mpi, int round, int calls, double* sum) {
  for (long i = 0; i < e->out.total; ++i)
    e->out.values[i] = value_of(e->out.columns[i], round);
  memset(e->in.values, 0, (size_t)e->in.total * sizeof(double));
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int call = 0; call < calls; ++call)
    run(e, is_mpi);
  const double own = (MPI_Wtime() - begin) / calls;
  double all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (long i = 0; i < e->in.total; ++i) {
    if (e->in.values[i] != value_of(e->in.columns[i], round))
      fail("a wrong value came");
    *sum += (double)(mixed((uint64_t)e->in.columns[i]) >> 40);
  }
  return all;
}

static int compare_seconds(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 6)
    fail("WAY MATRIX VECTORS CALLS ROUNDS");
  const int vectors = atoi(argv[3]), calls = atoi(argv[4]), rounds = atoi(argv[5]);
  const bool is_mpi = strcmp(argv[1], "mpi") == 0;
  struct needs needs = needs_of(argv[2]);
  struct exchange exchange;
  find_sides(&exchange, &needs, vectors);
  begin(&exchange, argv[1]);
  double own[3] = {(double)exchange.out.neighbors, (double)exchange.out.total * sizeof(double), 0}, all[3];
  double* seconds = room((size_t)rounds, sizeof(double));
  round_of(&exchange, is_mpi, 0, calls, &own[2]);
  own[2] = 0;
  for (int round = 0; round < rounds; ++round)
    seconds[round] = round_of(&exchange, is_mpi, round + 1, calls, &own[2]);
  MPI_Reduce(own, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  qsort(seconds, (size_t)rounds, sizeof(double), compare_seconds);
  if (rank == 0)
    printf("%.9f %.2f %.0f %.0f\n", seconds[rounds / 2], all[0] / ranks, all[1] / ranks, all[2]);
  MPI_Finalize();
  return 0;
}
