/* SPDX-License-Identifier: BSD-3-Clause */
// Who is whose neighbor in a topology, known to every rank without asking MPI.
#pragma once

#include "check.h"

enum { NEIGHBORS_MAX = 40, RANKS_MAX = 64 };

typedef struct {
  int count;
  int ranks[NEIGHBORS_MAX]; // MPI_PROC_NULL where a grid ends
} Neighbors;

typedef struct {
  int size;
  Neighbors sources[RANKS_MAX];
  Neighbors destinations[RANKS_MAX];
} Graph;

// All neighborhood collectives on `comm`, whose topology is `graph`, with expectations computed here.
void check_neighborhood(const char* name, const Graph* graph, MPI_Comm comm, bool grid, int rounds);
