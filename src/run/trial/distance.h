/* SPDX-License-Identifier: BSD-3-Clause */
/* How far cores are apart: what a cache line takes there and back, and what it takes to write a block for
 * another core and to read it there.
 *
 * The least of some samples counts, as all that disturbs makes them longer. A wait for a core that is away
 * ends after a while, and the distance is then not known.
 */
#ifndef THALWEG_DISTANCE_H
#define THALWEG_DISTANCE_H

enum { distance_block = 32 << 10 }; /* bytes */

/* Seconds; 0: not known. */
struct core_distance {
  double round_trip, block_write, block_read;
};

/* Of two processors of this host, by two threads of this process that each stay on one of them. */
struct core_distance measure_processors(int one, int other);

/* Writes the numbers of the processors from `first` to `last` that this process could use; returns how many.
 */
int usable_processors(int first, int last, double* numbers, int room);

/* Gives the ranks of each node lines to look with, if each has a core of its own. To be called by all ranks.
 */
void share_lines(int have_cores);

/* What a line takes between this rank and its neighbor on the node, there and back; of pairs one rank knows
 * it. All ranks call this at about the same time. */
double look_at_neighbor(void);

#endif
