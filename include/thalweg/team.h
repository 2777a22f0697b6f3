/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams: collectives on memory that ranks share or reach, for programs that want more than MPI's own.
 *
 * A team is made from an MPI communicator and has its own ranks from 0 on. Every call here is collective over
 * its team unless it says otherwise, and all ranks of a team make the same calls in the same order. Failures
 * are described in thalweg/status.h. One thread at a time may use a team. A team has to be freed before
 * MPI_Finalize().
 *
 * Link with libthalweg-team-openmpi or libthalweg-team-mpich. C++ programs include thalweg/team.hpp. */
#ifndef THALWEG_TEAM_H
#define THALWEG_TEAM_H

#include "thalweg/request.h"
#include "thalweg/status.h"
#include "thalweg/version.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thalweg_team thalweg_team;

/* --- teams --- */

/* The team of a communicator's ranks, in its order. The communicator is duplicated, and may be freed. */
#define thalweg_team_create(...) thalweg_team_create_for(THALWEG_HEADER_VERSION, __VA_ARGS__)
THALWEG_API thalweg_status thalweg_team_create_for(int header_version, MPI_Comm communicator,
                                                   thalweg_team** team);
/* One team for each color, its ranks by key, then by rank; a negative color: no team (NULL). */
THALWEG_API thalweg_status thalweg_team_split(thalweg_team* team, int color, int key, thalweg_team** part);
/* The ranks listed, in that order; NULL on the others. */
THALWEG_API thalweg_status thalweg_team_subset(thalweg_team* team, int count, const int ranks[],
                                               thalweg_team** subset);
/* The ranks that own the blocks of a distributed array, owners[b] that of block b, in the order of their
 * first blocks; NULL on ranks that own none. */
THALWEG_API thalweg_status thalweg_team_of_blocks(thalweg_team* team, size_t blocks, const int owners[],
                                                  thalweg_team** owning);
/* Waits until everything that this rank has started on the team has finished, ends the team and its memory,
 * and sets *team to NULL; NULL is left alone. After MPI_Finalize() it cannot wait: it sets *team to NULL,
 * keeps the memory, and fails. */
THALWEG_API thalweg_status thalweg_team_free(thalweg_team** team);

/* Not collective. -1 and 0 for NULL, which is the team of ranks that are in none. */
THALWEG_API int thalweg_team_rank(const thalweg_team* team);
THALWEG_API int thalweg_team_size(const thalweg_team* team);

/* The strategies that run from now on, in the grammar of THALWEG_USE
 * ("broadcast=knomial:radix=4;barrier=flat"). Calls that are not named follow the tuning file, or else the
 * model with the figures of the probed machine (docs/teams.md). A team begins with THALWEG_USE; selections
 * that no team can run are ignored there, and an error here: the library's own, the network card's (nic),
 * and calls that teams lack. */
THALWEG_API thalweg_status thalweg_team_use(thalweg_team* team, const char* selections);

/* --- symmetric memory --- */

/* As many bytes on every rank, zeros, aligned to pages. Ranks of a node reach each other's directly. */
THALWEG_API thalweg_status thalweg_team_allocate(thalweg_team* team, size_t bytes, void** memory);
THALWEG_API thalweg_status thalweg_team_release(thalweg_team* team, void* memory);
/* The counterpart of the address `address` of symmetric memory in another rank's; NULL if that rank is on
 * another node, or if the address is not in symmetric memory. Not collective. */
THALWEG_API void* thalweg_team_reach(const thalweg_team* team, const void* address, int rank);

/* --- the memory of others --- */

/* Put, get and atomic operations on symmetric memory of any rank. Only the caller takes part: they are not
 * collective. In a node they are stores and loads. Between nodes they are messages, which the other rank
 * takes in whenever it is in a call of a team, by thalweg_team_progress(), in its MPI calls under `thalweg
 * run`, and while it computes if it has a progress thread (docs/teams.md).
 *
 * With `request` NULL a put returns when its data may be changed, which says nothing of the other rank; a get
 * returns with its data, and an atomic operation with its result, if it has one. Else all return at once,
 * with NULL in *request where they have finished. A request of a put is finished when its bytes have landed:
 * until then the data is the put's. */

/* thalweg_signal_kind: from interfaces/team.toml */
/* The effect of a signal on its word. */
typedef enum thalweg_signal_kind {
  thalweg_signal_set = 0, /* the word becomes the value */
  thalweg_signal_add = 1  /* the value is added to the word */
} thalweg_signal_kind;
/* end of thalweg_signal_kind */

/* thalweg_team_transfer: from interfaces/team.toml */
/* Blocks of bytes between this rank's memory and the symmetric memory of `rank`. The default is one
 * block of nothing. */
typedef struct thalweg_team_transfer {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_team_transfer));
  /* an address in symmetric memory of this rank: the same place in that of `rank` */
  void* memory THALWEG_DEFAULT(NULL);
  size_t offset THALWEG_DEFAULT(0); /* from there, in bytes */
  void* data THALWEG_DEFAULT(NULL); /* of this rank: puts read it, gets write it */
  size_t bytes THALWEG_DEFAULT(0);  /* of a block */
  size_t blocks THALWEG_DEFAULT(1); /* their number */
  /* between the begins of blocks in symmetric memory; 0: no gaps */
  ptrdiff_t memory_stride THALWEG_DEFAULT(0);
  ptrdiff_t data_stride THALWEG_DEFAULT(0); /* the same in this rank's memory */
  /* instead of memory_stride: where each block begins, from `offset` on; read at once */
  const size_t* places THALWEG_DEFAULT(NULL);
  /* of puts: a word in symmetric memory, for that of `rank`; NULL: none */
  uint64_t* signal THALWEG_DEFAULT(NULL);
  uint64_t value THALWEG_DEFAULT(0); /* of the signal */
  thalweg_signal_kind kind THALWEG_DEFAULT(thalweg_signal_set);
  int rank THALWEG_DEFAULT(0);
} thalweg_team_transfer;
#define THALWEG_TEAM_TRANSFER_INIT                                                                           \
  { sizeof(thalweg_team_transfer), NULL, 0, NULL, 0, 1, 0, 0, NULL, NULL, 0, thalweg_signal_set, 0 }
/* end of thalweg_team_transfer */

/* thalweg_atomic_kind: from interfaces/team.toml */
/* An operation on a word that no other one divides. */
typedef enum thalweg_atomic_kind {
  thalweg_atomic_add = 0,         /* the value is added, without a carry out of the word */
  thalweg_atomic_swap = 1,        /* the word becomes the value */
  thalweg_atomic_compare_swap = 2 /* the same, if the two that are compared are equal */
} thalweg_atomic_kind;
/* end of thalweg_atomic_kind */

/* thalweg_team_atomic: from interfaces/team.toml */
/* An operation on a word in the symmetric memory of `rank`, which is aligned to its size. The default
 * adds 0 to a word of 8 bytes. */
typedef struct thalweg_team_atomic {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_team_atomic));
  /* an address in symmetric memory of this rank: the same place in that of `rank` */
  void* memory THALWEG_DEFAULT(NULL);
  size_t offset THALWEG_DEFAULT(0);    /* from there, in bytes */
  size_t bytes THALWEG_DEFAULT(8);     /* of the word: 4 or 8 */
  uint64_t value THALWEG_DEFAULT(0);   /* of which a word of 4 bytes takes the lower half */
  uint64_t compare THALWEG_DEFAULT(0); /* of compare_swap */
  /* for the word as it was before, in as many bytes; NULL: nobody wants to know */
  void* result THALWEG_DEFAULT(NULL);
  thalweg_atomic_kind kind THALWEG_DEFAULT(thalweg_atomic_add);
  int rank THALWEG_DEFAULT(0);
} thalweg_team_atomic;
#define THALWEG_TEAM_ATOMIC_INIT                                                                             \
  { sizeof(thalweg_team_atomic), NULL, 0, 8, 0, 0, NULL, thalweg_atomic_add, 0 }
/* end of thalweg_team_atomic */

/* Whoever sees the signal sees all bytes of its put. Words of 4 and 8 bytes that are aligned land whole. */
THALWEG_API thalweg_status thalweg_team_put(thalweg_team* team, const thalweg_team_transfer* transfer,
                                            thalweg_request** request);
THALWEG_API thalweg_status thalweg_team_get(thalweg_team* team, const thalweg_team_transfer* transfer,
                                            thalweg_request** request);
/* Atomic operations and signals on a word exclude each other, whichever ranks they are of. */
THALWEG_API thalweg_status thalweg_team_update(thalweg_team* team, const thalweg_team_atomic* atomic,
                                               thalweg_request** request);
/* Puts and atomic operations of this rank after it land later at their rank than those before it do. */
THALWEG_API thalweg_status thalweg_team_fence(thalweg_team* team);
/* Returns when all puts and atomic operations of this rank have landed, and all its gets have finished. A
 * barrier and thalweg_team_complete() do so too. */
THALWEG_API thalweg_status thalweg_team_quiet(thalweg_team* team);

/* thalweg_condition: from interfaces/team.toml */
/* A comparison of a word with a value, both without sign. */
typedef enum thalweg_condition {
  thalweg_condition_equal = 0,
  thalweg_condition_not_equal = 1,
  thalweg_condition_greater_equal = 2,
  thalweg_condition_less_equal = 3
} thalweg_condition;
/* end of thalweg_condition */

/* Waits until the word at `word`, of 8 bytes in this rank's symmetric memory, meets the condition, and gives
 * the word as it was then in *found, unless that is NULL. */
THALWEG_API thalweg_status thalweg_team_wait(thalweg_team* team, const uint64_t* word,
                                             thalweg_condition condition, uint64_t value, uint64_t* found);
/* Takes in the puts of other ranks, and lets all go on that this rank has started, without waiting. */
THALWEG_API thalweg_status thalweg_team_progress(thalweg_team* team);

/* --- collectives --- */

/* Synchronization is stated for both ends of a call, as in UPC and GASNet.
 *
 *          before                                        after
 *   none   buffers may be used as soon as any rank came  nothing: buffers belong to the call until
 *                                                        thalweg_team_barrier() or thalweg_team_complete(),
 *                                                        which have to come before this rank blocks elsewhere
 *   mine   this rank's buffers once it came              this rank's buffers are its own, its data is there
 *   all    buffers once all ranks came                   all ranks' are
 *
 * All ranks' memory is what they reach by stores in a node, and by calls of teams in symmetric memory. */
/* thalweg_sync: from interfaces/team.toml */
/* How a call is ordered with other ranks, before it touches buffers and before it ends. */
typedef enum thalweg_sync { thalweg_sync_none = 0, thalweg_sync_mine = 1, thalweg_sync_all = 2 } thalweg_sync;
/* end of thalweg_sync */

/* thalweg_collective: from interfaces/team.toml */
/* The collectives of a team. */
typedef enum thalweg_collective {
  thalweg_collective_broadcast = 0, /* output: count elements, the root's given */
  thalweg_collective_scatter = 1,   /* input of the root: count for each rank; output: count */
  thalweg_collective_gather = 2,    /* input: count; output of the root: count from each rank */
  thalweg_collective_allgather = 3, /* the same, output of every rank */
  thalweg_collective_alltoall = 4,  /* input: count for each rank; output: count from each */
  thalweg_collective_reduce = 5,    /* input: count; output of the root: count */
  thalweg_collective_allreduce = 6, /* the same, output of every rank */
  thalweg_collective_scan = 7,      /* output: the combined values of ranks up to this one */
  thalweg_collective_barrier = 8,   /* for thalweg_team_strategy(); started by thalweg_team_barrier() */
  thalweg_collective_exscan = 9,    /* output: those of ranks before this one; rank 0's means nothing */
  /* input: count for each rank; output: count, combined from all; not in place */
  thalweg_collective_reduce_scatter = 10
} thalweg_collective;
/* end of thalweg_collective */

/* Which strategy runs for units of so many bytes (of the root 0, with operators that commute), and who chose
 * it: "broadcast=knomial:radix=4, by the tuning file"; "broadcast=flat (loose: broadcast=kary), by .." where
 * calls that nobody waits for (thalweg_sync_none after them) run another one. Barriers have no bytes. Not
 * collective. The text is
 * valid until this function is called again on this thread. */
THALWEG_API thalweg_status thalweg_team_strategy(thalweg_team* team, thalweg_collective collective,
                                                 size_t bytes, const char** strategy);

/* thalweg_team_call: from interfaces/team.toml */
/* A collective. The default is a broadcast of nothing from rank 0, of MPI_BYTE, with thalweg_sync_mine
 * at both ends. */
typedef struct thalweg_team_call {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_team_call));
  thalweg_collective collective THALWEG_DEFAULT(thalweg_collective_broadcast);
  /* unused by broadcast; the same as output: the output holds it (reductions only) */
  const void* input THALWEG_DEFAULT(NULL);
  void* output THALWEG_DEFAULT(NULL);
  size_t count THALWEG_DEFAULT(0);             /* elements of a unit */
  MPI_Datatype type THALWEG_DEFAULT(MPI_BYTE); /* without gaps */
  MPI_Op op THALWEG_DEFAULT(MPI_OP_NULL);      /* of reductions; else MPI_OP_NULL */
  int root THALWEG_DEFAULT(0);                 /* else 0 */
  thalweg_sync before THALWEG_DEFAULT(thalweg_sync_mine);
  thalweg_sync after THALWEG_DEFAULT(thalweg_sync_mine);
  /* of the call, for errors; NULL: found from where it was called */
  const char* file THALWEG_DEFAULT(NULL);
  int line THALWEG_DEFAULT(0);
} thalweg_team_call;
#define THALWEG_TEAM_CALL_INIT                                                                               \
  {                                                                                                          \
    sizeof(thalweg_team_call), thalweg_collective_broadcast, NULL, NULL, 0, MPI_BYTE, MPI_OP_NULL, 0,        \
        thalweg_sync_mine, thalweg_sync_mine, NULL, 0                                                        \
  }
/* end of thalweg_team_call */

/* Starts a collective. With `request` NULL it returns when it has finished, which with thalweg_sync_none
 * after it means when it was started; else it returns at once, with NULL in *request where it has finished
 * already. */
THALWEG_API thalweg_status thalweg_team_start(thalweg_team* team, const thalweg_team_call* call,
                                              thalweg_request** request);
/* Returns when all ranks have come and all that they had started on the team has finished; with a request,
 * the latter is left to thalweg_team_complete(). */
THALWEG_API thalweg_status thalweg_team_barrier(thalweg_team* team, thalweg_request** request);
/* Returns when all operations that this rank started on the team have finished here. Not collective, but
 * other ranks have to take part. */
THALWEG_API thalweg_status thalweg_team_complete(thalweg_team* team);

/* --- messages --- */

/* Messages from rank to rank. If all hosts have an agent (thalweg nic serve), the receiver's network card
 * keeps and matches messages, while its host does other work: a receive from any rank takes as long with
 * many senders and many messages as with few. Elsewhere the MPI library does it. Messages of a sender that
 * fit a receive arrive in the order of sending. */

/* Of a receive: from anybody, with any tag. */
enum { thalweg_any = -1 };

/* thalweg_received: from interfaces/team.toml */
/* The message that a receive got. */
typedef struct thalweg_received {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_received));
  int from;
  int tag;
  size_t bytes;
} thalweg_received;
#define THALWEG_RECEIVED_INIT                                                                                \
  { sizeof(thalweg_received), 0, 0, 0 }
/* end of thalweg_received */

/* Collective, before the first message. An inbox has room for 32 messages of each rank, and for fewer where a
 * team has more than 32 ranks or many of them on a host; who sends more waits until some are received. */
THALWEG_API thalweg_status thalweg_team_open_inboxes(thalweg_team* team);
/* Who matches: the devices, or the library and why. The text is valid as long as the team. */
THALWEG_API thalweg_status thalweg_team_inboxes(thalweg_team* team, const char** where);
/* Returns when the receiver's device has the message, or the library a copy. Those of more than 1408 bytes
 * wait for their receiver. Tags are from 0 on, as MPI's. */
THALWEG_API thalweg_status thalweg_team_send(thalweg_team* team, int to, int tag, const void* message,
                                             size_t bytes);
/* Waits for a message, at most `room` bytes long: a longer one is lost, and an error. `received` may be NULL.
 */
THALWEG_API thalweg_status thalweg_team_receive(thalweg_team* team, int from, int tag, void* message,
                                                size_t room, thalweg_received* received);

#ifdef __cplusplus
}
#endif

#endif
