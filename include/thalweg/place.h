/* SPDX-License-Identifier: BSD-3-Clause */
/* Placing: the ranks of a communicator, numbered so that ranks that send each other much are near each
 * other in the machine.
 *
 * Each rank states how much it will send to which others. The call returns a communicator of the same
 * processes, in which the process best suited to the traffic of rank r has number r (docs/placing.md).
 * Programs therefore call it before they distribute data, and take their parts by the new rank. Ranks keep
 * their numbers unless others are surely better.
 *
 * Failures are described in thalweg/status.h. An error in one rank's arguments fails on all of them.
 *
 * Link with libthalweg-place-openmpi or libthalweg-place-mpich. */
#ifndef THALWEG_PLACE_H
#define THALWEG_PLACE_H

#include "thalweg/status.h"

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* thalweg_weight: from interfaces/place.toml */
/* A rank's traffic to another. Weights to oneself do not count, and those to the same rank add up. */
typedef struct thalweg_weight {
  int rank;     /* in the communicator */
  double bytes; /* from 0; any unit, if it is the same on all ranks */
  int phase;    /* from 0; traffic of different phases of the program shares no links */
} thalweg_weight;
/* end of thalweg_weight */

/* thalweg_reorder_options: from interfaces/place.toml */
/* The same on all ranks. */
typedef struct thalweg_reorder_options {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_reorder_options));
  /* the quantity to be minimized: hop-bytes, link, contention, time, or a mixture, as "hop-
   * bytes:1,link:2" (docs/placement.md). NULL: "hop-bytes:1,contention:1" */
  const char* objective THALWEG_DEFAULT(NULL);
  double seconds THALWEG_DEFAULT(0.05); /* for which the first rank searches, while the others wait */
  /* ranks are renumbered if at least this part of the objective is predicted to be saved, from 0 to 1 */
  double gain THALWEG_DEFAULT(0.2);
  /* the shape of the network between the nodes, as "torus:4x2". NULL: that of the machine file
   * (THALWEG_MACHINE, or the last probe's); if it is not known, nodes are equally far from each other */
  const char* network THALWEG_DEFAULT(NULL);
  /* a file with the places of hosts in it. NULL and no network: THALWEG_NODE_LIST, or the machine
   * file's; NULL and a network: nodes have the places 0, 1, … in the order of their first ranks */
  const char* node_list THALWEG_DEFAULT(NULL);
} thalweg_reorder_options;
#define THALWEG_REORDER_OPTIONS_INIT                                                                         \
  { sizeof(thalweg_reorder_options), NULL, 0.05, 0.2, NULL, NULL }
/* end of thalweg_reorder_options */

/* thalweg_reordering: from interfaces/place.toml */
/* The result, the same on all ranks. */
typedef struct thalweg_reordering {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_reordering));
  int is_renumbered;    /* 0: ranks have kept their numbers */
  double hops_per_byte; /* predicted, of the ranks as they are numbered now */
  double hops_per_byte_before;
  double link_bytes; /* on the most loaded link, each phase's added up */
  double link_bytes_before;
  char reason[160]; /* in words */
} thalweg_reordering;
#define THALWEG_REORDERING_INIT                                                                              \
  { sizeof(thalweg_reordering), 0, 0, 0, 0, 0, "" }
/* end of thalweg_reordering */

/* Collective. Gives a new communicator of the same ranks, without attributes and without a topology; free it
 * with MPI_Comm_free(). `weights` has `count` entries, and may be NULL if there are none. Options and `found`
 * may be NULL. Fails on all ranks for a rank that is none in the communicator, bytes below 0 or no number,
 * and options that are none or not the same on all ranks. */
THALWEG_API thalweg_status thalweg_reorder(MPI_Comm communicator, const thalweg_weight* weights, size_t count,
                                           const thalweg_reorder_options* options, MPI_Comm* reordered,
                                           thalweg_reordering* found);

#ifdef __cplusplus
}
#endif

#endif
