// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Communicators that the program makes with a topology and lets be numbered anew (reorder): their ranks are
// put near those that they are linked with. What MPI calls a rank's neighbors stays the same; which process
// has the rank changes. Where we look after that, the library is not asked to reorder: Open MPI 4.1's own way
// ends programs whose ranks are each on a node of their own.

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

int make_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                     MPI_Comm* newcomm);
int make_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
                      MPI_Comm* newcomm);
int make_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info info, int reorder,
                           MPI_Comm* newcomm);
int make_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree, const int destinations[],
                                    const int destweights[], MPI_Info info, int reorder, MPI_Comm* newcomm);

} // namespace thalweg::mpi
