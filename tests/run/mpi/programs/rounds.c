/* SPDX-License-Identifier: BSD-3-Clause */
#include "rounds.h"

#include <stdlib.h>
#include <string.h>

Round round_of(const char* name, int group_index, int i) {
  Round round = {group(group_index),         form_of(i),    0,     0,    0,
                 dice_of(1001, (uint64_t)i), dice_of(7, 0), false, false};
  round.salt = (uint64_t)(i * 3 + group_index);
  round.local = dice_of(2002 + (uint64_t)i, (uint64_t)world_rank);
  round.root = (i / 2) % round.group->size;
  round.units = some_units(&round.common);
  context("%s: round %d, %s, group %s, root %d, %d units", name, i, form_name(round.form), round.group->name,
          round.root, round.units);
  return round;
}

int mpi_count(const Layout* of, int units) {
  return units * of->factor;
}

void for_all_rounds(const char* name, int rounds, void (*check)(Round)) {
  for (int g = 0; g < GROUP_COUNT; ++g)
    for (int i = 0; i < times(rounds); ++i)
      check(round_of(name, g, i));
}

const Layout* round_layout(Round* round, ptrdiff_t units) {
  const Layout* chosen = some_layout(&round->local, units);
  const bool refused = (round->one_item_per_unit && chosen->factor > 1) ||
                       (round->lower_bound_zero && chosen != layout(0) && chosen != layout(1));
  return refused ? layout(2) : chosen;
}

bool roll_in_place(Round* round) {
  const bool in_place = roll(&round->common, 3) == 0;
  context_add(in_place ? "in place" : "not in place");
  return in_place;
}

int* varied_units(Round* round) {
  int* units = malloc((size_t)round->group->size * sizeof *units);
  for (int r = 0; r < round->group->size; ++r)
    units[r] = roll(&round->common, 4) == 0 ? 0 : roll(&round->common, round->units + 1);
  return units;
}

Blocks blocks_of(Round* round, const int* units) {
  const int size = round->group->size;
  const size_t n = (size_t)size;
  Blocks blocks = {malloc(n * sizeof(int)),
                   malloc(n * sizeof(int)),
                   malloc(n * sizeof(int)),
                   malloc(n * sizeof(ptrdiff_t)),
                   NULL,
                   {0, 0}};
  memcpy(blocks.units, units, n * sizeof *units);
  ptrdiff_t at = roll(&round->local, 3), total = at + 2 * size;
  for (int r = 0; r < size; ++r)
    total += units[r];
  blocks.of = round_layout(round, total);
  const int first = roll(&round->local, size);
  for (int i = 0; i < size; ++i) {
    const int r = size - 1 - (first + i) % size;
    blocks.counts[r] = mpi_count(blocks.of, units[r]);
    blocks.displacements[r] = (int)at * blocks.of->factor;
    blocks.offsets[r] = at * blocks.of->extent;
    blocks.span = widen(blocks.span, blocks.of, blocks.offsets[r], units[r]);
    at += units[r] + roll(&round->local, 3);
  }
  return blocks;
}

void blocks_free(Blocks* blocks) {
  free(blocks->units);
  free(blocks->counts);
  free(blocks->displacements);
  free(blocks->offsets);
}
