/* SPDX-License-Identifier: BSD-3-Clause */
// Reduce, all-reduce, reduce-scatter(-block), scan and exscan: sums of ints, products of 2x2 matrices
// (associative, not commutative), over layouts with gaps; expectations are computed here in C.
#include "operations.h"
#include "rounds.h"

#include <stdlib.h>

typedef struct {
  Round round;
  const Operation* operation;
  const Layout* of; // the same on all ranks: reductions need equal types where types are derived
  bool in_place;
  Image from, to, expected, before;
} Case;

static Case case_of(Round round, ptrdiff_t from_units, ptrdiff_t to_units) {
  Case made = {.round = round};
  const ptrdiff_t larger = from_units > to_units ? from_units : to_units;
  made.operation = operation(roll(&made.round.common, OPERATION_COUNT));
  context_add(made.operation->name);
  made.of = some_layout(&made.round.common, larger);
  if (made.operation->on_ints)
    made.of = plain();
  else if (made.of->factor > 1 || known("reduce-lower-bound") ||
           (made.of->extent < 0 && known("reduce-negative-extent"))) // the user function wants whole units
    made.of = layout(2);
  made.in_place = roll_in_place(&made.round);
  made.from = image_new(widen((Span){0, 0}, made.of, 0, from_units));
  made.to = image_new(widen((Span){0, 0}, made.of, 0, made.in_place ? larger : to_units));
  if (made.in_place)
    operation_fill(&made.to, made.of, from_units, made.round.group->rank, round.salt);
  operation_fill(&made.from, made.of, from_units, made.round.group->rank, round.salt);
  made.before = image_copy(&made.from);
  made.expected = image_copy(&made.to);
  operations_use(made.of);
  return made;
}

static void case_close(Case* done) {
  image_compare(&done->to, &done->expected, done->in_place ? "receive buffer (in place)" : "receive buffer");
  image_compare(&done->from, &done->before, "send buffer");
  image_free(&done->from);
  image_free(&done->to);
  image_free(&done->expected);
  image_free(&done->before);
}

// Items per unit and type as the operation wants them.
static MPI_Datatype type_of(const Case* c) {
  return c->operation->on_ints ? MPI_INT : c->of->type;
}
static int count_of(const Case* c, int units) {
  return c->operation->on_ints ? units * UNIT : units;
}
static const void* from_of(const Case* c) {
  return c->in_place ? MPI_IN_PLACE : c->from.origin;
}

static void check_reduce(Round round) {
  const bool root = round.group->rank == round.root;
  Case c = case_of(round, round.units, round.units);
  c.in_place = c.in_place && form_reduces_in_place(round.form, round.root);
  if (root)
    operation_expect(c.operation, &c.expected, c.of, 0, round.units, 0, 0, round.group->size - 1, round.salt);
  form_reduce(round.form, root ? from_of(&c) : c.from.origin, root ? (void*)c.to.origin : NOWHERE,
              count_of(&c, round.units), type_of(&c), *c.operation->op, round.root, round.group->comm);
  case_close(&c);
}

static void check_allreduce(Round round) {
  Case c = case_of(round, round.units, round.units);
  operation_expect(c.operation, &c.expected, c.of, 0, round.units, 0, 0, round.group->size - 1, round.salt);
  form_allreduce(round.form, from_of(&c), c.to.origin, count_of(&c, round.units), type_of(&c),
                 *c.operation->op, round.group->comm);
  case_close(&c);
}

static void check_reduce_scatter(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  int* units = varied_units(&round);
  int* counts = malloc((size_t)size * sizeof *counts);
  int total = 0, before = 0;
  for (int r = 0; r < size; ++r) {
    before += r < rank ? units[r] : 0;
    total += units[r];
  }
  Case c = case_of(round, total, units[rank]);
  for (int r = 0; r < size; ++r)
    counts[r] = count_of(&c, units[r]);
  operation_expect(c.operation, &c.expected, c.of, 0, units[rank], before, 0, size - 1, round.salt);
  form_reduce_scatter(round.form, from_of(&c), c.to.origin, counts, type_of(&c), *c.operation->op,
                      round.group->comm);
  if (c.in_place)
    image_forget(&c.to, &c.expected, c.of, units[rank], total);
  case_close(&c);
  free(units);
  free(counts);
}

static void check_reduce_scatter_block(Round round) {
  const int size = round.group->size;
  Case c = case_of(round, (ptrdiff_t)round.units * size, round.units);
  operation_expect(c.operation, &c.expected, c.of, 0, round.units, (ptrdiff_t)round.group->rank * round.units,
                   0, size - 1, round.salt);
  form_reduce_scatter_block(round.form, from_of(&c), c.to.origin, count_of(&c, round.units), type_of(&c),
                            *c.operation->op, round.group->comm);
  if (c.in_place)
    image_forget(&c.to, &c.expected, c.of, round.units, (ptrdiff_t)round.units * size);
  case_close(&c);
}

static void check_scan(Round round) {
  Case c = case_of(round, round.units, round.units);
  operation_expect(c.operation, &c.expected, c.of, 0, round.units, 0, 0, round.group->rank, round.salt);
  form_scan(round.form, from_of(&c), c.to.origin, count_of(&c, round.units), type_of(&c), *c.operation->op,
            round.group->comm);
  case_close(&c);
}

static void check_exscan(Round round) {
  const int rank = round.group->rank;
  Case c = case_of(round, round.units, round.units);
  if (rank > 0)
    operation_expect(c.operation, &c.expected, c.of, 0, round.units, 0, 0, rank - 1, round.salt);
  form_exscan(round.form, from_of(&c), c.to.origin, count_of(&c, round.units), type_of(&c), *c.operation->op,
              round.group->comm);
  if (rank == 0) // undefined at rank 0; guards must hold nevertheless
    image_forget(&c.to, &c.expected, c.of, 0, round.units);
  case_close(&c);
}

static void with_operations(const char* name, int rounds, void (*check)(Round)) {
  operations_make();
  for_all_rounds(name, rounds, check);
  operations_free();
}

void test_reduce(void) {
  with_operations("reduce", 60, check_reduce);
}
void test_allreduce(void) {
  with_operations("allreduce", 60, check_allreduce);
}
void test_reduce_scatter(void) {
  with_operations("reduce_scatter", 60, check_reduce_scatter);
}
void test_reduce_scatter_block(void) {
  with_operations("reduce_scatter_block", 60, check_reduce_scatter_block);
}
void test_scan(void) {
  with_operations("scan", 48, check_scan);
}
void test_exscan(void) {
  with_operations("exscan", 48, check_exscan);
}
