/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancing: the ranks of a communicator hand each other tasks, so that all have the same amount of work.
 *
 * Each rank reports its load. Ranks agree on who sends how much to whom, and the tasks move. No rank
 * gathers more than a few words from each other rank, and with many ranks none gathers anything: those
 * find each other by prefix sums, in O(log P) rounds (docs/balance.md). A program can also ask for its
 * messages alone, and send its tasks itself.
 *
 * Failures are described in thalweg/status.h. An error in one rank's arguments fails on all of them, and
 * nothing has moved. One thread at a time may use a balancer. It has to be freed before MPI_Finalize().
 *
 * Link with libthalweg-balance-openmpi or libthalweg-balance-mpich. */
#ifndef THALWEG_BALANCE_H
#define THALWEG_BALANCE_H

#include "thalweg/request.h"
#include "thalweg/status.h"
#include "thalweg/version.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thalweg_balancer thalweg_balancer;

/* thalweg_balance_scheme: from interfaces/balance.toml */
/* How ranks serve each other. */
typedef enum thalweg_balance_scheme {
  thalweg_balance_sweep = 0, /* the fewest tasks move */
  thalweg_balance_alias = 1  /* each rank receives from one other at most */
} thalweg_balance_scheme;
/* end of thalweg_balance_scheme */

/* thalweg_balance_spread: from interfaces/balance.toml */
/* The ranks that get the remainder. */
typedef enum thalweg_balance_spread {
  thalweg_balance_even = 0,  /* loads differ by 1 at most */
  thalweg_balance_capped = 1 /* nobody has more than the rounded-up share; fewer messages */
} thalweg_balance_spread;
/* end of thalweg_balance_spread */

/* thalweg_balancer_options: from interfaces/balance.toml */
/* Options of a balancer, the same on all ranks. Zeros and NULL: the best by Thalweg's judgment. */
typedef struct thalweg_balancer_options {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_balancer_options));
  /* All ranks, in the order in which they serve each other: near ones after each other. NULL: the ranks
   * of a node follow each other, and those of a socket, and otherwise the numbers count. */
  const int* order THALWEG_DEFAULT(NULL);
  /* Up to so many ranks gather all loads, in log2 P rounds; more use prefix sums. -1: always prefix
   * sums. */
  int gathered_ranks THALWEG_DEFAULT(0);
} thalweg_balancer_options;
#define THALWEG_BALANCER_OPTIONS_INIT                                                                        \
  { sizeof(thalweg_balancer_options), NULL, 0 }
/* end of thalweg_balancer_options */

/* thalweg_balance_options: from interfaces/balance.toml */
/* Options of a call, the same on all ranks except for `speed` and `load_seconds`. */
typedef struct thalweg_balance_options {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_balance_options));
  /* sweep is used if ranks differ in speed, or if the spread is capped */
  thalweg_balance_scheme scheme THALWEG_DEFAULT(thalweg_balance_alias);
  thalweg_balance_spread spread THALWEG_DEFAULT(thalweg_balance_even);
  /* this rank's work in a given time, relative to others; loads become proportional. 0: 1 */
  double speed THALWEG_DEFAULT(0);
  /* tasks move if the slowest rank takes over 1 + this times as long as the mean */
  double threshold THALWEG_DEFAULT(0);
  /* how long a task (or a weight of 1) takes a rank of mean speed; the longest counts. Tasks then move
   * only if they save more time than moving takes. 0: unknown */
  double load_seconds THALWEG_DEFAULT(0);
  /* how often loads are worked through until they are balanced again. 0: once */
  double steps THALWEG_DEFAULT(0);
  /* the saving, as a multiple of the exchange's time, from which tasks move. 0: 1.5 */
  double hysteresis THALWEG_DEFAULT(0);
  /* the smallest saving from which tasks move, if load_seconds is known. 0: any */
  double min_gain_seconds THALWEG_DEFAULT(0);
} thalweg_balance_options;
#define THALWEG_BALANCE_OPTIONS_INIT                                                                         \
  { sizeof(thalweg_balance_options), thalweg_balance_alias, thalweg_balance_even, 0, 0, 0, 0, 0, 0 }
/* end of thalweg_balance_options */

/* thalweg_transfer: from interfaces/balance.toml */
/* A message of this rank. */
typedef struct thalweg_transfer {
  int rank;      /* of the other end */
  int64_t tasks; /* above 0: sent there; below: received from there */
} thalweg_transfer;
/* end of thalweg_transfer */

/* Collective. The communicator is duplicated, and may be freed. Options may be NULL. */
#define thalweg_balancer_create(...) thalweg_balancer_create_for(THALWEG_HEADER_VERSION, __VA_ARGS__)
THALWEG_API thalweg_status thalweg_balancer_create_for(int header_version, MPI_Comm communicator,
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

/* thalweg_tasks: from interfaces/balance.toml */
/* A rank's tasks. They are read, and not written. */
typedef struct thalweg_tasks {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_tasks));
  size_t count THALWEG_DEFAULT(0);
  const void* tasks THALWEG_DEFAULT(NULL); /* one after the other; NULL if there is `pack` */
  size_t task_bytes THALWEG_DEFAULT(0);    /* of each, the same on all ranks; 0 if there is `pack` */
  /* The work of each, from 0, in any unit. NULL on all ranks: all have the same. Not NULL on a rank
   * without tasks if others have weights. */
  const double* weights THALWEG_DEFAULT(NULL);
  /* For tasks that have pointers: on all ranks or NULL. Writes tasks first .. end - 1 one after the
   * other, if they need no more than `room` bytes, and returns the bytes that they need. A second call
   * may offer more room. SIZE_MAX: it has failed, and so the call fails on all ranks. */
  size_t (*pack)(void* context, size_t first, size_t end, void* to, size_t room) THALWEG_DEFAULT(NULL);
  void* context THALWEG_DEFAULT(NULL);
} thalweg_tasks;
#define THALWEG_TASKS_INIT                                                                                   \
  { sizeof(thalweg_tasks), 0, NULL, 0, NULL, NULL, NULL }
/* end of thalweg_tasks */

/* thalweg_moved: from interfaces/balance.toml */
/* The tasks after the exchange. The first `kept` are still this rank's, and the others are gone. */
typedef struct thalweg_moved {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_moved));
  size_t kept;
  size_t arrived; /* the number of tasks that have come */
  /* these, one after the other, aligned to 64; the balancer's, until it is called again */
  const void* tasks;
  size_t bytes;            /* of all of them */
  int was_worth;           /* 0: none has moved on any rank, as it would not have paid */
  double imbalance;        /* before: time of the slowest rank over that of even loads */
  double gain_seconds;     /* the time that moving was predicted to save; 0 without load_seconds */
  double exchange_seconds; /* the time that it was predicted to take */
} thalweg_moved;
#define THALWEG_MOVED_INIT                                                                                   \
  { sizeof(thalweg_moved), 0, 0, NULL, 0, 0, 0, 0, 0 }
/* end of thalweg_moved */

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
/* The tasks after the last move. Waits for its end, unless another call has. */
THALWEG_API thalweg_status thalweg_balance_moved(thalweg_balancer* balancer, thalweg_moved* moved);

#ifdef __cplusplus
}
#endif

#endif
