/* SPDX-License-Identifier: BSD-3-Clause */
// conformance: checks that MPI's collectives and point-to-point calls do what the standard says, byte by
// byte.
//
//   conformance [--scale X] [--known name,...] [suite...]      all suites unless named
//
// Prints one line per suite that passed ("passed <suite>") at rank 0; a mismatch ends the job with status 3.
#include "layout.h"
#include "suites.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  const char* name;
  void (*run)(void);
} Suite;

static const Suite suites[] = {
    {"barrier", test_barrier},
    {"bcast", test_bcast},
    {"gather", test_gather},
    {"scatter", test_scatter},
    {"gatherv", test_gatherv},
    {"scatterv", test_scatterv},
    {"allgather", test_allgather},
    {"allgatherv", test_allgatherv},
    {"alltoall", test_alltoall},
    {"alltoallv", test_alltoallv},
    {"alltoallw", test_alltoallw},
    {"empty_types", test_empty_types},
    {"reduce", test_reduce},
    {"allreduce", test_allreduce},
    {"reduce_scatter", test_reduce_scatter},
    {"reduce_scatter_block", test_reduce_scatter_block},
    {"scan", test_scan},
    {"exscan", test_exscan},
    {"reduce_types", test_reduce_types},
    {"reduce_local", test_reduce_local},
    {"user_operations", test_user_operations},
    {"handle_reuse", test_handle_reuse},
    {"fast_path", test_fast_path},
    {"float_hash", test_float_hash},
    {"neighbor_cart", test_neighbor_cart},
    {"neighbor_graph", test_neighbor_graph},
    {"neighbor_dist_graph", test_neighbor_dist_graph},
    {"inter_moves", test_inter_moves},
    {"inter_reduce", test_inter_reduce},
    {"comm_makers", test_comm_makers},
    {"comm_many", test_comm_many},
    {"comm_attributes", test_comm_attributes},
    {"comm_errors", test_comm_errors},
    {"outstanding", test_outstanding},
    {"going_on_in_collectives", test_going_on_in_collectives},
    {"going_on_in_neighborhoods", test_going_on_in_neighborhoods},
    {"persistent_restart", test_persistent_restart},
    {"request_kinds", test_request_kinds},
    {"p2p_modes", test_p2p_modes},
    {"p2p_matching", test_p2p_matching},
    {"p2p_status", test_p2p_status},
    {"p2p_errors", test_p2p_errors},
    {"p2p_traffic", test_p2p_traffic},
    {"p2p_persistent", test_p2p_persistent},
    {"pcontrol", test_pcontrol},
};
enum { SUITE_COUNT = sizeof suites / sizeof suites[0], PATIENCE_SECONDS = 100 };

static Group groups[GROUP_COUNT];

const Group* group(int index) {
  return &groups[index];
}

int some_units(Dice* dice) {
  static const int few[] = {0, 1, 1, 2, 3, 5, 7, 16, 40, 130};
  const int kind = roll(dice, 40);
  if (kind == 0)
    return 4000;
  return kind == 1 ? 700 : few[roll(dice, (int)(sizeof few / sizeof few[0]))];
}

static void groups_make(void) {
  groups[0] = (Group){"world", MPI_COMM_WORLD, 0, 0};
  groups[1].name = "reversed world";
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &groups[1].comm));
  groups[2].name = "half of the world";
  MUST(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &groups[2].comm));
  for (int g = 0; g < GROUP_COUNT; ++g) {
    MUST(MPI_Comm_rank(groups[g].comm, &groups[g].rank));
    MUST(MPI_Comm_size(groups[g].comm, &groups[g].size));
  }
}

static void run(const Suite* suite) {
  context("%s", suite->name);
  be_patient(PATIENCE_SECONDS);
  suite->run();
  context("%s: the barrier after it", suite->name);
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  if (world_rank == 0) {
    printf("passed %s\n", suite->name);
    fflush(stdout);
  }
}

static const Suite* suite_named(const char* name) {
  for (int i = 0; i < SUITE_COUNT; ++i)
    if (strcmp(suites[i].name, name) == 0)
      return &suites[i];
  fail("there is no suite %s", name);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  layouts_make();
  groups_make();
  for (int i = 0; argc == 1 && i < SUITE_COUNT; ++i)
    run(&suites[i]);
  for (int i = 1; i < argc; ++i)
    run(suite_named(argv[i]));
  for (int g = 1; g < GROUP_COUNT; ++g)
    MUST(MPI_Comm_free(&groups[g].comm));
  layouts_free();
  end();
  be_patient(0);
  return 0;
}
