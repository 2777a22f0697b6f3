/* Balancing: which tasks the ranks of a communicator hand to each other so that all have equally many.
 *
 * Each rank says how many it has, and learns to whom it sends and from whom it receives how many. Nothing is
 * moved: the program sends its tasks itself. Ranks find each other in O(log P) rounds of messages, from
 * prefix sums; nobody gathers all counts. They serve each other in the order of the communicator, so make it
 * one in which neighbors are near (docs/balance.md).
 *
 * Failures are described in thalweg/status.h. One thread at a time may use a balancer. It has to be freed
 * before MPI_Finalize().
 *
 * Link with libthalweg-balance-openmpi or libthalweg-balance-mpich. */
#ifndef THALWEG_BALANCE_H
#define THALWEG_BALANCE_H

#include "thalweg/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thalweg_balancer thalweg_balancer;

/* How ranks serve each other; the same on all. */
typedef enum thalweg_balance_scheme {
  thalweg_balance_sweep, /* the fewest tasks move */
  thalweg_balance_alias  /* each rank receives from one other at most */
} thalweg_balance_scheme;

/* A message of this rank. */
typedef struct thalweg_transfer {
  int rank;      /* of the other end */
  int64_t tasks; /* above 0: sent there; below: received from there */
} thalweg_transfer;

/* Collective. The communicator is duplicated, and may be freed. */
THALWEG_API thalweg_status thalweg_balancer_create(MPI_Comm communicator, thalweg_balancer** balancer);
/* Collective. Frees the balancer and sets it to NULL; NULL is left alone. */
THALWEG_API thalweg_status thalweg_balancer_free(thalweg_balancer** balancer);

/* Collective. Gives this rank's messages, first those that it sends; they belong to the balancer, and are
 * valid until it is called again. All can leave before any has come. Behind them, loads differ by 1 at most.
 * Fails on all ranks where the tasks of one are below 0, or those of all are over 2^61. */
THALWEG_API thalweg_status thalweg_balancer_flow(thalweg_balancer* balancer, int64_t tasks,
                                                 thalweg_balance_scheme scheme,
                                                 const thalweg_transfer** transfers, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
