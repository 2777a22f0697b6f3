/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects: the C interface behind thalweg/objects.hpp, which programs use.
 *
 * Each rank has a scheduler for a communicator. Messages for its elements wait in a queue; it runs them
 * one after the other, each to its end. Those for other ranks' elements travel along a stream, or, if they
 * are large, as messages of MPI. Only thalweg_objects_finish() and _fence() run them, and _progress():
 * none runs in an MPI call. Failures are described in thalweg/status.h.
 *
 * Link with libthalweg-objects-openmpi or libthalweg-objects-mpich. */
#ifndef THALWEG_OBJECTS_H
#define THALWEG_OBJECTS_H

#include "thalweg/status.h"
#include "thalweg/stream_links.h"
#include "thalweg/version.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thalweg_objects thalweg_objects;

/* Stands before the arguments of a call, in queues and on its way. */
typedef struct thalweg_message {
  uint32_t bytes; /* of the arguments; in queues they begin at multiples of 16 */
  uint16_t array;
  uint16_t entry;   /* the number of the entry method, and THALWEG_OBJECTS_URGENT */
  uint32_t element; /* its number, or one of the two below */
  uint32_t source;  /* the rank that called */
} thalweg_message;

#define THALWEG_OBJECTS_URGENT 0x8000     /* runs before those that are not */
#define THALWEG_OBJECTS_NOBODY 0xFFFFFFFF /* for the rank itself */
#define THALWEG_OBJECTS_ALL 0xFFFFFFFE    /* for all elements of the rank */

/* The rest of a queue's last piece of memory. */
typedef struct thalweg_objects_room {
  char* next;
  char* end;
} thalweg_objects_room;

/* The state of the scheduler that calls inlined into the program use. */
typedef struct thalweg_objects_view {
  thalweg_objects_room queue[2]; /* of urgent messages, and of others */
  thalweg_stream_view* stream;
  uint64_t sent;          /* messages put into the stream's links, or sent by MPI */
  uint64_t* load;         /* whose time it is that the running message takes: set while it runs */
  uint32_t running;       /* the element whose message it is, */
  uint32_t running_array; /* and its array */
  uint32_t sampled;       /* one of so many calls is recorded; 0: none */
  uint32_t unsampled;     /* calls since the last that was */
  uint64_t departed;      /* elements that have left this rank between fences */
  uint64_t quiet;         /* how often no message was left on any rank */
  uint32_t max_bytes;     /* of a message that goes along the stream, its head included */
  uint32_t rank;
  uint32_t ranks;
} thalweg_objects_view;

/* thalweg_objects_array: from interfaces/objects.toml */
/* A rank's part of an array. All functions are called while no other message runs. */
typedef struct thalweg_objects_array {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_objects_array));
  void* context THALWEG_DEFAULT(NULL);
  /* of elements; memory outside of this structure is the array's, and lives as long */
  const char* type THALWEG_DEFAULT(NULL);
  const int64_t* shape THALWEG_DEFAULT(NULL);
  int dimensions THALWEG_DEFAULT(0);
  /* does not throw: see thalweg_objects_fail() */
  void (*run)(void* context, const thalweg_message* message) THALWEG_DEFAULT(NULL);
  /* The same after a message has failed: the program's messages are dropped, and elements that are on
   * their way still come. */
  void (*save)(void* context, const thalweg_message* message) THALWEG_DEFAULT(NULL);
  /* No message is left of those: work that elements had begun is lost, and reductions are counted anew. */
  void (*begin_anew)(void* context) THALWEG_DEFAULT(NULL);
  /* NULL if elements stay. The elements that may move, at most `room` of them, with the time of their
   * messages since the last fence, which is then reset. Returns their number; SIZE_MAX: none may on any
   * rank. `room` is 0, which leaves loads alone, or for all of this rank. */
  size_t (*list)(void* context, size_t room, uint32_t* elements, uint64_t* loads) THALWEG_DEFAULT(NULL);
  /* Writes an element, if it needs no more than `room` bytes, and returns the bytes that it needs.
   * SIZE_MAX: it fails, and unsettled() gives the reason. */
  size_t (*pack)(void* context, uint32_t element, void* to, size_t room) THALWEG_DEFAULT(NULL);
  void (*depart)(void* context, uint32_t element, uint32_t rank) THALWEG_DEFAULT(NULL); /* sends it there */
  /* it is on another rank from now on */
  void (*leave)(void* context, uint32_t element) THALWEG_DEFAULT(NULL);
  void (*enter)(void* context, uint32_t element, const void* from, size_t bytes) THALWEG_DEFAULT(NULL);
  size_t (*count)(void* context) THALWEG_DEFAULT(NULL); /* of its elements here */
  /* of those that were here at the last fence */
  size_t (*anchored)(void* context) THALWEG_DEFAULT(NULL);
  void (*numbers)(void* context, uint32_t* elements) THALWEG_DEFAULT(NULL); /* of all of these */
  /* Why elements cannot be written now: a task waits, or a reduction, or the last one has failed. NULL:
   * they can. */
  const char* (*unsettled)(void* context)THALWEG_DEFAULT(NULL);
  /* no element is anywhere any more; all of them will be entered */
  void (*clear)(void* context) THALWEG_DEFAULT(NULL);
  /* The same as enter(), on the element's home, which may be another rank. */
  void (*settle)(void* context, uint32_t element, const void* from, size_t bytes) THALWEG_DEFAULT(NULL);
  /* elements have moved: so many has each rank now. Not called if none moves in a phase */
  void (*fenced)(void* context, const uint64_t* counts) THALWEG_DEFAULT(NULL);
} thalweg_objects_array;
#define THALWEG_OBJECTS_ARRAY_INIT                                                                           \
  {                                                                                                          \
    sizeof(thalweg_objects_array), NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,      \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL                                                             \
  }
/* end of thalweg_objects_array */

/* thalweg_fence_scheme: from interfaces/objects.toml */
/* Who goes where. */
typedef enum thalweg_fence_scheme {
  /* ranks balance among themselves, and the fewest elements move (thalweg/balance.h) */
  thalweg_fence_sweep = 0,
  thalweg_fence_alias = 1,  /* the same, and each rank receives from one other at most */
  thalweg_fence_refine = 2, /* rank 0 decides: overloaded ranks give elements to idle ones; few move */
  thalweg_fence_greedy = 3, /* rank 0 decides: the heaviest first to whoever has least; most move */
  /* rank 0 decides: equal parts with little sent between them. From the first such fence on, a sample of
   * calls is recorded */
  thalweg_fence_near = 4,
  thalweg_fence_stay = 5 /* elements stay where they are, whatever they take; associations may switch */
} thalweg_fence_scheme;
/* end of thalweg_fence_scheme */

/* thalweg_fence_options: from interfaces/objects.toml */
/* When elements move at a fence; the same on all ranks. Zeros: the best by Thalweg's judgment. */
typedef struct thalweg_fence_options {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_fence_options));
  /* they do if the slowest rank takes over 1 + this times as long as the mean; 0: 0.05 */
  double threshold THALWEG_DEFAULT(0);
  /* how often the load since the last fence comes again until the next one; 0: once */
  double steps THALWEG_DEFAULT(0);
  /* the saving, as a multiple of the time of moving, from which elements move; 0: 1.5 */
  double hysteresis THALWEG_DEFAULT(0);
  /* the smallest saving until the next fence from which elements move; 0: 0.0001 */
  double min_gain_seconds THALWEG_DEFAULT(0);
  thalweg_fence_scheme scheme THALWEG_DEFAULT(thalweg_fence_sweep);
} thalweg_fence_options;
#define THALWEG_FENCE_OPTIONS_INIT                                                                           \
  { sizeof(thalweg_fence_options), 0, 0, 0, 0, thalweg_fence_sweep }
/* end of thalweg_fence_options */

/* thalweg_fence_outcome: from interfaces/objects.toml */
/* The result of a fence, and its view of the time since the one before. */
typedef struct thalweg_fence_outcome {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_fence_outcome));
  uint64_t left;    /* elements that left this rank */
  uint64_t entered; /* elements that entered it */
  int was_worth;    /* 0: no element has moved on any rank */
  double imbalance; /* time of the slowest rank over the mean */
  double gain_seconds;
  double move_seconds; /* predicted, as is the gain */
} thalweg_fence_outcome;
#define THALWEG_FENCE_OUTCOME_INIT                                                                           \
  { sizeof(thalweg_fence_outcome), 0, 0, 0, 0, 0, 0 }
/* end of thalweg_fence_outcome */

/* Collective. Those that open one communicator have the same scheduler. */
#define thalweg_objects_open(...) thalweg_objects_open_for(THALWEG_HEADER_VERSION, __VA_ARGS__)
THALWEG_API thalweg_status thalweg_objects_open_for(int header_version, MPI_Comm communicator,
                                                    thalweg_objects** objects);
/* In the same order on all ranks. Messages that are in flight are lost with the last holder. */
THALWEG_API thalweg_status thalweg_objects_close(thalweg_objects** objects);
THALWEG_API thalweg_objects_view* thalweg_objects_view_of(thalweg_objects* objects);

/* Collective: all ranks add the same arrays in the same order, with the same signature. */
THALWEG_API thalweg_status thalweg_objects_add(thalweg_objects* objects, const thalweg_objects_array* array,
                                               uint64_t signature, uint16_t* number);
THALWEG_API thalweg_status thalweg_objects_remove(thalweg_objects* objects, uint16_t number);

/* Place for `bytes` more in a queue. */
THALWEG_API thalweg_status thalweg_objects_refill(thalweg_objects* objects, int queue, size_t bytes);
/* Place in the stream's links, where they lie in a mesh. */
THALWEG_API thalweg_status thalweg_objects_place(thalweg_objects* objects, uint32_t rank, size_t bytes,
                                                 char** place);
/* Memory for a large message with its head, and the call that sends it. */
THALWEG_API thalweg_status thalweg_objects_begin_large(thalweg_objects* objects, size_t bytes, char** place);
THALWEG_API thalweg_status thalweg_objects_send_large(thalweg_objects* objects, uint32_t rank);

/* The memory of the message that runs belongs to the caller from now on, who frees it. NULL: other messages
 * are in it too. */
THALWEG_API void* thalweg_objects_keep(thalweg_objects* objects);
THALWEG_API void thalweg_objects_free_kept(void* memory);

/* Collective: a call of the program, in which elements of an array send in brackets. All ranks make the same
 * in the same order. `strategy`: "direct", "mesh", "grid", "hypercube", "stream", or "auto", which is one of
 * them until the next fence. `unused`: bits that tell its brackets from those of others. `bit` is given one
 * that is unused on all ranks. */
THALWEG_API thalweg_status thalweg_objects_associate(thalweg_objects* objects, uint16_t array,
                                                     const char* strategy, uint32_t unused, uint32_t* bit,
                                                     uint16_t* number);
/* The memory that it still keeps is freed when messages are run the next time. */
THALWEG_API thalweg_status thalweg_objects_dissociate(thalweg_objects* objects, uint16_t number);
/* Place for a message of an element's open bracket, head included, a multiple of 16 bytes, for another rank.
 * NULL: it goes on its own. The element was at this rank at the last fence. */
THALWEG_API thalweg_status thalweg_objects_deposit(thalweg_objects* objects, uint16_t association,
                                                   uint32_t element, uint32_t rank, size_t bytes,
                                                   char** place);
/* A rank of a multicast, and the beginning of its message: head, and a multiple of 16 bytes. */
typedef struct thalweg_multicast_part {
  uint32_t rank;
  uint32_t bytes;
  const void* prefix;
} thalweg_multicast_part;

/* The same for the common part of the messages to several other ranks, of so many bytes, a multiple of 16.
 * The part travels once over each edge that they share. NULL: each rank gets its own. */
THALWEG_API thalweg_status thalweg_objects_deposit_multicast(thalweg_objects* objects, uint16_t association,
                                                             uint32_t element,
                                                             const thalweg_multicast_part* parts,
                                                             size_t count, size_t bytes, char** place);
/* The element, which was here at the last fence, has ended a bracket. */
THALWEG_API thalweg_status thalweg_objects_end_bracket(thalweg_objects* objects, uint16_t association,
                                                       uint32_t element);

/* Records a call by the running message. */
THALWEG_API void thalweg_objects_sample(thalweg_objects* objects, uint16_t array, uint32_t element,
                                        size_t bytes);

/* The message that runs has failed: no more are run, and all ranks' finish() fails for this reason. */
THALWEG_API void thalweg_objects_fail(thalweg_objects* objects, const char* why);

/* Sends all calls made so far, also during an entry method: it lets MPI go on as well. */
THALWEG_API thalweg_status thalweg_objects_flush(thalweg_objects* objects);
/* Runs messages that have arrived. */
THALWEG_API thalweg_status thalweg_objects_progress(thalweg_objects* objects);
/* Collective: runs messages until there are none, on any rank or on the way. */
THALWEG_API thalweg_status thalweg_objects_finish(thalweg_objects* objects);
/* Collective: the same, and elements move to where there is time, if that pays. */
THALWEG_API thalweg_status thalweg_objects_fence(thalweg_objects* objects,
                                                 const thalweg_fence_options* options,
                                                 thalweg_fence_outcome* outcome);

/* The decisions of the last fences and their reasons, a line for each; none if there was nothing to
 * decide. Valid until the next call of this function. */
THALWEG_API const char* thalweg_objects_explain(thalweg_objects* objects);

/* Collective: runs all messages, and writes the elements of all arrays of the communicator to a folder
 * that all ranks see. The folder's earlier contents stay whole until all of this is written. Fails on all
 * ranks if tasks wait, or if elements do not move. */
THALWEG_API thalweg_status thalweg_objects_checkpoint(MPI_Comm communicator, const char* folder);
/* Collective: elements get the written state, on any number of ranks. The program has made the same
 * arrays. If files are damaged or missing, the call fails on all ranks, and has changed nothing. */
THALWEG_API thalweg_status thalweg_objects_restore(MPI_Comm communicator, const char* folder);

#ifdef __cplusplus
}
#endif

#endif
