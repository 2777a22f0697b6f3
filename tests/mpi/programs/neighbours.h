// Who is whose neighbour in a topology, known to every rank without asking MPI.
#pragma once

#include "check.h"

enum { NEIGHBOURS_MAX = 40, RANKS_MAX = 64 };

typedef struct {
  int count;
  int ranks[NEIGHBOURS_MAX]; // MPI_PROC_NULL where a grid ends
} Neighbours;

typedef struct {
  int size;
  Neighbours sources[RANKS_MAX];
  Neighbours destinations[RANKS_MAX];
} Graph;

// All neighbourhood collectives on `comm`, whose topology is `graph`, with expectations computed here.
void check_neighbourhood(const char* name, const Graph* graph, MPI_Comm comm, bool grid, int rounds);
