/* SPDX-License-Identifier: BSD-3-Clause */
// One repetition of a data-movement check, and the blocks of varied size that the v-variants move.
#pragma once

#include "forms.h"
#include "layout.h"
#include "suites.h"

typedef struct {
  const Group* group;
  Form form;
  int root;
  int units;
  uint64_t salt;
  Dice common; // rolls alike on all ranks
  Dice local;  // rolls differently on each
  // Restrictions where this MPI breaks otherwise:
  bool one_item_per_unit;
  bool lower_bound_zero;
} Round;

Round round_of(const char* name, int group_index, int i);
// `rounds` repetitions on every group.
void for_all_rounds(const char* name, int rounds, void (*check)(Round));
// A layout for so many consecutive units, chosen by each rank for itself.
const Layout* round_layout(Round* round, ptrdiff_t units);
// Whether this repetition is in place where that is possible, alike on all ranks.
bool roll_in_place(Round* round);
// How many items of the layout's type so many units are.
int mpi_count(const Layout* of, int units);

// Blocks of varied size in a varied order with gaps: what the root of a v-variant holds, one block per rank.
typedef struct {
  int* units;
  int* counts;        // in items of the layout's type
  int* displacements; // in item extents
  ptrdiff_t* offsets; // in bytes
  const Layout* of;
  Span span;
} Blocks;

// Places blocks of these sizes; order, gaps and layout are rolled on this rank's own dice. Takes a copy of
// `units`.
Blocks blocks_of(Round* round, const int* units);
void blocks_free(Blocks* blocks);
// Sizes of one block per rank, alike on all ranks: some empty, none over round->units. To be freed.
int* varied_units(Round* round);
