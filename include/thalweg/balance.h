/* Balancing: the ranks of a communicator hand each other tasks, so that all have equally much to do.
 *
 * Each rank says what it has. Ranks agree on who sends how much to whom, and the tasks move. Nobody gathers
 * more than a few words of each rank, and of many ranks nobody gathers anything: those find each other by
 * prefix sums, in O(log P) rounds (docs/balance.md). A program can also ask for its messages alone, and send
 * its tasks itself.
 *
 * Failures are described in thalweg/status.h. What one rank gives wrong fails on all of them, and nothing has
 * moved. One thread at a time may use a balancer. It has to be freed before MPI_Finalize().
 *
 * Link with libthalweg-balance-openmpi or libthalweg-balance-mpich. */
#ifndef THALWEG_BALANCE_H
#define THALWEG_BALANCE_H

#include "thalweg/request.h"
#include "thalweg/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thalweg_balancer thalweg_balancer;

/* How ranks serve each other. */
typedef enum thalweg_balance_scheme {
  thalweg_balance_sweep, /* the fewest tasks move */
  thalweg_balance_alias  /* each rank receives from one other at most */
} thalweg_balance_scheme;

/* Where a remainder goes. */
typedef enum thalweg_balance_spread {
  thalweg_balance_even,  /* loads differ by 1 at most */
  thalweg_balance_capped /* nobody has more than the rounded-up share; fewer messages */
} thalweg_balance_spread;

/* Of a balancer, the same on all ranks. Zeros and NULL: what Thalweg thinks best. */
typedef struct thalweg_balancer_options {
  /* All ranks, in the order in which they serve each other: near ones after each other. NULL: those of a node
   * one after the other, and of a socket, else as they are numbered. */
  const int* order;
  /* Up to so many ranks gather what all have, in log2 P rounds; more use prefix sums. -1: always those. */
  int gathered_ranks;
} thalweg_balancer_options;

/* Of a call. The same on all ranks but `speed` and `load_seconds`. Start from THALWEG_BALANCE_DEFAULTS. */
typedef struct thalweg_balance_options {
  thalweg_balance_scheme scheme; /* sweep is taken where ranks differ in speed, or the spread is capped */
  thalweg_balance_spread spread;
  double speed;        /* what this rank does in the same time as others; loads become proportional. 0: 1 */
  double threshold;    /* tasks move where the slowest rank takes over 1 + this times as long as the mean */
  double load_seconds; /* how long a task (or a weight of 1) takes a rank of mean speed; the longest counts.
                          Then tasks move where that saves more time than it takes. 0: unknown */
  double steps;        /* how often loads are worked through until they are balanced again. 0: once */
  double hysteresis;   /* how many times what the exchange takes has to be saved. 0: 1.5 */
  double min_gain_seconds; /* and at least so much, where load_seconds is known. 0: anything */
} thalweg_balance_options;

#define THALWEG_BALANCE_DEFAULTS                                                                             \
  { thalweg_balance_alias, thalweg_balance_even, 0, 0, 0, 0, 0, 0 }

/* A message of this rank. */
typedef struct thalweg_transfer {
  int rank;      /* of the other end */
  int64_t tasks; /* above 0: sent there; below: received from there */
} thalweg_transfer;

/* Collective. The communicator is duplicated, and may be freed. Options may be NULL. */
THALWEG_API thalweg_status thalweg_balancer_create(MPI_Comm communicator,
                                                   const thalweg_balancer_options* options,
                                                   thalweg_balancer** balancer);
/* Collective. Frees the balancer and sets it to NULL; NULL is left alone. Tasks that are on their way arrive
 * before, and are lost. */
THALWEG_API thalweg_status thalweg_balancer_free(thalweg_balancer** balancer);

/* Collective. Gives this rank's messages, first those that it sends; they belong to the balancer, and are
 * valid until it is called again. All can leave before any has come. Behind them, loads differ by 1 at most.
 * Fails on all ranks where the tasks of one are below 0, or those of all are over 2^61. */
THALWEG_API thalweg_status thalweg_balancer_flow(thalweg_balancer* balancer, int64_t tasks,
                                                 thalweg_balance_scheme scheme,
                                                 const thalweg_transfer** transfers, size_t* count);

/* A rank's tasks. They are read, and not written. */
typedef struct thalweg_tasks {
  size_t count;
  const void* tasks; /* one after the other; NULL where there is `pack` */
  size_t task_bytes; /* of each, the same on all ranks; 0 where there is `pack` */
  /* What each has to do, from 0, in any unit. NULL on all ranks: all the same. Not NULL on a rank without
   * tasks where others have weights. */
  const double* weights;
  /* For tasks that have pointers: on all ranks or NULL. Writes tasks first .. end - 1 one after the other, if
   * they need no more than `room` bytes, and gives what they need; it may be called again, with more room.
   * SIZE_MAX: it has failed, and so the call fails on all ranks. */
  size_t (*pack)(void* context, size_t first, size_t end, void* to, size_t room);
  void* context;
} thalweg_tasks;

/* What has become of them. The first `kept` are still this rank's, and the others are gone. */
typedef struct thalweg_moved {
  size_t kept;
  size_t arrived;    /* how many have come */
  const void* tasks; /* those, one after the other, aligned to 64; the balancer's, until it is called again */
  size_t bytes;      /* of all of them */
  int was_worth;     /* 0: none has moved on any rank, as it would not have paid */
  double imbalance;  /* before: time of the slowest rank over that of even loads */
  double gain_seconds;     /* what moving was predicted to save; 0 without load_seconds */
  double exchange_seconds; /* and to take */
} thalweg_moved;

/* Collective. Moves tasks, so that loads differ by 1 at most. Weighted ones: by alias, a rank ends within one
 * and a half times the heaviest task's weight of its share; by sweep, one that receives from m others within
 * (m + 1) / 2 times. Options may be NULL. */
THALWEG_API thalweg_status thalweg_balance_tasks(thalweg_balancer* balancer, const thalweg_tasks* tasks,
                                                 const thalweg_balance_options* options,
                                                 thalweg_moved* moved);
/* The same, begun: it goes on in calls of the balancer and of the request (thalweg/request.h), one at a time.
 * Until the request has finished, tasks and weights may be read, and those that are kept may be written. */
THALWEG_API thalweg_status thalweg_balance_start(thalweg_balancer* balancer, const thalweg_tasks* tasks,
                                                 const thalweg_balance_options* options,
                                                 thalweg_request** request);
/* Goes on until ranks have agreed, and says how many tasks are kept; others may still be on their way. */
THALWEG_API thalweg_status thalweg_balance_kept(thalweg_balancer* balancer, size_t* kept);
/* What has become of the tasks of the last move. Waits for its end, if nobody has. */
THALWEG_API thalweg_status thalweg_balance_moved(thalweg_balancer* balancer, thalweg_moved* moved);

#ifdef __cplusplus
}
#endif

#endif
