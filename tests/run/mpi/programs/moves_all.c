/* SPDX-License-Identifier: BSD-3-Clause */
// All-gather, all-to-all and their v- and w-variants.
#include "rounds.h"

#include <stdlib.h>

static void check_allgather(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  const bool in_place = roll_in_place(&round);
  const Layout* out = round_layout(&round, round.units);
  const Layout* in = round_layout(&round, (ptrdiff_t)round.units * size);
  const ptrdiff_t block = in->extent * round.units;
  Image from = image_new(widen((Span){0, 0}, out, 0, round.units));
  Image to = image_new(widen((Span){0, 0}, in, 0, (ptrdiff_t)round.units * size));
  fill_block(&from, out, 0, round.units, round.salt, rank, 0);
  if (in_place)
    fill_block(&to, in, rank * block, round.units, round.salt, rank, 0);
  Image before = image_copy(&from), expected = image_copy(&to);
  for (int r = 0; r < size; ++r)
    fill_block(&expected, in, r * block, round.units, round.salt, r, 0);
  if (in_place)
    form_allgather(round.form, MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, to.origin,
                   mpi_count(in, round.units), in->type, round.group->comm);
  else
    form_allgather(round.form, from.origin, mpi_count(out, round.units), out->type, to.origin,
                   mpi_count(in, round.units), in->type, round.group->comm);
  image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
  image_compare(&from, &before, "send buffer");
  image_free(&from);
  image_free(&to);
  image_free(&before);
  image_free(&expected);
}

void test_allgather(void) {
  for_all_rounds("allgather", 60, check_allgather);
}

static void check_allgatherv(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  const bool in_place = roll_in_place(&round);
  if (round.units > 1000 && known("allgatherv-long"))
    round.units = 100;
  if (size == 1 && known("allgatherv-one-rank"))
    return;
  round.one_item_per_unit = known("allgatherv-counts-differ");
  int* sizes = varied_units(&round);
  Blocks blocks = blocks_of(&round, sizes);
  const Layout* out = round_layout(&round, sizes[rank]);
  Image from = image_new(widen((Span){0, 0}, out, 0, sizes[rank]));
  Image to = image_new(blocks.span);
  fill_block(&from, out, 0, sizes[rank], round.salt, rank, 0);
  if (in_place)
    fill_block(&to, blocks.of, blocks.offsets[rank], sizes[rank], round.salt, rank, 0);
  Image before = image_copy(&from), expected = image_copy(&to);
  for (int r = 0; r < size; ++r)
    fill_block(&expected, blocks.of, blocks.offsets[r], sizes[r], round.salt, r, 0);
  if (in_place)
    form_allgatherv(round.form, MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, to.origin, blocks.counts,
                    blocks.displacements, blocks.of->type, round.group->comm);
  else
    form_allgatherv(round.form, from.origin, mpi_count(out, sizes[rank]), out->type, to.origin, blocks.counts,
                    blocks.displacements, blocks.of->type, round.group->comm);
  image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
  image_compare(&from, &before, "send buffer");
  image_free(&from);
  image_free(&to);
  image_free(&before);
  image_free(&expected);
  blocks_free(&blocks);
  free(sizes);
}

void test_allgatherv(void) {
  for_all_rounds("allgatherv", 60, check_allgatherv);
}

static void check_alltoall(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  if (size > 12 && round.form == BLOCKING && known("alltoall-many-ranks"))
    return;
  const bool in_place = roll_in_place(&round);
  const ptrdiff_t total = (ptrdiff_t)round.units * size;
  const Layout *out = round_layout(&round, total), *in = round_layout(&round, total);
  Image from = image_new(widen((Span){0, 0}, out, 0, total)),
        to = image_new(widen((Span){0, 0}, in, 0, total));
  for (int r = 0; r < size; ++r) {
    fill_block(&from, out, r * out->extent * round.units, round.units, round.salt, rank, r);
    if (in_place)
      fill_block(&to, in, r * in->extent * round.units, round.units, round.salt, rank, r);
  }
  Image before = image_copy(&from), expected = image_copy(&to);
  for (int r = 0; r < size; ++r)
    fill_block(&expected, in, r * in->extent * round.units, round.units, round.salt, r, rank);
  if (in_place)
    form_alltoall(round.form, MPI_IN_PLACE, NO_COUNT, MPI_DATATYPE_NULL, to.origin,
                  mpi_count(in, round.units), in->type, round.group->comm);
  else
    form_alltoall(round.form, from.origin, mpi_count(out, round.units), out->type, to.origin,
                  mpi_count(in, round.units), in->type, round.group->comm);
  image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
  image_compare(&from, &before, "send buffer");
  image_free(&from);
  image_free(&to);
  image_free(&before);
  image_free(&expected);
}

void test_alltoall(void) {
  for_all_rounds("alltoall", 60, check_alltoall);
}

// How many units rank `from` sends to rank `to`; symmetric where the exchange is in place.
static int pair_units(const Round* round, int from, int to, bool symmetric) {
  if (symmetric && from > to)
    return pair_units(round, to, from, true);
  const uint64_t hash = mix(round->salt * 4099 + (uint64_t)(from * 64 + to));
  return hash % 3 == 0 ? 0 : (int)((hash >> 20) % (uint64_t)(round->units + 1));
}

static int* units_of_peers(const Round* round, bool sending, bool symmetric) {
  int* units = malloc((size_t)round->group->size * sizeof *units);
  for (int r = 0; r < round->group->size; ++r)
    units[r] = sending ? pair_units(round, round->group->rank, r, symmetric)
                       : pair_units(round, r, round->group->rank, symmetric);
  return units;
}

// Whether this repetition of all-to-all-v or -w is in place.
static bool roll_in_place_unless_broken(Round* round) {
  const bool in_place = roll_in_place(round);
  return in_place && !(round->form != BLOCKING && known("nonblocking-alltoallv-in-place"));
}

static void check_alltoallv(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  const bool in_place = roll_in_place_unless_broken(&round);
  int *out_units = units_of_peers(&round, true, in_place),
      *in_units = units_of_peers(&round, false, in_place);
  Blocks out = blocks_of(&round, out_units), in = blocks_of(&round, in_units);
  Image from = image_new(out.span), to = image_new(in.span);
  for (int r = 0; r < size; ++r) {
    fill_block(&from, out.of, out.offsets[r], out_units[r], round.salt, rank, r);
    if (in_place)
      fill_block(&to, in.of, in.offsets[r], in_units[r], round.salt, rank, r);
  }
  Image before = image_copy(&from), expected = image_copy(&to);
  for (int r = 0; r < size; ++r)
    fill_block(&expected, in.of, in.offsets[r], in_units[r], round.salt, r, rank);
  if (in_place)
    form_alltoallv(round.form, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, to.origin, in.counts,
                   in.displacements, in.of->type, round.group->comm);
  else
    form_alltoallv(round.form, from.origin, out.counts, out.displacements, out.of->type, to.origin, in.counts,
                   in.displacements, in.of->type, round.group->comm);
  image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
  image_compare(&from, &before, "send buffer");
  image_free(&from);
  image_free(&to);
  image_free(&before);
  image_free(&expected);
  blocks_free(&out);
  blocks_free(&in);
  free(out_units);
  free(in_units);
}

void test_alltoallv(void) {
  for_all_rounds("alltoallv", 60, check_alltoallv);
}

// As Blocks, with a layout of its own for every block and displacements in bytes.
typedef struct {
  int* counts;
  int* displacements;
  MPI_Datatype* types;
  const Layout** of;
  Span span;
} MixedBlocks;

static MixedBlocks mixed_blocks_of(Round* round, const int* units) {
  const size_t n = (size_t)round->group->size;
  MixedBlocks blocks = {malloc(n * sizeof(int)),
                        malloc(n * sizeof(int)),
                        malloc(n * sizeof(MPI_Datatype)),
                        malloc(n * sizeof(Layout*)),
                        {0, 0}};
  ptrdiff_t at = roll(&round->local, 3) * 4;
  for (size_t r = 0; r < n; ++r) {
    const Layout* of = round_layout(round, units[r]);
    const Span alone = widen((Span){0, 0}, of, 0, units[r]);
    blocks.of[r] = of;
    blocks.types[r] = of->type;
    blocks.counts[r] = mpi_count(of, units[r]);
    blocks.displacements[r] = (int)(at - alone.low);
    blocks.span = widen(blocks.span, of, blocks.displacements[r], units[r]);
    at += alone.high - alone.low + roll(&round->local, 3) * 4;
  }
  return blocks;
}

static void mixed_blocks_free(MixedBlocks* blocks) {
  free(blocks->counts);
  free(blocks->displacements);
  free(blocks->types);
  free(blocks->of);
}

static void check_alltoallw(Round round) {
  const int rank = round.group->rank, size = round.group->size;
  if (size == 1 && known("alltoallw-one-rank"))
    return;
  const bool in_place = roll_in_place_unless_broken(&round);
  int *out_units = units_of_peers(&round, true, in_place),
      *in_units = units_of_peers(&round, false, in_place);
  MixedBlocks out = mixed_blocks_of(&round, out_units), in = mixed_blocks_of(&round, in_units);
  Image from = image_new(out.span), to = image_new(in.span);
  for (int r = 0; r < size; ++r) {
    fill_block(&from, out.of[r], out.displacements[r], out_units[r], round.salt, rank, r);
    if (in_place)
      fill_block(&to, in.of[r], in.displacements[r], in_units[r], round.salt, rank, r);
  }
  Image before = image_copy(&from), expected = image_copy(&to);
  for (int r = 0; r < size; ++r)
    fill_block(&expected, in.of[r], in.displacements[r], in_units[r], round.salt, r, rank);
  if (in_place)
    form_alltoallw(round.form, MPI_IN_PLACE, NULL, NULL, NULL, to.origin, in.counts, in.displacements,
                   in.types, round.group->comm);
  else
    form_alltoallw(round.form, from.origin, out.counts, out.displacements, out.types, to.origin, in.counts,
                   in.displacements, in.types, round.group->comm);
  image_compare(&to, &expected, in_place ? "receive buffer (in place)" : "receive buffer");
  image_compare(&from, &before, "send buffer");
  image_free(&from);
  image_free(&to);
  image_free(&before);
  image_free(&expected);
  mixed_blocks_free(&out);
  mixed_blocks_free(&in);
  free(out_units);
  free(in_units);
}

void test_alltoallw(void) {
  for_all_rounds("alltoallw", 60, check_alltoallw);
}
