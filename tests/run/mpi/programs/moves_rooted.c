/* SPDX-License-Identifier: BSD-3-Clause */
// Broadcast, gather, scatter and their v-variants: every root, any layout at every rank, garbage where the
// root alone looks.
#include "rounds.h"

#include <stdlib.h>

static void check_bcast(Round round) {
  const Layout* mine = round_layout(&round, round.units);
  Image buffer = image_new(widen((Span){0, 0}, mine, 0, round.units));
  if (round.group->rank == round.root)
    fill_block(&buffer, mine, 0, round.units, round.salt, round.root, 0);
  Image expected = image_copy(&buffer);
  fill_block(&expected, mine, 0, round.units, round.salt, round.root, 0);
  form_bcast(round.form, buffer.origin, mpi_count(mine, round.units), mine->type, round.root,
             round.group->comm);
  image_compare(&buffer, &expected, "buffer");
  image_free(&buffer);
  image_free(&expected);
}

void test_bcast(void) {
  for_all_rounds("bcast", 60, check_bcast);
}

// The side that holds one block per rank, in a gather or a scatter: blocks in order of rank, equally spaced.
static Span span_of_all(const Layout* of, int blocks, int units) {
  return widen((Span){0, 0}, of, 0, (ptrdiff_t)blocks * units);
}

static void check_gather(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  const bool root = rank == round.root, in_place = roll_in_place(&round);
  round.lower_bound_zero = known("gather-lower-bound");
  const Layout* out = round_layout(&round, round.units);
  const Layout* in = round_layout(&round, (ptrdiff_t)round.units * size);
  Image from = image_new(widen((Span){0, 0}, out, 0, round.units));
  fill_block(&from, out, 0, round.units, round.salt, rank, round.root);
  Image from_before = image_copy(&from);
  if (!root) {
    form_gather(round.form, from.origin, mpi_count(out, round.units), out->type, NOWHERE, NO_COUNT,
                MPI_DATATYPE_NULL, round.root, round.group->comm);
  } else {
    Image to = image_new(span_of_all(in, size, round.units));
    const ptrdiff_t block = in->extent * round.units;
    if (in_place)
      fill_block(&to, in, rank * block, round.units, round.salt, rank, round.root);
    Image expected = image_copy(&to);
    for (int r = 0; r < size; ++r)
      fill_block(&expected, in, r * block, round.units, round.salt, r, round.root);
    if (in_place)
      form_gather(round.form, MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, to.origin,
                  mpi_count(in, round.units), in->type, round.root, round.group->comm);
    else
      form_gather(round.form, from.origin, mpi_count(out, round.units), out->type, to.origin,
                  mpi_count(in, round.units), in->type, round.root, round.group->comm);
    image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
    image_free(&to);
    image_free(&expected);
  }
  image_compare(&from, &from_before, "send buffer");
  image_free(&from);
  image_free(&from_before);
}

void test_gather(void) {
  for_all_rounds("gather", 60, check_gather);
}

static void check_scatter(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  const bool root = rank == round.root, in_place = roll_in_place(&round);
  const Layout* out = round_layout(&round, (ptrdiff_t)round.units * size);
  const Layout* in = round_layout(&round, round.units);
  Image to = image_new(widen((Span){0, 0}, in, 0, round.units));
  Image expected = image_copy(&to);
  if (!root || !in_place)
    fill_block(&expected, in, 0, round.units, round.salt, round.root, rank);
  if (!root) {
    form_scatter(round.form, NOWHERE, NO_COUNT, MPI_DATATYPE_NULL, to.origin, mpi_count(in, round.units),
                 in->type, round.root, round.group->comm);
  } else {
    Image from = image_new(span_of_all(out, size, round.units));
    for (int r = 0; r < size; ++r)
      fill_block(&from, out, r * out->extent * round.units, round.units, round.salt, rank, r);
    Image before = image_copy(&from);
    if (in_place)
      form_scatter(round.form, from.origin, mpi_count(out, round.units), out->type, MPI_IN_PLACE, NO_COUNT,
                   MPI_DATATYPE_NULL, round.root, round.group->comm);
    else
      form_scatter(round.form, from.origin, mpi_count(out, round.units), out->type, to.origin,
                   mpi_count(in, round.units), in->type, round.root, round.group->comm);
    image_compare(&from, &before, "send buffer");
    image_free(&from);
    image_free(&before);
  }
  image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
  image_free(&to);
  image_free(&expected);
}

void test_scatter(void) {
  for_all_rounds("scatter", 60, check_scatter);
}

static void check_gatherv(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  const bool root = rank == round.root, in_place = roll_in_place(&round);
  int* sizes = varied_units(&round);
  Blocks blocks = blocks_of(&round, sizes);
  const int units = sizes[rank];
  const Layout* out = round_layout(&round, units);
  Image from = image_new(widen((Span){0, 0}, out, 0, units));
  fill_block(&from, out, 0, units, round.salt, rank, round.root);
  Image before = image_copy(&from);
  if (!root) {
    form_gatherv(round.form, from.origin, mpi_count(out, units), out->type, NOWHERE, NULL, NULL,
                 MPI_DATATYPE_NULL, round.root, round.group->comm);
  } else {
    Image to = image_new(blocks.span);
    if (in_place)
      fill_block(&to, blocks.of, blocks.offsets[rank], units, round.salt, rank, round.root);
    Image expected = image_copy(&to);
    for (int r = 0; r < size; ++r)
      fill_block(&expected, blocks.of, blocks.offsets[r], blocks.units[r], round.salt, r, round.root);
    if (in_place)
      form_gatherv(round.form, MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, to.origin, blocks.counts,
                   blocks.displacements, blocks.of->type, round.root, round.group->comm);
    else
      form_gatherv(round.form, from.origin, mpi_count(out, units), out->type, to.origin, blocks.counts,
                   blocks.displacements, blocks.of->type, round.root, round.group->comm);
    image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
    image_free(&to);
    image_free(&expected);
  }
  image_compare(&from, &before, "send buffer");
  image_free(&from);
  image_free(&before);
  blocks_free(&blocks);
  free(sizes);
}

void test_gatherv(void) {
  for_all_rounds("gatherv", 60, check_gatherv);
}

static void check_scatterv(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  const bool root = rank == round.root, in_place = roll_in_place(&round);
  int* sizes = varied_units(&round);
  Blocks blocks = blocks_of(&round, sizes);
  const int units = sizes[rank];
  const Layout* in = round_layout(&round, units);
  Image to = image_new(widen((Span){0, 0}, in, 0, units));
  Image expected = image_copy(&to);
  if (!root || !in_place)
    fill_block(&expected, in, 0, units, round.salt, round.root, rank);
  if (!root) {
    form_scatterv(round.form, NOWHERE, NULL, NULL, MPI_DATATYPE_NULL, to.origin, mpi_count(in, units),
                  in->type, round.root, round.group->comm);
  } else {
    Image from = image_new(blocks.span);
    for (int r = 0; r < size; ++r)
      fill_block(&from, blocks.of, blocks.offsets[r], blocks.units[r], round.salt, rank, r);
    Image before = image_copy(&from);
    if (in_place)
      form_scatterv(round.form, from.origin, blocks.counts, blocks.displacements, blocks.of->type,
                    MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, round.root, round.group->comm);
    else
      form_scatterv(round.form, from.origin, blocks.counts, blocks.displacements, blocks.of->type, to.origin,
                    mpi_count(in, units), in->type, round.root, round.group->comm);
    image_compare(&from, &before, "send buffer");
    image_free(&from);
    image_free(&before);
  }
  image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
  image_free(&to);
  image_free(&expected);
  blocks_free(&blocks);
  free(sizes);
}

void test_scatterv(void) {
  for_all_rounds("scatterv", 60, check_scatterv);
}
