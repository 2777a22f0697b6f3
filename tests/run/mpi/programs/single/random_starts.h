/* SPDX-License-Identifier: BSD-3-Clause */
// How random calls are made, blocking or not.
#pragma once

#include "single/random_call.h"

static void start_blocking(Call* call) {
  const MPI_Datatype type = MPI_UINT64_T;
  const MPI_Comm comm = call->communicator;
  const int n = call->words, root = call->root;
  void* const out = call->output;
  const void* const in = call->in_place ? MPI_IN_PLACE : call->input;
  switch (call->operation) {
  case op_barrier:
    MUST(MPI_Barrier(comm));
    break;
  case op_bcast:
    MUST(MPI_Bcast(out, n, type, root, comm));
    break;
  case op_reduce:
    MUST(MPI_Reduce(in, out, n, type, MPI_SUM, root, comm));
    break;
  case op_allreduce:
    MUST(MPI_Allreduce(in, out, n, type, MPI_SUM, comm));
    break;
  case op_scan:
    MUST(MPI_Scan(in, out, n, type, MPI_SUM, comm));
    break;
  case op_exscan:
    MUST(MPI_Exscan(in, out, n, type, MPI_SUM, comm));
    break;
  case op_gather:
    MUST(MPI_Gather(in, n, type, out, n, type, root, comm));
    break;
  case op_scatter:
    MUST(MPI_Scatter(call->input, n, type, call->in_place ? MPI_IN_PLACE : out, n, type, root, comm));
    break;
  case op_allgather:
    MUST(MPI_Allgather(in, n, type, out, n, type, comm));
    break;
  case op_alltoall:
    MUST(MPI_Alltoall(in, n, type, out, n, type, comm));
    break;
  case op_alltoallv:
    MUST(MPI_Alltoallv(in, call->counts_out, call->places_out, type, out, call->counts_in, call->places_in,
                       type, comm));
    break;
  default:
    MUST(MPI_Reduce_scatter_block(in, out, n, type, MPI_SUM, comm));
  }
}

static void start_nonblocking(Call* call) {
  const MPI_Datatype type = MPI_UINT64_T;
  const MPI_Comm comm = call->communicator;
  const int n = call->words, root = call->root;
  void* const out = call->output;
  const void* const in = call->in_place ? MPI_IN_PLACE : call->input;
  MPI_Request* const request = &call->request;
  switch (call->operation) {
  case op_barrier:
    MUST(MPI_Ibarrier(comm, request));
    break;
  case op_bcast:
    MUST(MPI_Ibcast(out, n, type, root, comm, request));
    break;
  case op_reduce:
    MUST(MPI_Ireduce(in, out, n, type, MPI_SUM, root, comm, request));
    break;
  case op_allreduce:
    MUST(MPI_Iallreduce(in, out, n, type, MPI_SUM, comm, request));
    break;
  case op_scan:
    MUST(MPI_Iscan(in, out, n, type, MPI_SUM, comm, request));
    break;
  case op_exscan:
    MUST(MPI_Iexscan(in, out, n, type, MPI_SUM, comm, request));
    break;
  case op_gather:
    MUST(MPI_Igather(in, n, type, out, n, type, root, comm, request));
    break;
  case op_scatter:
    MUST(MPI_Iscatter(call->input, n, type, call->in_place ? MPI_IN_PLACE : out, n, type, root, comm,
                      request));
    break;
  case op_allgather:
    MUST(MPI_Iallgather(in, n, type, out, n, type, comm, request));
    break;
  case op_alltoall:
    MUST(MPI_Ialltoall(in, n, type, out, n, type, comm, request));
    break;
  case op_alltoallv:
    MUST(MPI_Ialltoallv(in, call->counts_out, call->places_out, type, out, call->counts_in, call->places_in,
                        type, comm, request));
    break;
  default:
    MUST(MPI_Ireduce_scatter_block(in, out, n, type, MPI_SUM, comm, request));
  }
}
