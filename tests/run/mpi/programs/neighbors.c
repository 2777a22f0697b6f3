/* SPDX-License-Identifier: BSD-3-Clause */
#include "neighbors.h"

#include "forms.h"
#include "layout.h"
#include "suites.h"

#include <string.h>

// A grid with a periodic dimension of one or two ranks has parallel edges. MPI 4.1 says that what is sent in
// the negative direction arrives from the positive one, and blocking calls of most libraries do so. Some
// nonblocking calls match parallel edges in their order instead: for those the checks accept either.
typedef enum { BY_DIRECTION, BY_ORDER } Matching;

static int edge_by_order(const Graph* graph, int rank, int index) {
  const Neighbors* mine = &graph->sources[rank];
  const int source = mine->ranks[index];
  int before = 0;
  for (int i = 0; i < index; ++i)
    before += mine->ranks[i] == source;
  const Neighbors* theirs = &graph->destinations[source];
  for (int i = 0; i < theirs->count; ++i)
    if (theirs->ranks[i] == rank && before-- == 0)
      return i;
  fail("the check itself is wrong: rank %d has no edge to rank %d", source, rank);
}

// For source number `index` of `rank`: the number, among that source's destinations, of the edge that meets
// it.
static int sending_edge(const Graph* graph, int rank, int index, Matching matching) {
  return matching == BY_DIRECTION ? index ^ 1 : edge_by_order(graph, rank, index);
}

// Units on the edge number `edge` from rank `from`. The two directions of a grid's dimension get the same
// number, so that sizes meet whichever way parallel edges are matched.
static int edge_units(uint64_t salt, int from, int edge, int limit) {
  return (int)(mix(salt * 977 + (uint64_t)(from * 64 + edge)) % (uint64_t)(limit + 1));
}

typedef struct {
  const Graph* graph;
  MPI_Comm comm;
  bool grid;
  int rank;
  Form form;
  uint64_t salt;
  int units;
  Dice local;
  const Neighbors* sources;
  const Neighbors* destinations;
} Exchange;

static void compare_and_free(Image* to, Image* expected, Image* from, Image* before) {
  image_compare(to, expected, "receive buffer");
  image_compare(from, before, "send buffer");
  image_free(to);
  image_free(expected);
  image_free(from);
  image_free(before);
}

static bool present(const Neighbors* neighbors, int i) {
  return neighbors->ranks[i] != MPI_PROC_NULL;
}

static void check_allgather(Exchange* e, bool varied) {
  int counts[NEIGHBORS_MAX], displacements[NEIGHBORS_MAX], units[NEIGHBORS_MAX];
  const Layout* out = some_layout(&e->local, 40);
  ptrdiff_t at = 0, offsets[NEIGHBORS_MAX];
  const Layout* in = some_layout(&e->local, (e->units + 2) * (ptrdiff_t)NEIGHBORS_MAX);
  Span span = {0, 0};
  const int mine = varied ? edge_units(e->salt, e->rank, 63, e->units) : e->units;
  for (int i = 0; i < e->sources->count; ++i) {
    units[i] = !varied                  ? e->units
               : present(e->sources, i) ? edge_units(e->salt, e->sources->ranks[i], 63, e->units)
                                        : 1;
    counts[i] = units[i] * in->factor;
    displacements[i] = (int)at * in->factor;
    offsets[i] = at * in->extent;
    span = widen(span, in, offsets[i], units[i]);
    at += units[i] + (varied ? roll(&e->local, 2) : 0);
  }
  Image from = image_new(widen((Span){0, 0}, out, 0, mine)), to = image_new(span);
  fill_block(&from, out, 0, mine, e->salt, e->rank, 0);
  Image before = image_copy(&from), expected = image_copy(&to);
  for (int i = 0; i < e->sources->count; ++i)
    if (present(e->sources, i))
      fill_block(&expected, in, offsets[i], units[i], e->salt, e->sources->ranks[i], 0);
  if (varied)
    form_neighbor_allgatherv(e->form, from.origin, mine * out->factor, out->type, to.origin, counts,
                             displacements, in->type, e->sources->count, e->comm);
  else
    form_neighbor_allgather(e->form, from.origin, mine * out->factor, out->type, to.origin, mine * in->factor,
                            in->type, e->comm);
  compare_and_free(&to, &expected, &from, &before);
}

// Places one block per edge; equal sizes stay dense, as MPI_Neighbor_alltoall wants them.
static Span place_edges(Exchange* e, const Layout* of, const Neighbors* neighbors, bool varied,
                        const int* units, int* counts, int* displacements, ptrdiff_t* offsets) {
  ptrdiff_t at = 0;
  Span span = {0, 0};
  for (int i = 0; i < neighbors->count; ++i) {
    counts[i] = units[i] * of->factor;
    displacements[i] = (int)at * of->factor;
    offsets[i] = at * of->extent;
    span = widen(span, of, offsets[i], units[i]);
    at += units[i] + (varied ? roll(&e->local, 2) : 0);
  }
  return span;
}

enum Kind { EQUAL, VARIED, MIXED };

static int size_edge(const Exchange* e, int edge) {
  return e->grid ? edge / 2 : edge;
}

static void edge_sizes(const Exchange* e, enum Kind kind, int* out_units, int* in_units) {
  for (int i = 0; i < e->destinations->count; ++i)
    out_units[i] = kind == EQUAL ? e->units : edge_units(e->salt, e->rank, size_edge(e, i), e->units);
  for (int i = 0; i < e->sources->count; ++i) {
    in_units[i] = e->units;
    if (kind != EQUAL && present(e->sources, i))
      in_units[i] = edge_units(
          e->salt, e->sources->ranks[i],
          size_edge(e, sending_edge(e->graph, e->rank, i, e->grid ? BY_DIRECTION : BY_ORDER)), e->units);
  }
}

static void expect_edges(const Exchange* e, Image* expected, const Layout* in, const ptrdiff_t* offsets,
                         const int* units, Matching matching) {
  for (int i = 0; i < e->sources->count; ++i)
    if (present(e->sources, i))
      fill_block(expected, in, offsets[i], units[i], e->salt, e->sources->ranks[i],
                 sending_edge(e->graph, e->rank, i, matching));
}

static void check_alltoall(Exchange* e, enum Kind kind) {
  int out_units[NEIGHBORS_MAX], in_units[NEIGHBORS_MAX], out_counts[NEIGHBORS_MAX], in_counts[NEIGHBORS_MAX];
  int out_displacements[NEIGHBORS_MAX], in_displacements[NEIGHBORS_MAX];
  ptrdiff_t out_offsets[NEIGHBORS_MAX], in_offsets[NEIGHBORS_MAX];
  const Layout* out = some_layout(&e->local, (e->units + 2) * (ptrdiff_t)NEIGHBORS_MAX);
  const Layout* in = some_layout(&e->local, (e->units + 2) * (ptrdiff_t)NEIGHBORS_MAX);
  edge_sizes(e, kind, out_units, in_units);
  Image from = image_new(place_edges(e, out, e->destinations, kind != EQUAL, out_units, out_counts,
                                     out_displacements, out_offsets));
  Image to = image_new(
      place_edges(e, in, e->sources, kind != EQUAL, in_units, in_counts, in_displacements, in_offsets));
  for (int i = 0; i < e->destinations->count; ++i)
    fill_block(&from, out, out_offsets[i], out_units[i], e->salt, e->rank, i);
  Image before = image_copy(&from), expected = image_copy(&to), other = image_copy(&to);
  expect_edges(e, &expected, in, in_offsets, in_units, e->grid ? BY_DIRECTION : BY_ORDER);
  expect_edges(e, &other, in, in_offsets, in_units, BY_ORDER);
  if (kind == EQUAL) {
    form_neighbor_alltoall(e->form, from.origin, e->units * out->factor, out->type, to.origin,
                           e->units * in->factor, in->type, e->comm);
  } else if (kind == VARIED) {
    form_neighbor_alltoallv(e->form, from.origin, out_counts, out_displacements, out->type, to.origin,
                            in_counts, in_displacements, in->type, e->sources->count, e->destinations->count,
                            e->comm);
  } else {
    MPI_Datatype out_types[NEIGHBORS_MAX], in_types[NEIGHBORS_MAX];
    for (int i = 0; i < NEIGHBORS_MAX; ++i) {
      out_types[i] = out->type;
      in_types[i] = in->type;
    }
    form_neighbor_alltoallw(e->form, from.origin, out_counts, (MPI_Aint*)out_offsets, out_types, to.origin,
                            in_counts, (MPI_Aint*)in_offsets, in_types, e->sources->count,
                            e->destinations->count, e->comm);
  }
  const bool blocking = e->form == BLOCKING || e->form == BLOCKING_C;
  const bool by_direction_only = blocking && !known("parallel-edges");
  if (!by_direction_only && image_equal(&to, &other)) {
    image_free(&expected);
    expected = image_copy(&other);
  }
  image_free(&other);
  compare_and_free(&to, &expected, &from, &before);
}

// Whether some rank only receives or only sends.
static bool one_way(const Graph* graph) {
  for (int rank = 0; rank < graph->size; ++rank)
    if ((graph->sources[rank].count == 0) != (graph->destinations[rank].count == 0))
      return true;
  return false;
}

void check_neighborhood(const char* name, const Graph* graph, MPI_Comm comm, bool grid, int rounds) {
  Exchange e = {.graph = graph, .comm = comm, .grid = grid};
  MUST(MPI_Comm_rank(comm, &e.rank));
  e.sources = &graph->sources[e.rank];
  e.destinations = &graph->destinations[e.rank];
  static const char* const calls[] = {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};
  for (int i = 0; i < rounds; ++i)
    for (int call = 0; call < 5; ++call) {
      Dice common = dice_of(4004, (uint64_t)(i * 5 + call));
      e.form = form_of(i + call);
      if (e.form != BLOCKING_C && known("parallel-edges"))
        e.form = BLOCKING;
      e.salt = (uint64_t)(i * 5 + call);
      e.units = roll(&common, 9) == 0 ? 150 : roll(&common, 6);
      e.local = dice_of(5005 + e.salt, (uint64_t)world_rank);
      context("%s: neighbor_%s, round %d, %s, %d units", name, calls[call], i, form_name(e.form), e.units);
      if (call == 4 && one_way(graph) && known("neighbor_alltoallw-one-way"))
        continue;
      if (call == 4 && known("neighbor_alltoallw-sanitized"))
        continue;
      if (call < 2)
        check_allgather(&e, call == 1);
      else
        check_alltoall(&e, (enum Kind)(call - 2));
    }
}
