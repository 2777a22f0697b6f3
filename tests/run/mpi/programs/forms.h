/* SPDX-License-Identifier: BSD-3-Clause */
// Every collective in every form that the library has: blocking, non-blocking, persistent, each also with
// large counts.
//
// `form_bcast(form, ...)` and so on take MPI_Bcast's arguments and return when the operation is complete at
// this rank.
#pragma once

#include "check.h"

typedef enum { BLOCKING, NONBLOCKING, PERSISTENT, BLOCKING_C, NONBLOCKING_C, PERSISTENT_C, FORM_COUNT } Form;

bool form_exists(Form form);
// The form for repetition i: goes round those that exist.
Form form_of(int i);
const char* form_name(Form form);
/// Does MPI_Reduce in place work natively at this root?
bool form_reduces_in_place(Form form, int root);

void form_barrier(Form form, MPI_Comm comm);
void form_bcast(Form form, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
void form_gather(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                 MPI_Datatype to_type, int root, MPI_Comm comm);
void form_gatherv(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                  const int* to_counts, const int* to_displacements, MPI_Datatype to_type, int root,
                  MPI_Comm comm);
void form_scatter(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                  MPI_Datatype to_type, int root, MPI_Comm comm);
void form_scatterv(Form form, const void* from, const int* from_counts, const int* from_displacements,
                   MPI_Datatype from_type, void* to, int to_count, MPI_Datatype to_type, int root,
                   MPI_Comm comm);
void form_allgather(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                    int to_count, MPI_Datatype to_type, MPI_Comm comm);
void form_allgatherv(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                     const int* to_counts, const int* to_displacements, MPI_Datatype to_type, MPI_Comm comm);
void form_alltoall(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                   int to_count, MPI_Datatype to_type, MPI_Comm comm);
void form_alltoallv(Form form, const void* from, const int* from_counts, const int* from_displacements,
                    MPI_Datatype from_type, void* to, const int* to_counts, const int* to_displacements,
                    MPI_Datatype to_type, MPI_Comm comm);
void form_alltoallw(Form form, const void* from, const int* from_counts, const int* from_displacements,
                    const MPI_Datatype* from_types, void* to, const int* to_counts,
                    const int* to_displacements, const MPI_Datatype* to_types, MPI_Comm comm);
void form_reduce(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm);
void form_allreduce(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm);
void form_reduce_scatter(Form form, const void* from, void* to, const int* counts, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm);
void form_reduce_scatter_block(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm);
void form_scan(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void form_exscan(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm);
void form_neighbor_allgather(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                             int to_count, MPI_Datatype to_type, MPI_Comm comm);
void form_neighbor_allgatherv(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                              const int* to_counts, const int* to_displacements, MPI_Datatype to_type,
                              int sources, MPI_Comm comm);
void form_neighbor_alltoall(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                            int to_count, MPI_Datatype to_type, MPI_Comm comm);
void form_neighbor_alltoallv(Form form, const void* from, const int* from_counts,
                             const int* from_displacements, MPI_Datatype from_type, void* to,
                             const int* to_counts, const int* to_displacements, MPI_Datatype to_type,
                             int sources, int destinations, MPI_Comm comm);
void form_neighbor_alltoallw(Form form, const void* from, const int* from_counts,
                             const MPI_Aint* from_displacements, const MPI_Datatype* from_types, void* to,
                             const int* to_counts, const MPI_Aint* to_displacements,
                             const MPI_Datatype* to_types, int sources, int destinations, MPI_Comm comm);
