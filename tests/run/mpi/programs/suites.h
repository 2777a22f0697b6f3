/* SPDX-License-Identifier: BSD-3-Clause */
// The suites of the program `conformance`; main.c has the table.
#pragma once

#include "check.h"

// A communicator that the suites run on, with what everyone wants to know of it.
typedef struct {
  const char* name;
  MPI_Comm comm;
  int rank;
  int size;
} Group;

enum { GROUP_COUNT = 3 };
// The world, the world in reverse order, and the world's two halves (even and odd ranks).
const Group* group(int index);

// Arguments that MPI calls insignificant: whoever looks at them crashes or is told off.
#define NOWHERE ((void*)16)
enum { NO_COUNT = -7, NO_ROOT = -77 };

// How many units a repetition moves: mostly few, sometimes none, rarely enough for a rendezvous.
int some_units(Dice* dice);

void test_barrier(void);
void test_bcast(void);
void test_gather(void);
void test_scatter(void);
void test_gatherv(void);
void test_scatterv(void);
void test_allgather(void);
void test_allgatherv(void);
void test_alltoall(void);
void test_alltoallv(void);
void test_alltoallw(void);
void test_empty_types(void);
void test_reduce(void);
void test_allreduce(void);
void test_reduce_scatter(void);
void test_reduce_scatter_block(void);
void test_scan(void);
void test_exscan(void);
void test_reduce_types(void);
void test_reduce_local(void);
void test_user_operations(void);
void test_handle_reuse(void);
void test_fast_path(void);
void test_float_hash(void);
void test_neighbor_cart(void);
void test_neighbor_graph(void);
void test_neighbor_dist_graph(void);
void test_inter_moves(void);
void test_inter_reduce(void);
void test_comm_makers(void);
void test_comm_many(void);
void test_comm_attributes(void);
void test_comm_errors(void);
void test_outstanding(void);
void test_going_on_in_collectives(void);
void test_going_on_in_neighborhoods(void);
void test_persistent_restart(void);
void test_request_kinds(void);
void test_p2p_modes(void);
void test_p2p_matching(void);
void test_p2p_status(void);
void test_p2p_errors(void);
void test_p2p_traffic(void);
void test_p2p_persistent(void);
void test_pcontrol(void);
