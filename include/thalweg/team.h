/* Teams: collectives on memory that ranks share or reach, for programs that want more than MPI's own.
 *
 * A team is made from an MPI communicator and has its own ranks from 0 on. Every call here is collective over
 * its team unless it says otherwise, and all ranks of a team make the same calls in the same order. Functions
 * that return int return 0, or -1 with the reason and the remedy in thalweg_team_error(); what failed changed
 * nothing. One thread at a time may use a team.
 *
 * Link with libthalweg-team-openmpi or libthalweg-team-mpich. C++ programs include thalweg/team.hpp. */
#ifndef THALWEG_TEAM_H
#define THALWEG_TEAM_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THALWEG_TEAM_API __attribute__((visibility("default")))

typedef struct thalweg_team thalweg_team;
typedef struct thalweg_request thalweg_request;

/* What the last failed call of this thread complained about. Valid until the next call of this thread. */
THALWEG_TEAM_API const char* thalweg_team_error(void);

/* --- teams -------------------------------------------------------------------------------------------------
 */

/* The team of a communicator's ranks, in its order. The communicator is duplicated, and may be freed. */
THALWEG_TEAM_API int thalweg_team_create(MPI_Comm communicator, thalweg_team** team);
/* One team for each color, its ranks by key, then by rank; a negative color: no team (NULL). */
THALWEG_TEAM_API int thalweg_team_split(thalweg_team* team, int color, int key, thalweg_team** part);
/* The ranks listed, in that order; NULL on the others. */
THALWEG_TEAM_API int thalweg_team_subset(thalweg_team* team, int count, const int ranks[],
                                         thalweg_team** subset);
/* The ranks that own the blocks of a distributed array, owners[b] that of block b, in the order of their
 * first blocks; NULL on ranks that own none. */
THALWEG_TEAM_API int thalweg_team_of_blocks(thalweg_team* team, size_t blocks, const int owners[],
                                            thalweg_team** owning);
/* Ends a team, its memory with it; everything started has to be finished. */
THALWEG_TEAM_API int thalweg_team_free(thalweg_team** team);

/* Not collective. */
THALWEG_TEAM_API int thalweg_team_rank(const thalweg_team* team);
THALWEG_TEAM_API int thalweg_team_size(const thalweg_team* team);

/* Which strategies run from now on, in the grammar of THALWEG_USE ("broadcast=knomial:radix=4;barrier=flat").
 * For calls that are not named the tuning file says it, and where that does not know them, the model with the
 * figures of the probed machine (docs/teams.md). THALWEG_USE is where a team begins. */
THALWEG_TEAM_API int thalweg_team_use(thalweg_team* team, const char* selections);

/* --- symmetric memory --------------------------------------------------------------------------------------
 */

/* So many bytes on every rank, zeros, aligned to pages. Ranks of a node reach each other's directly. */
THALWEG_TEAM_API int thalweg_team_allocate(thalweg_team* team, size_t bytes, void** memory);
THALWEG_TEAM_API int thalweg_team_release(thalweg_team* team, void* memory);
/* Where the place `address` of symmetric memory is in another rank's; NULL where that rank is on another
 * node, or the address is none of symmetric memory. Not collective. */
THALWEG_TEAM_API void* thalweg_team_reach(const thalweg_team* team, const void* address, int rank);

/* --- collectives -------------------------------------------------------------------------------------------
 */

/* Synchronisation is stated for both ends of a call, as in UPC and GASNet.
 *
 *          before                                        after
 *   none   buffers may be used as soon as any rank came  nothing: buffers belong to the call until
 *                                                        thalweg_team_barrier() or thalweg_team_complete(),
 *                                                        which have to come before this rank blocks elsewhere
 *   mine   this rank's buffers once it came              this rank's buffers are its own, its data is there
 *   all    buffers once all ranks came                   all ranks' are */
typedef enum { thalweg_sync_none, thalweg_sync_mine, thalweg_sync_all } thalweg_sync;

typedef enum {
  thalweg_team_broadcast,  /* output: count elements, the root's given */
  thalweg_team_scatter,    /* input of the root: count for each rank; output: count */
  thalweg_team_gather,     /* input: count; output of the root: count from each rank */
  thalweg_team_gather_all, /* the same, output of every rank */
  thalweg_team_exchange,   /* input: count for each rank; output: count from each */
  thalweg_team_reduce,     /* input: count; output of the root: count */
  thalweg_team_reduce_all, /* the same, output of every rank */
  thalweg_team_scan        /* output: what ranks up to this one have, combined */
} thalweg_collective;

/* Which strategy runs for units of so many bytes (of the root 0, with operators that commute), and who chose
 * it: "broadcast=knomial:radix=4, by the tuning file"; "broadcast=flat (loose: broadcast=kary), by .." where
 * calls that nobody waits for (thalweg_sync_none after them) run another one. NULL with the reason in
 * thalweg_team_error(). Not collective; valid until the next call of this thread. */
THALWEG_TEAM_API const char* thalweg_team_strategy(thalweg_team* team, thalweg_collective collective,
                                                   size_t bytes);

typedef struct {
  thalweg_collective collective;
  const void*
      input; /* unused by broadcast; where input and output are the same, the output holds the input */
  void* output;
  size_t count;      /* elements of a unit */
  MPI_Datatype type; /* without gaps */
  MPI_Op op;         /* of reductions; else MPI_OP_NULL */
  int root;          /* else 0 */
  thalweg_sync before;
  thalweg_sync after;
  const char* file; /* of the call, for errors; NULL: found from where it was called */
  int line;
} thalweg_team_call;

/* Starts a collective. With `request` NULL it returns when it has finished, which with thalweg_sync_none
 * after it means when it was started; else it returns at once. Buffers of symmetric memory save copies. */
THALWEG_TEAM_API int thalweg_team_start(thalweg_team* team, const thalweg_team_call* call,
                                        thalweg_request** request);
/* Returns when all ranks have come and all that they had started on the team has finished; with a request,
 * the latter is left to thalweg_team_complete(). */
THALWEG_TEAM_API int thalweg_team_barrier(thalweg_team* team, thalweg_request** request);
/* Returns when what this rank started on the team has finished here. Not collective, but others have to come
 * for it. */
THALWEG_TEAM_API int thalweg_team_complete(thalweg_team* team);

/* Not collective. A finished request is freed and set to NULL; NULL counts as finished. */
THALWEG_TEAM_API int thalweg_request_test(thalweg_request** request, int* finished);
THALWEG_TEAM_API int thalweg_request_wait(thalweg_request** request);
THALWEG_TEAM_API int thalweg_request_wait_all(size_t count, thalweg_request* requests[]);

#ifdef __cplusplus
}
#endif

#endif
